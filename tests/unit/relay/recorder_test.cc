#include "relay/recorder.h"

#include <gtest/gtest.h>

#include "fake_clock.h"
#include "fake_evidence.h"

namespace postrider::relay {
namespace {

constexpr int64_t kMs = 1'000;
const postgres::ServerIdentity kServer{.system_identifier = "71", .timeline = 2};

class RecorderTest : public testing::Test {
 protected:
  FakeClock clock_;
  FakeEvidence store_;
  Recorder recorder_{"orders", &store_, &clock_};
};

TEST_F(RecorderTest, TheFirstRecordOfAStreamIsMadeAnew) {
  recorder_.Connected(kServer, Lsn(100), 0);
  ASSERT_EQ(store_.records.size(), 1u);
  EXPECT_TRUE(store_.anews[0]);
  EXPECT_EQ(store_.records[0].system_identifier, "71");
  EXPECT_EQ(store_.records[0].timeline, 2u);
  EXPECT_EQ(store_.records[0].slot, "orders");
  EXPECT_EQ(store_.records[0].lsn, Lsn(100));
  EXPECT_EQ(store_.records[0].time_ms, clock_.UnixMillis());
}

TEST_F(RecorderTest, HoldsAPositionBackUntilItIsWritten) {
  recorder_.Connected(kServer, Lsn(100), 0);
  store_.corked = true;
  EXPECT_EQ(recorder_.Cover(Lsn(200), false, 100 * kMs), Lsn(100));
  EXPECT_EQ(store_.records.back().lsn, Lsn(200));
  EXPECT_FALSE(store_.anews.back());
  EXPECT_EQ(recorder_.Cover(Lsn(200), false, 110 * kMs), Lsn(100));
  store_.Uncork();
  EXPECT_EQ(recorder_.Cover(Lsn(200), false, 120 * kMs), Lsn(200));
}

TEST_F(RecorderTest, WritesOnceInAWhileUnlessItIsUrgent) {
  recorder_.Connected(kServer, Lsn(100), 0);
  EXPECT_EQ(recorder_.Cover(Lsn(200), false, 10 * kMs), Lsn(100));
  EXPECT_EQ(store_.records.size(), 1u);
  EXPECT_EQ(recorder_.next_deadline_us(10 * kMs), 100 * kMs);
  EXPECT_EQ(recorder_.Cover(Lsn(300), true, 20 * kMs), Lsn(300));
  EXPECT_EQ(store_.records.size(), 2u);
}

TEST_F(RecorderTest, WhatAnEarlierConnectionWroteCoversNothing) {
  recorder_.Connected(kServer, Lsn(900), 0);
  store_.corked = true;
  recorder_.Connected(kServer, Lsn(100), 1'000 * kMs);
  EXPECT_LE(recorder_.Cover(Lsn(300), true, 1'001 * kMs), Lsn(100)) << "the record says 900 and is being made anew";
}

TEST_F(RecorderTest, WithoutAStoreEverythingIsCovered) {
  Recorder none("orders", nullptr, &clock_);
  none.Connected(kServer, Lsn(100), 0);
  EXPECT_EQ(none.Cover(Lsn(500), false, 1), Lsn(500));
}

}  // namespace
}  // namespace postrider::relay
