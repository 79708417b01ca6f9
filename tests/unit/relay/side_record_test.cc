#include "relay/side_record.h"

#include <gtest/gtest.h>

#include "fake_producer.h"

namespace postrider::relay {
namespace {

using Kind = kafka::Acceptance::Kind;
using Outcome = kafka::Delivery::Outcome;

constexpr int64_t kSecond = 1'000'000;

class SideRecordTest : public testing::Test {
 protected:
  Kind Offer() { return side_.Offer(producer_, {.topic = "beats", .key = "k", .value = "v"}, now_us_); }
  void Take(Outcome outcome) {
    side_.Take({.tag = SideRecord::kTag, .outcome = outcome, .code = "SCRIPTED", .topic = "beats"}, now_us_);
  }
  // The pause that a failure of this kind leads to, in seconds.
  int64_t PauseAfter(Outcome outcome) {
    EXPECT_EQ(Offer(), Kind::kAccepted);
    Take(outcome);
    int64_t seconds = 0;
    while (Offer() == Kind::kHeld && seconds < 10'000) {
      now_us_ += kSecond;
      ++seconds;
    }
    Take(Outcome::kPurged);
    return seconds;
  }

  FakeKafka kafka_;
  FakeProducer producer_{&kafka_};
  SideRecord side_{1};
  int64_t now_us_ = kSecond;
};

TEST_F(SideRecordTest, TakesItsPartOfTheBudgetUntilItsReport) {
  EXPECT_EQ(Offer(), Kind::kAccepted);
  EXPECT_EQ(side_.bytes(), kRecordOverheadBytes + 2);
  EXPECT_EQ(kafka_.outstanding().back().tag, SideRecord::kTag);
  Take(Outcome::kAcknowledged);
  EXPECT_FALSE(side_.in_flight());
  EXPECT_EQ(Offer(), Kind::kAccepted);
  side_.Forget();
  EXPECT_FALSE(side_.in_flight());
}

TEST_F(SideRecordTest, WhatIsNotAcceptedTakesNothing) {
  for (const Kind kind : {Kind::kHeld, Kind::kWait, Kind::kBroken}) {
    kafka_.refusals["beats"] = {.kind = kind, .code = "unknown_topic", .reason = "no such topic"};
    EXPECT_EQ(Offer(), kind);
    EXPECT_FALSE(side_.in_flight());
  }
}

TEST_F(SideRecordTest, AFailureThatLastsIsFollowedByPausesThatGrowToAnHour) {
  const int64_t first = PauseAfter(Outcome::kRecord);
  EXPECT_GE(first, 48);
  EXPECT_LE(first, 72);
  EXPECT_GT(PauseAfter(Outcome::kTopic), first);
  int64_t longest = 0;
  for (int failure = 0; failure < 8; ++failure) longest = std::max(longest, PauseAfter(Outcome::kBatch));
  EXPECT_GE(longest, 3000);
  EXPECT_LE(longest, 4320);
}

TEST_F(SideRecordTest, AnAcknowledgementMakesTheNextPauseShortAgain) {
  PauseAfter(Outcome::kRecord);
  PauseAfter(Outcome::kRecord);
  EXPECT_EQ(Offer(), Kind::kAccepted);
  Take(Outcome::kAcknowledged);
  EXPECT_LE(PauseAfter(Outcome::kRecord), 72);
}

TEST_F(SideRecordTest, WhatPassesIsFollowedByNoPause) {
  for (const Outcome outcome : {Outcome::kPassing, Outcome::kFatal, Outcome::kPurged})
    EXPECT_EQ(PauseAfter(outcome), 0);
}

}  // namespace
}  // namespace postrider::relay
