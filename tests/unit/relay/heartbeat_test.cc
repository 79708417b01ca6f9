#include "relay/heartbeat.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "fake_clock.h"
#include "fake_connector.h"
#include "fake_producer.h"
#include "relay_harness.h"

namespace postrider::relay {
namespace {

using config::ConverterKind;

constexpr int64_t kMs = 1'000;
constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// Heartbeats every ten seconds, over a publisher whose Kafka acknowledges nothing by itself.
class HeartbeatTest : public testing::Test {
 protected:
  HeartbeatTest() {
    config_.topic_prefix = "app";
    config_.heartbeat = {.interval_ms = 10'000, .action_query = "", .topic = "__debezium-heartbeat.app"};
    kafka_.Cork();
  }
  void Start() {
    publisher_.emplace(config_.relay, "outbox", &kafka_, &tracker_, &stats_, 1);
    ASSERT_TRUE(publisher_->Start().ok());
    heartbeat_.emplace(config_, &clock_, &connector_, &*publisher_);
    heartbeat_->Start(clock_.MonotonicMicros());
  }
  void Step(bool streaming = true) { heartbeat_->Step(clock_.MonotonicMicros(), streaming); }
  void StepAfter(int64_t us, bool streaming = true) {
    clock_.Advance(us);
    Step(streaming);
  }
  void Acknowledge() {
    kafka_.Report("", FakeKafka::Outcome::kAcknowledged);
    ASSERT_TRUE(publisher_->Poll(clock_.MonotonicMicros()).ok());
  }
  size_t sent() const { return kafka_.ids().size(); }
  const FakeKafka::Sent& last() const { return kafka_.outstanding().back(); }

  config::Config config_;
  FakeClock clock_;
  FakeConnector connector_;
  FakeKafka kafka_;
  Tracker tracker_;
  Stats stats_;
  std::optional<Publisher> publisher_;
  std::optional<Heartbeat> heartbeat_;
};

// ---- when -----------------------------------------------------------------------------------------------------------

TEST_F(HeartbeatTest, OffNothingIsEverDue) {
  config_.heartbeat.interval_ms = 0;
  config_.heartbeat.action_query = "SELECT 1";
  Start();
  StepAfter(3600 * kSecond);
  EXPECT_EQ(sent(), 0);
  EXPECT_EQ(connector_.actions, 0);
  EXPECT_EQ(heartbeat_->next_deadline_us(clock_.now_us()), kNever);
}

TEST_F(HeartbeatTest, OneAnIntervalMeasuredFromTheLast) {
  Start();
  Step();
  EXPECT_LE(heartbeat_->next_deadline_us(clock_.now_us()), clock_.now_us() + 10 * kSecond);
  StepAfter(9 * kSecond);
  EXPECT_EQ(sent(), 0);
  StepAfter(4 * kSecond);
  EXPECT_EQ(sent(), 1);
  Acknowledge();
  StepAfter(9 * kSecond);
  EXPECT_EQ(sent(), 1) << "three seconds late, the last one";
  StepAfter(kSecond);
  EXPECT_EQ(sent(), 2);
}

TEST_F(HeartbeatTest, SilentUnlessStreamingAndThenNoneIsMadeUpFor) {
  Start();
  StepAfter(100 * kSecond, false);
  EXPECT_EQ(sent(), 0);
  EXPECT_EQ(heartbeat_->next_deadline_us(clock_.now_us()), kNever) << "the loop would spin";
  StepAfter(kSecond);
  EXPECT_EQ(sent(), 1);
  Acknowledge();
  StepAfter(kSecond);
  EXPECT_EQ(sent(), 1);
}

TEST_F(HeartbeatTest, BehindASnapshotOneIsDueAtOnce) {
  Start();
  Step(false);
  heartbeat_->SnapshotEnded();
  Step(false);
  EXPECT_EQ(sent(), 0);
  Step();
  EXPECT_EQ(sent(), 1);
}

TEST_F(HeartbeatTest, OneThatHasToWaitGoesAsSoonAsItCanWithThatTime) {
  Start();
  StepAfter(10 * kSecond);
  StepAfter(10 * kSecond);
  StepAfter(5 * kSecond);
  EXPECT_EQ(sent(), 1) << "the first is still in flight";
  EXPECT_EQ(heartbeat_->next_deadline_us(clock_.now_us()), clock_.now_us() + 100 * kMs);
  Acknowledge();
  const int64_t before_ms = clock_.UnixMillis();
  Step();
  EXPECT_EQ(sent(), 2);
  EXPECT_GE(last().timestamp_ms, before_ms);
  Acknowledge();
  StepAfter(5 * kSecond);
  EXPECT_EQ(sent(), 3) << "its wait does not move the next one";
}

TEST_F(HeartbeatTest, WhatItsTopicDoesNotTakeIsLeftOutUntilTheNext) {
  kafka_.refusals["__debezium-heartbeat.app"] = {
      .kind = kafka::Acceptance::Kind::kHeld, .code = "unknown_topic", .reason = "no such topic"};
  Start();
  StepAfter(10 * kSecond);
  EXPECT_GT(heartbeat_->next_deadline_us(clock_.now_us()), clock_.now_us() + 9 * kSecond);
  EXPECT_FALSE(publisher_->hold()) << "no row is held for it";
  kafka_.refusals.clear();
  StepAfter(kSecond);
  EXPECT_EQ(sent(), 0);
  StepAfter(9 * kSecond);
  EXPECT_EQ(sent(), 1);
}

// ---- what -----------------------------------------------------------------------------------------------------------

struct Case {
  const char* name;
  config::Converter converter;
  std::string key;
  std::string value_start, value_end;  // the milliseconds go between
};

class HeartbeatBytesTest : public HeartbeatTest, public testing::WithParamInterface<Case> {};

// Recorded from Debezium 3.6.1.
INSTANTIATE_TEST_SUITE_P(
    Converters, HeartbeatBytesTest,
    testing::Values(
        Case{"String", {.kind = ConverterKind::kString}, "Struct{serverName=app}", "Struct{ts_ms=", "}"},
        Case{"Json",
             {.kind = ConverterKind::kJson, .schemas_enable = false},
             R"({"serverName":"app"})",
             R"({"ts_ms":)",
             "}"},
        Case{"JsonWithSchemas",
             {.kind = ConverterKind::kJson},
             R"({"schema":{"type":"struct","fields":[{"type":"string","optional":false,"field":"serverName"}],)"
             R"("optional":false,"name":"io.debezium.connector.common.ServerNameKey","version":1},)"
             R"("payload":{"serverName":"app"}})",
             R"({"schema":{"type":"struct","fields":[{"type":"int64","optional":false,"field":"ts_ms"}],)"
             R"("optional":false,"name":"io.debezium.connector.common.Heartbeat","version":1},"payload":{"ts_ms":)",
             "}}"},
        Case{"BinaryDataWithADelegate",
             {.kind = ConverterKind::kBinaryData, .delegate = ConverterKind::kJson, .delegate_schemas_enable = false},
             R"({"serverName":"app"})",
             R"({"ts_ms":)",
             "}"}),
    [](const auto& one) { return one.param.name; });

TEST_P(HeartbeatBytesTest, TheRecordIsDebeziums) {
  config_.converters.key = config_.converters.value = GetParam().converter;
  Start();
  StepAfter(10 * kSecond);
  ASSERT_EQ(sent(), 1);
  EXPECT_EQ(last().topic, "__debezium-heartbeat.app");
  EXPECT_EQ(last().partition, 0);
  EXPECT_EQ(last().headers.size(), 0u);
  EXPECT_EQ(last().key, GetParam().key);
  EXPECT_EQ(last().value, GetParam().value_start + std::to_string(last().timestamp_ms) + GetParam().value_end);
}

TEST_F(HeartbeatTest, AConverterThatTakesNoStructLeavesTheRecordsOutAndNotTheQuery) {
  config_.heartbeat.action_query = "SELECT 1";
  config_.converters.value.kind = ConverterKind::kByteArray;
  Start();
  StepAfter(10 * kSecond);
  EXPECT_EQ(sent(), 0);
  EXPECT_EQ(connector_.actions, 1);
}

TEST_F(HeartbeatTest, TransformsBesideTheRouterActOnIt) {
  using Kind = config::Transform::Kind;
  config_.router.before = {{.kind = Kind::kRegexRouter, .alias = "x", .regex = ".*", .replacement = "beats"}};
  config_.router.behind = {{.kind = Kind::kInsertHeader, .alias = "y", .header = "a", .literal = "b"}};
  Start();
  StepAfter(10 * kSecond);
  ASSERT_EQ(sent(), 1);
  EXPECT_EQ(last().topic, "beats");
  EXPECT_EQ(last().headers.size(), 1u);
}

TEST_F(HeartbeatTest, AFilterDropsItUntilTheNext) {
  config_.router.behind = {{.kind = config::Transform::Kind::kFilter,
                            .alias = "x",
                            .predicate = config::Predicate{.pattern = "__debezium.*"}}};
  Start();
  StepAfter(10 * kSecond);
  EXPECT_EQ(sent(), 0);
  const int64_t now_us = clock_.MonotonicMicros();
  EXPECT_GT(heartbeat_->next_deadline_us(now_us), now_us + 9 * kSecond);
}

TEST_F(HeartbeatTest, ATransformThatMakesNoTopicLeavesTheRecordsOut) {
  config_.router.behind = {
      {.kind = config::Transform::Kind::kRegexRouter, .alias = "x", .regex = ".*", .replacement = "a b"}};
  Start();
  StepAfter(10 * kSecond);
  StepAfter(10 * kSecond);
  EXPECT_EQ(sent(), 0);
}

// ---- the query ------------------------------------------------------------------------------------------------------

TEST_F(HeartbeatTest, WithoutAQueryNoneIsRun) {
  Start();
  StepAfter(10 * kSecond);
  EXPECT_EQ(sent(), 1);
  EXPECT_EQ(connector_.actions, 0);
}

TEST_F(HeartbeatTest, TheQueryRunsAtEachIntervalOneAtATimeWhateverTheRecordDoes) {
  config_.heartbeat.action_query = "SELECT 1";
  Start();
  StepAfter(10 * kSecond);
  EXPECT_EQ(connector_.actions, 1);
  StepAfter(10 * kSecond);
  EXPECT_EQ(connector_.actions, 1) << "it still runs";
  connector_.AnswerAction(absl::OkStatus());
  Step();
  EXPECT_EQ(connector_.actions, 1) << "it waits for the next interval";
  StepAfter(10 * kSecond);
  EXPECT_EQ(connector_.actions, 2) << "the first record was never acknowledged";
}

TEST_F(HeartbeatTest, AQueryThatFailsRunsAgain) {
  config_.heartbeat.action_query = "SELECT 1";
  Start();
  StepAfter(10 * kSecond);
  connector_.AnswerAction(absl::InternalError("no such table"));
  StepAfter(10 * kSecond);
  EXPECT_EQ(connector_.actions, 2);
}

// ---- in the loop
// -----------------------------------------------------------------------------------------------------

class RelayHeartbeatTest : public RelayHarness {
 protected:
  RelayHeartbeatTest() {
    config_.topic_prefix = "app";
    config_.heartbeat = {.interval_ms = 1'000, .action_query = "SELECT 1", .topic = "beats"};
  }
  size_t beats() const { return static_cast<size_t>(std::count(kafka_.ids().begin(), kafka_.ids().end(), "")); }
};

TEST_F(RelayHeartbeatTest, BeatsWhileIdleWithoutSpinningAndBetweenRows) {
  FakeStream& stream = Start();
  RunFor(5'200 * kMs);
  EXPECT_EQ(beats(), 5);
  EXPECT_EQ(connector_.actions, 1) << "the first was never answered";
  EXPECT_LT(WakesIn(5 * kSecond), 100);
  SendTransaction(stream, 200, {Row("a")});
  RunFor(5 * kSecond);
  EXPECT_EQ(stream.last_status().flush, Lsn(250));
  EXPECT_GE(beats(), 14);
}

TEST_F(RelayHeartbeatTest, NoAcknowledgementOfABeatIsNeededToConfirmAndToStop) {
  FakeStream& stream = Start();
  kafka_.Cork();
  RunFor(2 * kSecond);
  SendTransaction(stream, 200, {Row("a")});
  RunFor(100 * kMs);
  kafka_.Report("a", FakeKafka::Outcome::kAcknowledged);
  RunFor(kSecond);
  EXPECT_EQ(stream.last_status().flush, Lsn(250));
  EXPECT_EQ(beats(), 1);
  relay_->RequestStop();
  Step();
  stream.SendKeepalive(Lsn(250), false);
  Step();
  ASSERT_TRUE(relay_->finished());
  EXPECT_EQ(relay_->exit_code(), 0);
}

TEST_F(RelayHeartbeatTest, ABeatThatItsTopicRefusesRepeatsWhatWasInFlightOnceAndHoldsNothing) {
  FakeStream& stream = Start();
  kafka_.Cork();
  RunFor(1'100 * kMs);
  SendTransaction(stream, 200, {Row("a")});
  RunFor(100 * kMs);
  kafka_.Report("", FakeKafka::Outcome::kTopic);
  FakeStream& again = Reconnect(Usual(100, true));
  kafka_.Uncork();
  SendTransaction(again, 200, {Row("a")});
  RunFor(20 * kSecond);
  EXPECT_EQ(again.last_status().flush, Lsn(250));
  EXPECT_EQ(kafka_.made().size(), 2);
  EXPECT_EQ(beats(), 1) << "none for a while";
  EXPECT_EQ(state(), State::kStreaming);
}

TEST_F(RelayHeartbeatTest, SilentWhileARowIsHeldAndWhileNothingIsAcknowledged) {
  FakeStream& stream = Start();
  kafka_.refusals["a"] = {.kind = kafka::Acceptance::Kind::kHeld, .code = "record_too_large", .reason = "too large"};
  SendTransaction(stream, 200, {Row("a")});
  RunFor(5 * kSecond);
  EXPECT_EQ(state(), State::kHeld);
  EXPECT_EQ(beats(), 0);
  EXPECT_EQ(connector_.actions, 0);
  kafka_.refusals.clear();
  kafka_.Cork();
  RunFor(10 * kSecond);
  const size_t before = beats();
  connector_.AnswerAction(absl::OkStatus());
  RunFor(20 * kSecond);
  EXPECT_EQ(state(), State::kStalled);
  EXPECT_LE(beats(), before + 1);
  EXPECT_LT(WakesIn(5 * kSecond), 100);
}

TEST_F(RelayHeartbeatTest, ASnapshotIsSilentAndOneBeatFollowsItAtOnce) {
  config_.heartbeat.interval_ms = 10'000;
  FakeConnector::Answer answer = Usual(0);
  answer.snapshot = true;
  FakeStream& snapshot = Start(answer);
  RunFor(15 * kSecond);
  snapshot.EndSnapshot();
  RunFor(50 * kMs);
  connector_.AnswerFinish(absl::OkStatus());
  RunFor(50 * kMs);
  EXPECT_EQ(beats(), 0);
  connector_.Accept(Usual(100));
  RunFor(50 * kMs);
  EXPECT_EQ(beats(), 1);
  EXPECT_EQ(connector_.actions, 1);
}

}  // namespace
}  // namespace postrider::relay
