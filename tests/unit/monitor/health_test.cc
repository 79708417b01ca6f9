#include "monitor/health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace postrider::monitor {
namespace {

using relay::State;
using testing::HasSubstr;

constexpr int64_t kSecond = 1'000'000;

View Seen(const char* wal_status) {
  View view;
  postgres::SlotReport report;
  report.slot = postgres::SlotReading{.name = "orders", .active = true, .wal_status = wal_status};
  view.report = std::make_shared<const postgres::SlotReport>(report);
  return view;
}

class HealthTest : public testing::Test {
 protected:
  HealthTest() {
    stats_.kafka_reached = true;
    stats_.timeline = 1;
  }
  relay::Stats stats_;
};

TEST_F(HealthTest, OnlyALoopThatStandsStillIsDead) {
  stats_.stepped_us = 100 * kSecond;
  for (const State state :
       {State::kStarting, State::kWaiting, State::kHeld, State::kStalled, State::kPaused, State::kFailed}) {
    stats_.state = state;
    stats_.kafka_reached = false;
    EXPECT_TRUE(Liveness(&stats_, 101 * kSecond).good) << relay::StateName(state);
  }
  EXPECT_FALSE(Liveness(&stats_, 116 * kSecond).good);
  EXPECT_TRUE(Liveness(nullptr, 0).good) << "a monitor has no loop";
}

TEST_F(HealthTest, ALeaderIsReadyWhileItStreamsAndABrokerIsThere) {
  stats_.state = State::kStreaming;
  EXPECT_TRUE(Readiness(&stats_, Seen("reserved")).good);
  EXPECT_EQ(Readiness(&stats_, Seen("reserved")).role, Role::kLeader);
  EXPECT_TRUE(Readiness(&stats_, View{}).good) << "the watcher's blindness is not the relay's fault";
  stats_.kafka_reached = false;
  EXPECT_THAT(Readiness(&stats_, Seen("reserved")).reason, HasSubstr("broker"));
  EXPECT_FALSE(Readiness(&stats_, Seen("reserved")).good);
}

TEST_F(HealthTest, ALeaderWithAnEventThatWaitsIsNotReadyWithoutProgress) {
  stats_.state = State::kStreaming;
  View view = Seen("reserved");
  view.without_progress_us = 9 * kSecond;
  EXPECT_TRUE(Readiness(&stats_, view).good);
  view.without_progress_us = 11 * kSecond;
  EXPECT_FALSE(Readiness(&stats_, view).good);
}

TEST_F(HealthTest, ALeaderWhoseStatusIsNotTakenOverIsNotReady) {
  stats_.state = State::kStreaming;
  View view = Seen("reserved");
  view.status_accepted = false;
  EXPECT_FALSE(Readiness(&stats_, view).good);
}

TEST_F(HealthTest, WorkThatMakesNoProgressIsNotReadyAndSaysWhy) {
  stats_.reason.Set("the topic does not exist");
  for (const State state : {State::kHeld, State::kStalled, State::kPaused}) {
    stats_.state = state;
    EXPECT_FALSE(Readiness(&stats_, Seen("reserved")).good);
    EXPECT_EQ(Readiness(&stats_, Seen("reserved")).reason, "the topic does not exist");
    EXPECT_TRUE(Leadership(&stats_).good) << "it holds the slot all the same";
  }
}

TEST_F(HealthTest, WithoutAStreamItHoldsNoSlot) {
  stats_.state = State::kHeld;
  stats_.timeline = 0;
  EXPECT_FALSE(Leadership(&stats_).good);
  EXPECT_FALSE(Readiness(&stats_, Seen("reserved")).good);
}

TEST_F(HealthTest, AStandbyIsReadyWhileItCouldTakeTheSlot) {
  stats_.state = State::kStandby;
  EXPECT_TRUE(Readiness(&stats_, Seen("extended")).good);
  EXPECT_FALSE(Leadership(&stats_).good);
  EXPECT_FALSE(Readiness(&stats_, Seen("lost")).good);
  EXPECT_FALSE(Readiness(&stats_, View{}).good) << "the slot is not seen";
  View missing = Seen("reserved");
  missing.report = std::make_shared<const postgres::SlotReport>();
  EXPECT_FALSE(Readiness(&stats_, missing).good);
}

TEST_F(HealthTest, OnTheWayItIsNeither) {
  for (const State state : {State::kStarting, State::kConnecting, State::kWaiting, State::kDraining, State::kFailed}) {
    stats_.state = state;
    EXPECT_FALSE(Readiness(&stats_, Seen("reserved")).good) << relay::StateName(state);
    EXPECT_FALSE(Leadership(&stats_).good);
  }
}

TEST_F(HealthTest, AMonitorIsReadyWhileItReadsTheServer) {
  EXPECT_TRUE(Readiness(nullptr, Seen("lost")).good);
  View away;
  away.failure = "the server is away";
  EXPECT_EQ(Readiness(nullptr, away).reason, "the server is away");
  EXPECT_FALSE(Readiness(nullptr, away).good);
  EXPECT_FALSE(Leadership(nullptr).good);
}

TEST_F(HealthTest, TheLineHasRoleStateAndReason) {
  stats_.state = State::kHeld;
  stats_.reason.Set("no such topic");
  EXPECT_EQ(HealthLine(Readiness(&stats_, View{}), "ready"), "not ready role=leader state=held: no such topic");
  stats_.state = State::kStreaming;
  EXPECT_EQ(HealthLine(Readiness(&stats_, View{}), "ready"), "ready role=leader state=streaming: no such topic");
}

}  // namespace
}  // namespace postrider::monitor
