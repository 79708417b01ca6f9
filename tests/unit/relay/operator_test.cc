// Orders to the relay, and a row that its server cannot send: src/relay/relay.cc, desk.cc, unsendable.cc
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "postgres/errors.h"
#include "relay_harness.h"

namespace postrider::relay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = kafka::Acceptance::Kind;
using Verb = Order::Verb;

class OperatorTest : public RelayHarness {
 protected:
  void Refuse(const std::string& name) {
    kafka_.refusals[name] = {.kind = Kind::kHeld, .code = "record_too_large", .reason = "it is too large"};
  }
};

// ---- pause and resume -----------------------------------------------------------------------------------------------

TEST_F(OperatorTest, APausedRelayReadsNothingAndConfirmsWhatIsAcknowledged) {
  FakeStream& stream = Start();
  SendTransaction(stream, 200, {Row("a")});
  RunFor(kSecond);
  ASSERT_TRUE(Ask(Verb::kPause).ok());
  SendTransaction(stream, 300, {Row("b")});
  RunFor(60 * kSecond);
  EXPECT_EQ(state(), State::kPaused);
  EXPECT_FALSE(relay_->reads());
  EXPECT_THAT(kafka_.ids(), ElementsAre("a"));
  EXPECT_EQ(stream.last_status().flush, Lsn(250));
  const size_t statuses = stream.statuses().size();
  RunFor(60 * kSecond);
  EXPECT_GT(stream.statuses().size(), statuses) << "the server hears of it, and keeps the stream";
  ASSERT_TRUE(Ask(Verb::kResume).ok());
  RunFor(kSecond);
  EXPECT_EQ(state(), State::kStreaming);
  EXPECT_THAT(kafka_.ids(), ElementsAre("a", "b"));
}

TEST_F(OperatorTest, APauseOutlivesTheStream) {
  Start();
  ASSERT_TRUE(Ask(Verb::kPause).ok());
  relay_->HungUp();
  FakeStream& next = Reconnect(Usual(100, true));
  SendTransaction(next, 200, {Row("a")});
  RunFor(kSecond);
  EXPECT_EQ(state(), State::kPaused);
  EXPECT_THAT(kafka_.ids(), IsEmpty());
}

TEST_F(OperatorTest, APausedRelayStopsInTimeInTheMiddleOfATransaction) {
  FakeStream& stream = Start();
  OpenTransaction(stream, 200, {Row("a")});
  RunFor(kSecond);
  ASSERT_TRUE(Ask(Verb::kPause).ok());
  relay_->RequestStop();
  RunFor(8 * kSecond);
  EXPECT_TRUE(relay_->finished());
}

// ---- what is held ---------------------------------------------------------------------------------------------------

TEST_F(OperatorTest, SeesWhatIsHeldAndSkipsIt) {
  FakeStream& stream = Start();
  Refuse("bad");
  SendTransaction(stream, 200, {Row("a"), Row("bad"), Row("c")});
  RunFor(10 * kSecond);
  EXPECT_EQ(state(), State::kHeld);
  EXPECT_EQ(stats_.events_held, 1u);
  const auto report = Ask(Verb::kReport);
  ASSERT_TRUE(report.ok());
  ASSERT_TRUE(report->hold);
  EXPECT_EQ(report->hold->id, "bad");
  EXPECT_EQ(report->hold->place->ordinal, 1u);
  EXPECT_FALSE(Ask(Verb::kSkip, "a").ok());
  ASSERT_TRUE(Ask(Verb::kSkip, "bad").ok());
  RunFor(kSecond);
  EXPECT_THAT(kafka_.ids(), ElementsAre("a", "c"));
  EXPECT_EQ(stream.last_status().flush, Lsn(250));
  EXPECT_EQ(stats_.events_held, 0u);
}

TEST_F(OperatorTest, ARowIsParkedWithoutItsValueOnlyAfterALookIntoTheTable) {
  config_.relay.poison = {.policy = config::PoisonPolicy::kPark, .attempts = 1, .dead_letter_topic = "dead"};
  FakeStream& stream = Start();
  Refuse("bad");  // the letter has its id, and is refused too
  SendTransaction(stream, 200, {Row("bad")});
  RunFor(10 * kSecond);
  EXPECT_THAT(connector_.row_looks, ElementsAre("bad"));
  kafka_.refusals.clear();
  RunFor(10 * kSecond);
  EXPECT_THAT(kafka_.ids(), IsEmpty());
  connector_.found_row = true;
  RunFor(10 * kSecond);
  EXPECT_THAT(kafka_.ids(), ElementsAre("bad"));
  EXPECT_EQ(stats_.events_parked, 1u);
  EXPECT_EQ(stream.last_status().flush, Lsn(250));
}

