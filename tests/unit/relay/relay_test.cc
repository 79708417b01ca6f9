#include "relay/relay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "fake_evidence.h"
#include "relay_harness.h"
#include "standby_fault.h"

namespace postrider::relay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Outcome = FakeKafka::Outcome;

class RelayTest : public RelayHarness {};

// ---- starting and streaming -----------------------------------------------------------------------------------------

TEST_F(RelayTest, StreamsAndConfirmsWhatIsAcknowledged) {
  FakeStream& stream = Start();
  EXPECT_EQ(state(), State::kStreaming);
  EXPECT_TRUE(connector_.requests[0].first);
  SendTransaction(stream, 200, {Row("a"), Row("b")});
  RunFor(kSecond);
  EXPECT_THAT(kafka_.ids(), ElementsAre("a", "b"));
  EXPECT_EQ(stream.last_status().write, Lsn(250));
  EXPECT_EQ(stream.last_status().flush, Lsn(250));
}

TEST_F(RelayTest, ConfirmsNothingThatIsNotAcknowledged) {
  FakeStream& stream = Start();
  stream.SendKeepalive(Lsn(150));
  RunFor(kSecond);
  kafka_.Cork();
  SendTransaction(stream, 200, {Row("a")});
  stream.SendKeepalive(Lsn(500));
  RunFor(60 * kSecond);
  EXPECT_EQ(state(), State::kStalled);
  EXPECT_EQ(stream.last_status().write, Lsn(500));
  EXPECT_EQ(stream.last_status().flush, Lsn(150));
  kafka_.Uncork();
  RunFor(kSecond);
  EXPECT_EQ(state(), State::kStreaming);
  EXPECT_EQ(stream.last_status().flush, Lsn(500));
}

TEST_F(RelayTest, AFaultThatIsFoundWhileTheStreamRunsEndsTheRelayWithItsCode) {
  Start();
  connector_.fault = MakeFault(Fault::kPublication, "the publication publishes no inserts");
  RunFor(10 * kSecond);
  EXPECT_TRUE(relay_->finished());
  EXPECT_EQ(relay_->exit_code(), 5);
}

TEST_F(RelayTest, AConnectionThatEndsWhileNothingIsReadIsMadeAnew) {
  config_.relay.inflight_bytes_max = 1'000;
  FakeStream& stream = Start();
  kafka_.Cork();
  SendTransaction(stream, 200, {Row("a"), Row("b")});
  RunFor(kSecond);
  ASSERT_FALSE(relay_->reads());
  relay_->HungUp();
  Step();
  kafka_.Uncork();
  Reconnect(Usual(100, true));
  EXPECT_EQ(state(), State::kStreaming);
}

TEST_F(RelayTest, NothingIsConfirmedThatTheEvidenceDoesNotSay) {
  FakeEvidence evidence;
  evidence_ = &evidence;
  FakeStream& stream = Start();
  evidence.corked = true;
  SendTransaction(stream, 200, {Row("a")});
  RunFor(20 * kSecond);
  EXPECT_LE(stream.last_status().flush, Lsn(100));
  EXPECT_EQ(stream.last_status().write, Lsn(250));
  EXPECT_EQ(evidence.records.back().lsn, Lsn(250));
  evidence.Uncork();
  RunFor(kSecond);
  EXPECT_EQ(stream.last_status().flush, Lsn(250));
}

TEST_F(RelayTest, AStopWaitsForTheEvidence) {
  FakeEvidence evidence;
  evidence_ = &evidence;
  FakeStream& stream = Start();
  evidence.corked = true;
  SendTransaction(stream, 200, {Row("a")});
  RunFor(50 * kMs);
  relay_->RequestStop();
  RunFor(kSecond);
  EXPECT_FALSE(relay_->finished());
  EXPECT_LE(stream.last_status().flush, Lsn(100));
  evidence.Uncork();
  Step();
  EXPECT_EQ(stream.last_status().flush, Lsn(250));
}

