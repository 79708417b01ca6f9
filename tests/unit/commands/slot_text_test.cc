// src/commands/slot_text.cc
#include "commands/slot_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace postrider::commands {
namespace {

using testing::HasSubstr;
using testing::Not;

postgres::SlotReport Report() {
  postgres::SlotReport report{
      .server_version = 150004, .timeline = 1, .server_us = 10'000'000, .current_lsn = Lsn(0x3000000)};
  report.slot = postgres::SlotReading{.name = "orders",
                                      .plugin = "pgoutput",
                                      .active = true,
                                      .active_pid = 77,
                                      .wal_status = "reserved",
                                      .application_name = "postrider/orders",
                                      .confirmed_flush_lsn = Lsn(0x2000000),
                                      .retained_bytes = 32 * 1024 * 1024,
                                      .unconfirmed_bytes = 1536};
  report.others.push_back({.name = "forgotten",
                           .plugin = "",
                           .wal_status = "lost",
                           .inactive_since_us = 1'000'000,
                           .invalidation_reason = "wal_removed"});
  return report;
}

TEST(SlotsAsText, OursComesFirstAndIsMarked) {
  const std::string text = SlotsAsText("orders", Report(), nullptr);
  EXPECT_THAT(text, HasSubstr("* orders"));
  EXPECT_LT(text.find("* orders"), text.find("forgotten"));
  EXPECT_THAT(text, HasSubstr("77 postrider/orders"));
  EXPECT_THAT(text, HasSubstr("32 MB"));
  EXPECT_THAT(text, HasSubstr("1.5 kB"));
  EXPECT_THAT(text, HasSubstr("limit none"));
}

TEST(SlotsAsText, ASlotThatIsLostSaysWhySinceWhen) {
  const std::string text = SlotsAsText("orders", Report(), nullptr);
  EXPECT_THAT(text, HasSubstr("lost (wal_removed)"));
  EXPECT_THAT(text, HasSubstr("nobody, 9s"));
}

TEST(SlotsAsText, TwoReadingsGiveRates) {
  const postgres::SlotReport before = Report();
  postgres::SlotReport now = Report();
  now.server_us += 2'000'000;
  now.current_lsn = Lsn(0x3000000 + 4 * 1024 * 1024);
  now.slot->confirmed_flush_lsn = Lsn(0x2000000 + 20 * 1024);
  const std::string text = SlotsAsText("orders", now, &before);
  EXPECT_THAT(text, HasSubstr(", 2.0 MB/s"));
  EXPECT_THAT(text, HasSubstr("10 kB/s"));
}

TEST(SlotsAsText, AMissingSlotIsSaidToBeMissing) {
  postgres::SlotReport report = Report();
  EXPECT_THAT(SlotsAsText("orders", report, nullptr), Not(HasSubstr("there is no")));
  report.slot.reset();
  EXPECT_THAT(SlotsAsText("orders", report, nullptr), HasSubstr("there is no replication slot orders"));
}

TEST(SlotsAsText, AnOpenTransactionThatPinsTheWalIsNamed) {
  postgres::SlotReport report = Report();
  report.oldest = postgres::OldestTransaction{.pid = 5, .database = "shop", .user = "app", .age_us = 90'000'000};
  EXPECT_THAT(SlotsAsText("orders", report, nullptr), HasSubstr("pid 5, user app, database shop, for 1m30s"));
}

}  // namespace
}  // namespace postrider::commands