TEST_F(OperatorTest, AnAnswerForAStreamThatIsGoneIsNotTakenForTheNext) {
  config_.relay.poison = {.policy = config::PoisonPolicy::kPark, .attempts = 1, .dead_letter_topic = "dead"};
  FakeStream& stream = Start();
  Refuse("bad");
  SendTransaction(stream, 200, {Row("bad")});
  RunFor(kSecond);
  ASSERT_THAT(connector_.row_looks, ElementsAre("bad"));
  relay_->HungUp();
  FakeStream& next = Reconnect(Usual(100, true));
  connector_.found_row = true;  // of the look before
  SendTransaction(next, 200, {Row("bad")});
  RunFor(10 * kSecond);
  EXPECT_THAT(connector_.row_looks, ElementsAre("bad", "bad"));
}

TEST_F(OperatorTest, AnotherPolicyHoldsFromNowOn) {
  FakeStream& stream = Start();
  Refuse("bad");
  SendTransaction(stream, 200, {Row("bad"), Row("b")});
  RunFor(10 * kSecond);
  ASSERT_EQ(state(), State::kHeld);
  ASSERT_TRUE(Ask(Verb::kPolicy, "", {.policy = config::PoisonPolicy::kSkip}).ok());
  RunFor(10 * kSecond);
  EXPECT_THAT(kafka_.ids(), ElementsAre("b"));
}

// ---- a row that the server cannot send ------------------------------------------------------------------------------

absl::Status CannotSend(const std::string& lsn) {
  return postgres::StreamFault({.address = "db:5432", .slot = "outbox"},
                               {.sqlstate = "22021",
                                .message = "invalid byte sequence",
                                .context = absl::StrCat("slot \"outbox\", associated LSN ", lsn)});
}

class Unsendable : public OperatorTest {
 protected:
  // The stream gives the transaction's begin, and ends with the server's error.
  void FailAt(FakeStream& stream, const std::string& lsn) {
    OpenTransaction(stream, 200, {Row("a")});
    Step();
    stream.Break(CannotSend(lsn));
    Step();
  }
  void FailThreeTimes() {
    FailAt(Start(), "0/B0");
    for (int time = 1; time < 3; ++time) FailAt(Reconnect(Usual(100, true)), "0/B0");
  }
};

TEST_F(Unsendable, IsHeldAfterTheSameErrorAtTheSamePlaceThreeTimes) {
  FailThreeTimes();
  EXPECT_EQ(state(), State::kHeld);
  const auto report = Ask(Verb::kReport);
  ASSERT_TRUE(report.ok());
  ASSERT_TRUE(report->unsendable);
  EXPECT_THAT(report->unsendable->reason, HasSubstr("0/B0"));
  EXPECT_THAT(report->unsendable->reason, HasSubstr("22021"));
  EXPECT_EQ(report->unsendable->advance_sql, "SELECT pg_replication_slot_advance('outbox', '0/C9')");
  EXPECT_THAT(report->unsendable->loses, HasSubstr("0/C8"));
  const size_t connections = connector_.requests.size();
  RunFor(50 * kSecond);
  EXPECT_EQ(connector_.requests.size(), connections) << "the server is left alone for a minute";
}

TEST_F(Unsendable, ErrorsAtDifferentPlacesPass) {
  FailAt(Start(), "0/B0");
  for (const char* lsn : {"0/B8", "0/B0", "0/B8"}) FailAt(Reconnect(Usual(100, true)), lsn);
  EXPECT_NE(state(), State::kHeld);
}

TEST_F(Unsendable, GoesOnByItselfWhenTheServerCanSendIt) {
  FailThreeTimes();
  RunFor(45 * kSecond);
  FakeStream& stream = Reconnect(Usual(100, true));
  EXPECT_EQ(state(), State::kHeld) << "not before it is passed";
  SendTransaction(stream, 200, {Row("a")});
  SendTransaction(stream, 300, {Row("b")});
  RunFor(kSecond);
  EXPECT_EQ(state(), State::kStreaming);
}

TEST_F(Unsendable, IsTriedAtOnceWhenTheOperatorSaysSo) {
  FailThreeTimes();
  const size_t connections = connector_.requests.size();
  RunFor(10 * kSecond);
  ASSERT_TRUE(Ask(Verb::kRetry).ok());
  RunFor(kSecond);
  EXPECT_EQ(connector_.requests.size(), connections + 1);
}

}  // namespace
}  // namespace postrider::relay