TEST_F(RelayTest, AQuietOutboxFollowsTheServersPosition) {
  FakeStream& stream = Start();
  RunFor(1'100 * kMs);
  ASSERT_TRUE(stream.last_status().reply_requested) << "it asks when it hears nothing";
  stream.SendKeepalive(Lsn(9'000));
  RunFor(300 * kMs);
  EXPECT_EQ(stream.last_status().flush, Lsn(9'000));
}

TEST_F(RelayTest, StatusesGoOnWhileTheBudgetIsFullAndTheLoopSleeps) {
  config_.relay.inflight_bytes_max = 1'000;
  FakeConnector::Answer answer = Usual(100);
  answer.wal_sender_timeout_ms = 6'000;
  FakeStream& stream = Start(answer);
  kafka_.Cork();
  SendTransaction(stream, 200, {Row("a"), Row("b")});
  RunFor(kSecond);
  const size_t before = stream.statuses().size();
  EXPECT_LE(WakesIn(60 * kSecond), 700);
  EXPECT_FALSE(relay_->reads());
  EXPECT_GE(stream.statuses().size(), before + 29);
  EXPECT_THAT(kafka_.ids(), ElementsAre("a"));
}

TEST_F(RelayTest, ATableThatContradictsTheConfigurationEndsTheStart) {
  router_.set_relation_fault = MakeFault(Fault::kConfiguration, "there is no column payload");
  Start();
  EXPECT_TRUE(relay_->finished());
  EXPECT_EQ(relay_->exit_code(), 2);
}

TEST_F(RelayTest, EachLastingFaultOfTheConnectionHasItsExitCode) {
  for (const Fault fault : {Fault::kConfiguration, Fault::kDatabaseRefuses, Fault::kSlot, Fault::kPublication,
                            Fault::kContinuity, Fault::kSlotHeld}) {
    Make();
    connector_.Refuse(MakeFault(fault, "no"));
    Step();
    ASSERT_TRUE(relay_->finished());
    EXPECT_EQ(relay_->exit_code(), ExitCodeOf(fault));
    EXPECT_EQ(state(), State::kFailed);
  }
}

TEST_F(RelayTest, APassingFaultOfTheConnectionIsTriedForEver) {
  Make();
  for (int attempt = 1; attempt <= 20; ++attempt) {
    ASSERT_EQ(connector_.requests.size(), static_cast<size_t>(attempt));
    connector_.Refuse(MakeFault(Fault::kPassing, "the server is starting"));
    Step();
    RunFor(13 * kSecond);
  }
  EXPECT_EQ(state(), State::kWaiting);
  EXPECT_TRUE(connector_.requests.back().first) << "no stream yet: a missing slot is still made";
}

TEST_F(RelayTest, StandsByWhileAnotherRelayHasTheSlotAndLooksFiveTimesASecond) {
  Make();
  connector_.Refuse(postgres::StandbyFault("another relay has the slot"));
  Step();
  EXPECT_EQ(state(), State::kStandby);
  RunFor(190 * kMs);
  EXPECT_EQ(connector_.requests.size(), 1u);
  RunFor(20 * kMs);
  EXPECT_EQ(connector_.requests.size(), 2u);
  connector_.Accept(Usual(100));
  Step();
  EXPECT_EQ(state(), State::kStreaming);
}

TEST_F(RelayTest, AfterAFreezeLongerThanTheServersTimeoutWhatIsInFlightIsGivenUpAtOnce) {
  FakeStream& stream = Start();
  kafka_.Cork();
  SendTransaction(stream, 200, {Row("a")});
  Step();
  SendTransaction(stream, 300, {Row("b")});
  clock_.Advance(61 * kSecond);
  Step();
  EXPECT_FALSE(stream.open());
  Step();
  EXPECT_EQ(connector_.requests.size(), 2u) << "nothing is waited for";
  EXPECT_THAT(kafka_.ids(), ElementsAre("a")) << "nothing more of the old stream is read";
  kafka_.Uncork();
  FakeStream& next = connector_.Accept(Usual(100, true));
  Step();
  SendTransaction(next, 200, {Row("a")});
  RunFor(kSecond);
  EXPECT_EQ(next.last_status().flush, Lsn(250));
}

TEST_F(RelayTest, ABrokerThatRefusesAtTheFirstContactEndsTheStart) {
  Make();
  kafka_.Tell(FakeKafka::EventKind::kRefused);
  Step();
  EXPECT_TRUE(relay_->finished());
  EXPECT_EQ(relay_->exit_code(), 7);
}

TEST_F(RelayTest, AMessageThatBreaksTheProtocolEndsTheRelay) {
  FakeStream& stream = Start();
  stream.Send("?");
  RunFor(2 * kSecond);
  EXPECT_TRUE(relay_->finished());
  EXPECT_EQ(relay_->exit_code(), 1);
}

// ---- snapshot -------------------------------------------------------------------------------------------------------

class SnapshotTest : public RelayHarness {
 protected:
  FakeStream& StartSnapshot(int rows) {
    FakeConnector::Answer answer = Usual(0);
    answer.snapshot = true;
    FakeStream& snapshot = Start(answer);
    snapshot.Send(BeginBytes(Lsn(90)));
    snapshot.Send(RelationBytes());
    for (int row = 0; row < rows; ++row) snapshot.Send(InsertBytes(Row("s" + std::to_string(row))));
    snapshot.Send(CommitBytes(Lsn(90), Lsn(90)));
    snapshot.EndSnapshot();
    return snapshot;
  }
};

TEST_F(SnapshotTest, IsFinishedWhenItsLastRowIsAcknowledgedAndThenStreams) {
  kafka_.Cork();
  FakeStream& snapshot = StartSnapshot(2);
  RunFor(5 * kSecond);
  EXPECT_EQ(state(), State::kSnapshot);
  EXPECT_EQ(connector_.finishes, 0);
  EXPECT_THAT(snapshot.statuses(), IsEmpty());
  kafka_.Uncork();
  RunFor(kSecond);
  EXPECT_EQ(connector_.finishes, 1);
  EXPECT_EQ(connector_.requests.size(), 1u);

  connector_.AnswerFinish(absl::OkStatus());
  FakeStream& stream = Reconnect(Usual(95));
  EXPECT_FALSE(connector_.requests[1].first);
  EXPECT_EQ(connector_.requests[1].resume_lsn, Lsn()) << "where the slot stands";
  SendTransaction(stream, 200, {Row("a")});
  RunFor(kSecond);
  EXPECT_THAT(kafka_.ids(), ElementsAre("s0", "s1", "a"));
  EXPECT_EQ(stream.last_status().flush, Lsn(250));
}

TEST_F(SnapshotTest, ThatIsLostIsRepeatedWhole) {
  FakeConnector::Answer answer = Usual(0);
  answer.snapshot = true;
  FakeStream& snapshot = Start(answer);
  OpenTransaction(snapshot, 90, {Row("s0")});
  snapshot.Break(MakeFault(Fault::kPassing, "the connection broke"));
  FakeStream& again = Reconnect(answer);
  EXPECT_TRUE(connector_.requests[1].first) << "the slot is not made yet";
  SendTransaction(again, 95, {Row("s0"), Row("s1")});
  again.EndSnapshot();
  RunFor(kSecond);
  EXPECT_THAT(kafka_.ids(), ElementsAre("s0", "s0", "s1"));
  EXPECT_EQ(connector_.finishes, 1);
}

TEST_F(SnapshotTest, ThatIsAllThereIsEndsTheRelay) {
  config_.snapshot.mode = config::SnapshotMode::kInitialOnly;
  StartSnapshot(1);
  RunFor(kSecond);
  connector_.AnswerFinish(absl::OkStatus());
  RunFor(kSecond);
  EXPECT_TRUE(relay_->finished());
  EXPECT_EQ(relay_->exit_code(), 0);
}

TEST_F(SnapshotTest, ThatIsStoppedIsNotConfirmed) {
  StartSnapshot(1);
  relay_->RequestStop();
  RunFor(kSecond);
  EXPECT_TRUE(relay_->finished());
  EXPECT_EQ(relay_->exit_code(), 8) << "the slot that would remember it does not exist";
}

TEST_F(SnapshotTest, WhoseEndHangsDoesNotHoldUpAStop) {
  StartSnapshot(1);
  RunFor(kSecond);
  ASSERT_EQ(connector_.finishes, 1);
  relay_->RequestStop();
  EXPECT_LE(WakesIn(20 * kSecond), 100);
  EXPECT_TRUE(relay_->finished());
  EXPECT_EQ(relay_->exit_code(), 8);
}

// ---- streams that break ---------------------------------------------------------------------------------------------

TEST_F(RelayTest, ALostStreamIsResumedWithoutRepeats) {
  FakeStream& stream = Start();
  SendTransaction(stream, 200, {Row("a")});
  RunFor(kSecond);
  kafka_.Cork();
  SendTransaction(stream, 300, {Row("b"), Row("c")});
  SendTransaction(stream, 400, {Row("d")});
  Step();
  kafka_.Report("c", Outcome::kAcknowledged);
  kafka_.Report("d", Outcome::kAcknowledged);
  stream.Break(MakeFault(Fault::kPassing, "the connection broke"));
  Step();
  EXPECT_FALSE(stream.open());
  RunFor(kSecond);
  EXPECT_EQ(connector_.requests.size(), 1u) << "b is waited for, not given up";
  kafka_.Report("b", Outcome::kAcknowledged);
  FakeStream& next = Reconnect(Usual(450, true));
  EXPECT_EQ(connector_.requests[1].resume_lsn, Lsn(450));
  EXPECT_FALSE(connector_.requests[1].first);
  EXPECT_EQ(connector_.requests[1].expected->system_identifier, "7");
  kafka_.Uncork();
  SendTransaction(next, 500, {Row("e")});
  RunFor(kSecond);
  EXPECT_THAT(kafka_.ids(), ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_EQ(next.last_status().flush, Lsn(550));
}

TEST_F(RelayTest, WhatIsNotAcknowledgedInTimeIsGivenUpAndRepeated) {
  FakeStream& stream = Start();
  kafka_.Cork();
  SendTransaction(stream, 200, {Row("a"), Row("b")});
  Step();
  kafka_.Report("b", Outcome::kAcknowledged);
  stream.Break(MakeFault(Fault::kPassing, "the connection broke"));
  Step();
  FakeStream& next = Reconnect(Usual(100, true));
  kafka_.Uncork();
  SendTransaction(next, 200, {Row("a"), Row("b")});
  RunFor(kSecond);
  EXPECT_THAT(kafka_.ids(), ElementsAre("a", "b", "a")) << "b was acknowledged";
  EXPECT_EQ(next.last_status().flush, Lsn(250));
}

TEST_F(RelayTest, TheLoopSleepsWhileItWaitsForReportsThatDoNotCome) {
  FakeStream& stream = Start();
  kafka_.Cork();
  kafka_.reports_stuck = true;
  SendTransaction(stream, 200, {Row("a")});
  Step();
  stream.Break(MakeFault(Fault::kPassing, "the connection broke"));
  EXPECT_LE(WakesIn(14 * kSecond), 400);
}

TEST_F(RelayTest, ARowThatWasReadOnlyInPartIsReadAgain) {
  FakeStream& stream = Start();
  kafka_.refusals["b"] = {.kind = kafka::Acceptance::Kind::kWait};
  OpenTransaction(stream, 200, {Row("a"), Row("b")});
  RunFor(kSecond);
  stream.BreakWriting(MakeFault(Fault::kPassing, "the connection broke"));
  FakeStream& next = Reconnect(Usual(100, true));
  kafka_.refusals.clear();
  SendTransaction(next, 200, {Row("a"), Row("b")});
  RunFor(kSecond);
  EXPECT_THAT(kafka_.ids(), ElementsAre("a", "b"));
}

TEST_F(RelayTest, AnotherServerIsToldNothingAndSkippedNothing) {
  for (const bool promoted : {true, false}) {
    FakeStream& stream = Start();
    kafka_.Cork();
    SendTransaction(stream, 200, {Row("a"), Row("b")});
    Step();
    kafka_.Report("b", Outcome::kAcknowledged);
    stream.Break(MakeFault(Fault::kPassing, "the connection broke"));
    FakeConnector::Answer other = Usual(100, !promoted);
    if (promoted) {
      other.identity.timeline = 2;
    } else {
      other.identity.started_at_us = 2;
    }
    FakeStream& next = Reconnect(other);
    kafka_.Uncork();
    SendTransaction(next, 200, {Row("x"), Row("y")});
    RunFor(kSecond);
    EXPECT_THAT(kafka_.ids(), testing::IsSupersetOf({"x", "y"})) << "y stands where b stood";
  }
}

TEST_F(RelayTest, PositionsOfAnotherTimelineAreForgotten) {
  FakeStream& stream = Start();
  stream.SendKeepalive(Lsn(9'000));
  RunFor(kSecond);
  stream.Break(MakeFault(Fault::kPassing, "the connection broke"));
  FakeConnector::Answer promoted = Usual(500);
  promoted.identity.timeline = 2;
  FakeStream& next = Reconnect(promoted);
  RunFor(11 * kSecond);
  EXPECT_EQ(next.last_status().flush, Lsn()) << "zero until a position of this timeline is known";
  EXPECT_EQ(next.last_status().write, Lsn(500));
  next.SendKeepalive(Lsn(600));
  RunFor(kSecond);
  EXPECT_EQ(next.last_status().flush, Lsn(600));
}

TEST_F(RelayTest, WhatAPromotedStandbyNeverGotIsCounted) {
  FakeStream& stream = Start();
  SendTransaction(stream, 200, {Row("a")});
  SendTransaction(stream, 300, {Row("b"), Row("c")});
  SendTransaction(stream, 400, {Row("d")});
  RunFor(kSecond);
  stream.Break(MakeFault(Fault::kPassing, "the server is gone"));
  FakeConnector::Answer promoted = Usual(100);
  promoted.identity.timeline = 2;
  promoted.fork = postgres::TimelineFork{.timeline = 1, .lsn = Lsn(300)};
  FakeStream& next = Reconnect(promoted);
  EXPECT_EQ(stats_.transactions_vanished, 2u);
  EXPECT_EQ(stats_.events_vanished, 3u);
  SendTransaction(next, 300, {Row("x")});
  RunFor(kSecond);
  EXPECT_THAT(kafka_.ids(), ElementsAre("a", "b", "c", "d", "x"));
}

TEST_F(RelayTest, AStandbyThatHadEverythingLosesNothing) {
  FakeStream& stream = Start();
  SendTransaction(stream, 200, {Row("a")});
  stream.SendKeepalive(Lsn(600));
  RunFor(kSecond);
  stream.Break(MakeFault(Fault::kPassing, "the server is gone"));
  FakeConnector::Answer promoted = Usual(100);
  promoted.identity.timeline = 2;
  promoted.fork = postgres::TimelineFork{.timeline = 1, .lsn = Lsn(250)};
  Reconnect(promoted);
  EXPECT_EQ(stats_.transactions_vanished, 0u);
}

TEST_F(RelayTest, ALastingFaultOfTheStreamEndsTheRelayButConfirmsWhatCameBefore) {
  FakeStream& stream = Start();
  SendTransaction(stream, 200, {Row("a")});
  stream.Break(MakeFault(Fault::kSlot, "the slot was invalidated"));
  Step();
  EXPECT_EQ(state(), State::kFailed);
  RunFor(3 * kSecond);
  EXPECT_EQ(stream.last_status().flush, Lsn(250));
  EXPECT_TRUE(relay_->finished());
  EXPECT_EQ(relay_->exit_code(), 4);
}

TEST_F(RelayTest, ALookupOfALostConnectionIsNotTakenForTheNextOne) {
  FakeConnector::Answer answer = Usual(100);
  answer.tables.clear();
  FakeStream& stream = Start(answer);
  SendTransaction(stream, 200, {Row("a")});
  RunFor(kSecond);
  ASSERT_THAT(connector_.lookups, ElementsAre(kOutboxOid));
  stream.BreakWriting(MakeFault(Fault::kPassing, "the connection broke"));
  answer.resumed = true;
  FakeStream& next = Reconnect(answer);
  connector_.AnswerLookup(OutboxTable(kOutboxOid, "outbox", "old"));
  SendTransaction(next, 200, {Row("a")});
  RunFor(kSecond);
  EXPECT_THAT(kafka_.ids(), IsEmpty());
  connector_.AnswerLookup(OutboxTable());
  RunFor(kSecond);
  EXPECT_THAT(kafka_.ids(), ElementsAre("a"));
}

// ---- delivery errors ------------------------------------------------------------------------------------------------

TEST_F(RelayTest, ADeliveryErrorRepeatsTheStreamFromTheConfirmedPosition) {
  FakeStream& stream = Start();
  SendTransaction(stream, 200, {Row("a")});
  RunFor(kSecond);
  kafka_.Cork();
  SendTransaction(stream, 300, {Row("b")});
  SendTransaction(stream, 400, {Row("c")});
  Step();
  kafka_.Report("c", Outcome::kAcknowledged);
  kafka_.Report("b", Outcome::kPassing);
  FakeStream& next = Reconnect(Usual(250, true));
  EXPECT_EQ(connector_.requests[1].resume_lsn, Lsn(250));
  kafka_.Uncork();
  SendTransaction(next, 300, {Row("b")});
  SendTransaction(next, 400, {Row("c")});
  RunFor(kSecond);
  EXPECT_THAT(kafka_.ids(), ElementsAre("a", "b", "c", "b"));
  EXPECT_EQ(next.last_status().flush, Lsn(450));
}

TEST_F(RelayTest, AHeldRowKeepsTheConnectionAndItsStatuses) {
  FakeStream& stream = Start();
  kafka_.refusals["b"] = {.kind = kafka::Acceptance::Kind::kHeld, .code = "record_too_large", .reason = "too large"};
  SendTransaction(stream, 200, {Row("a")});
  SendTransaction(stream, 300, {Row("b")});
  SendTransaction(stream, 400, {Row("c")});
  RunFor(kSecond);
  EXPECT_EQ(state(), State::kHeld);
  const size_t before = stream.statuses().size();
  EXPECT_LE(WakesIn(600 * kSecond), 7'000);
  EXPECT_GE(stream.statuses().size(), before + 59);
  EXPECT_EQ(stream.last_status().flush, Lsn(250));
  EXPECT_EQ(connector_.requests.size(), 1u);
  kafka_.refusals.clear();
  RunFor(6 * kSecond);
  EXPECT_THAT(kafka_.ids(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(state(), State::kStreaming);
}

TEST_F(RelayTest, ATopicThatRefusesIsWaitedForWithoutReadingAgain) {
  FakeStream& stream = Start();
  kafka_.Cork();
  SendTransaction(stream, 200, {Row("a")});
  Step();
  kafka_.topic_answer = {.kind = kafka::Acceptance::Kind::kHeld, .code = "unknown_topic", .reason = "no such topic"};
  kafka_.Report("a", Outcome::kTopic);
  RunFor(60 * kSecond);
  EXPECT_EQ(state(), State::kHeld);
  EXPECT_TRUE(stream.open());
  kafka_.topic_answer = {};
  FakeStream& next = Reconnect(Usual(100, true));
  kafka_.Uncork();
  SendTransaction(next, 200, {Row("a")});
  RunFor(kSecond);
  EXPECT_EQ(next.last_status().flush, Lsn(250));
}

// ---- a server that stops --------------------------------------------------------------------------------------------

TEST_F(RelayTest, AStoppingServerGetsItsPositionAtOnceWhenNothingIsInFlight) {
  FakeStream& stream = Start();
  stream.SendKeepalive(Lsn(700), true);
  Step();
  EXPECT_EQ(stream.last_status().flush, Lsn(700));
}

TEST_F(RelayTest, AStoppingServerIsLetGoWhenTheBrokerDoesNotAnswer) {
  FakeStream& stream = Start();
  kafka_.Cork();
  SendTransaction(stream, 200, {Row("a")});
  stream.SendKeepalive(Lsn(700), true);
  Step();
  const int64_t from_us = clock_.now_us();
  size_t answered = 0;
  while (stream.open() && clock_.now_us() < from_us + 60 * kSecond) {
    RunFor(10 * kMs);
    if (stream.statuses().size() > answered) stream.SendKeepalive(Lsn(700), true);  // it asks again after each answer
    answered = stream.statuses().size();
  }
  EXPECT_FALSE(stream.open());
  EXPECT_GE(clock_.now_us(), from_us + 10 * kSecond);
  EXPECT_LE(clock_.now_us(), from_us + 11 * kSecond);
  EXPECT_LE(stream.statuses().size(), 120u) << "answers without news keep their distance";
  EXPECT_EQ(stream.last_status().flush, Lsn());
}

TEST_F(RelayTest, AStoppingServerThatOnlyTheOtherConnectionSeesIsLetGoToo) {
  FakeStream& stream = Start();
  kafka_.Cork();
  SendTransaction(stream, 200, {Row("a")});
  Step();
  connector_.stopping = true;
  RunFor(9 * kSecond);
  EXPECT_TRUE(stream.open());
  RunFor(2 * kSecond);
  EXPECT_FALSE(stream.open());
}

TEST_F(RelayTest, AServerThatStopsTogetherWithUsIsNoTrap) {
  config_.relay.drain_timeout_ms = config_.relay.server_stop_drain_ms;
  FakeStream& stream = Start();
  kafka_.Cork();
  OpenTransaction(stream, 200, {Row("a")});
  Step();
  connector_.stopping = true;
  relay_->RequestStop();
  Step();
  RunFor(config_.relay.drain_timeout_ms * kMs - 500 * kMs);
  clock_.Advance(kSecond);
  Step();  // both bounds pass in one step
  RunFor(2 * kSecond);
  EXPECT_TRUE(relay_->finished());
  EXPECT_EQ(relay_->exit_code(), 8);
}

TEST_F(RelayTest, OurOwnStopKeepsAStoppingServerNoLonger) {
  FakeStream& stream = Start();
  kafka_.Cork();
  SendTransaction(stream, 200, {Row("a")});
  Step();
  connector_.stopping = true;
  RunFor(config_.relay.server_stop_drain_ms * kMs - 500 * kMs);
  relay_->RequestStop();
  RunFor(2 * kSecond);
  EXPECT_FALSE(stream.open());
  EXPECT_EQ(relay_->exit_code(), 8);
}

// ---- our own stop ---------------------------------------------------------------------------------------------------

class StopTest : public RelayHarness {
 protected:
  // The server reads the last word and answers.
  void AnswerTheLastWord(FakeStream& stream, uint64_t end_lsn) {
    for (int step = 0; step < 100 && !stream.last_status().reply_requested; ++step) RunFor(10 * kMs);
    EXPECT_FALSE(relay_->finished()) << "the answer proves that the last status was read";
    EXPECT_TRUE(relay_->reads()) << "the loop must wake for it";
    stream.SendKeepalive(Lsn(end_lsn));
    RunFor(10 * kMs);
  }
};

TEST_F(StopTest, WaitsForAcknowledgementsConfirmsAndLeaves) {
  FakeStream& stream = Start();
  kafka_.Cork();
  SendTransaction(stream, 200, {Row("a")});
  Step();
  SendTransaction(stream, 300, {Row("b")});
  relay_->RequestStop();
  RunFor(500 * kMs);
  EXPECT_EQ(state(), State::kDraining);
  EXPECT_THAT(kafka_.ids(), ElementsAre("a")) << "nothing new is begun";
  kafka_.Uncork();
  RunFor(20 * kMs);
  AnswerTheLastWord(stream, 350);
  EXPECT_TRUE(relay_->finished());
  EXPECT_EQ(relay_->exit_code(), 0);
  EXPECT_EQ(stream.last_status().flush, Lsn(250));
}

TEST_F(StopTest, WithinATransactionWaitsForItsCommit) {
  FakeStream& stream = Start();
  OpenTransaction(stream, 200, {Row("a")});
  Step();
  relay_->RequestStop();
  RunFor(500 * kMs);
  EXPECT_FALSE(relay_->finished());
  stream.Send(InsertBytes(Row("b")));
  stream.Send(CommitBytes(Lsn(200), Lsn(250)));
  SendTransaction(stream, 300, {Row("c")});
  RunFor(20 * kMs);
  AnswerTheLastWord(stream, 350);
  EXPECT_EQ(relay_->exit_code(), 0);
  EXPECT_THAT(kafka_.ids(), ElementsAre("a", "b"));
  EXPECT_EQ(stream.last_status().flush, Lsn(250));
}

TEST_F(StopTest, IsBoundedWhenTheBrokerDoesNotAnswer) {
  FakeStream& stream = Start();
  kafka_.Cork();
  SendTransaction(stream, 200, {Row("a")});
  Step();
  relay_->RequestStop();
  EXPECT_LE(WakesIn(6'900 * kMs), 300);
  EXPECT_FALSE(relay_->finished());
  WakesIn(1'200 * kMs);
  EXPECT_TRUE(relay_->finished());
  EXPECT_EQ(relay_->exit_code(), 8);
  EXPECT_EQ(stream.last_status().flush, Lsn());
}

TEST_F(StopTest, IsBoundedWhenTheCommitDoesNotCome) {
  FakeStream& stream = Start();
  OpenTransaction(stream, 200, {Row("a")});
  Step();
  relay_->RequestStop();
  EXPECT_LE(WakesIn(9 * kSecond), 300);
  EXPECT_TRUE(relay_->finished());
  EXPECT_EQ(relay_->exit_code(), 8);
}

TEST_F(StopTest, AnAcknowledgementAfterTheLastWordIsNotConfirmed) {
  FakeStream& stream = Start();
  kafka_.Cork();
  SendTransaction(stream, 200, {Row("a")});
  Step();
  relay_->RequestStop();
  RunFor(7'100 * kMs);
  kafka_.Uncork();
  RunFor(2 * kSecond);
  EXPECT_EQ(stream.last_status().flush, Lsn());
  EXPECT_EQ(relay_->exit_code(), 8) << "it will be sent again";
}

TEST_F(StopTest, WithoutAnAnswerNothingIsProven) {
  FakeStream& stream = Start();
  SendTransaction(stream, 200, {Row("a")});
  RunFor(kSecond);
  relay_->RequestStop();
  RunFor(2 * kSecond);
  EXPECT_TRUE(relay_->finished());
  EXPECT_EQ(relay_->exit_code(), 8);
}

TEST_F(StopTest, AfterADeliveryErrorStillConfirmsWhatCameBeforeIt) {
  FakeStream& stream = Start();
  kafka_.Cork();
  SendTransaction(stream, 200, {Row("a")});
  OpenTransaction(stream, 300, {Row("b")});
  Step();
  relay_->RequestStop();
  kafka_.Report("a", Outcome::kAcknowledged);
  kafka_.Report("b", Outcome::kPassing);
  RunFor(100 * kMs);
  AnswerTheLastWord(stream, 350);
  EXPECT_TRUE(relay_->finished());
  EXPECT_EQ(relay_->exit_code(), 8);
  EXPECT_EQ(stream.last_status().flush, Lsn(250));
}

TEST_F(StopTest, WithAHeldRowDoesNotWaitForIt) {
  FakeStream& stream = Start();
  kafka_.refusals["b"] = {.kind = kafka::Acceptance::Kind::kHeld};
  SendTransaction(stream, 200, {Row("a")});
  SendTransaction(stream, 300, {Row("b")});
  RunFor(100 * kMs);
  relay_->RequestStop();
  AnswerTheLastWord(stream, 350);
  EXPECT_EQ(relay_->exit_code(), 8);
  EXPECT_EQ(stream.last_status().flush, Lsn(250));
}

TEST_F(StopTest, WithoutAConnectionEndsAtOnce) {
  Make();
  relay_->RequestStop();
  Step();
  EXPECT_TRUE(relay_->finished());
  EXPECT_EQ(relay_->exit_code(), 0) << "nothing was received";
}

TEST_F(StopTest, AfterTheStreamWasLostSaysThatItWillBeSentAgain) {
  FakeStream& stream = Start();
  kafka_.Cork();
  SendTransaction(stream, 200, {Row("a")});
  Step();
  stream.Break(MakeFault(Fault::kPassing, "the connection broke"));
  Step();
  kafka_.Uncork();
  RunFor(10 * kMs);
  relay_->RequestStop();
  RunFor(kSecond);
  EXPECT_TRUE(relay_->finished());
  EXPECT_EQ(relay_->exit_code(), 8) << "acknowledged, but the server does not know";
}

TEST_F(StopTest, DropsTheSlotWhereTheConfigurationSaysSo) {
  config_.slot.drop_on_stop = true;
  FakeStream& stream = Start();
  relay_->RequestStop();
  AnswerTheLastWord(stream, 100);
  EXPECT_EQ(connector_.drops, 1);
  EXPECT_FALSE(stream.open());
}

}  // namespace
}  // namespace postrider::relay
