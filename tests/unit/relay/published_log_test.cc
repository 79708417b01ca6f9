#include "relay/published_log.h"

#include <gtest/gtest.h>

namespace postrider::relay {
namespace {

TEST(PublishedLog, CountsWhatCommittedAtAPositionOrBehindIt) {
  PublishedLog log;
  EXPECT_EQ(log.From(Lsn(1)).transactions, 0U);
  log.Add(Lsn(100), 1);
  log.Add(Lsn(200), 20);
  log.Add(Lsn(300), 300);
  const PublishedLog::Count count = log.From(Lsn(200));
  EXPECT_EQ(count.transactions, 2U);
  EXPECT_EQ(count.events, 320U);
  EXPECT_TRUE(count.whole);
  EXPECT_EQ(log.From(Lsn(301)).transactions, 0U);
  EXPECT_EQ(log.From(Lsn()).transactions, 3U);
  log.Clear();
  EXPECT_EQ(log.From(Lsn()).transactions, 0U);
}

TEST(PublishedLog, KeepsTheNewestAndSaysWhenThereMayBeMore) {
  PublishedLog log;
  const uint64_t all = PublishedLog::kTransactionsMax + 10;
  for (uint64_t lsn = 1; lsn <= all; ++lsn) log.Add(Lsn(lsn), 2);
  EXPECT_EQ(log.From(Lsn(all)).transactions, 1U);
  EXPECT_TRUE(log.From(Lsn(12)).whole) << "the oldest that is kept is 11";
  EXPECT_EQ(log.From(Lsn(12)).transactions, PublishedLog::kTransactionsMax - 1);
  const PublishedLog::Count more = log.From(Lsn(5));
  EXPECT_EQ(more.transactions, PublishedLog::kTransactionsMax);
  EXPECT_EQ(more.events, 2 * PublishedLog::kTransactionsMax);
  EXPECT_FALSE(more.whole);
}

}  // namespace
}  // namespace postrider::relay
