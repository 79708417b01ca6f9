#include "relay/publisher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/fault.h"
#include "publisher_harness.h"

namespace postrider::relay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = kafka::Acceptance::Kind;

// ---- the usual way --------------------------------------------------------------------------------------------------

TEST_F(PublisherTest, AnAcknowledgementConfirmsItsTransaction) {
  Start();
  Send(100, "a");
  EXPECT_EQ(tracker_.confirmable(), Lsn());
  ASSERT_TRUE(Poll().ok());
  EXPECT_EQ(tracker_.confirmable(), Lsn(150));
  EXPECT_EQ(stats_.events_produced, 1u);
  EXPECT_EQ(stats_.events_acknowledged, 1u);
}

TEST_F(PublisherTest, TheFirstProducerThatCannotBeMadeEndsTheStart) {
  kafka_.make_faults.push_back(MakeFault(Fault::kConfiguration, "no such property"));
  publisher_.emplace(config_, "orders-connector", &kafka_, &tracker_, &stats_, kJitterSeed);
  EXPECT_EQ(FaultOf(publisher_->Start()), Fault::kConfiguration);
}

TEST_F(PublisherTest, ARowBeyondTheBudgetWaitsForAcknowledgements) {
  Start();
  kafka_.Cork();
  Begin(100);
  ASSERT_EQ(Offer("a", 0, 6'000), Offered::kTaken);
  EXPECT_EQ(Offer("b", 1, 6'000), Offered::kBlocked);
  EXPECT_LE(kafka_.outstanding_bytes(), 10'000u);
  kafka_.Uncork();
  PollAfter(0);
  EXPECT_EQ(Offer("b", 1, 6'000), Offered::kTaken);
}

TEST_F(PublisherTest, ARowAboveTheWholeBudgetPassesAlone) {
  Start();
  kafka_.Cork();
  Begin(100);
  ASSERT_EQ(Offer("small", 0), Offered::kTaken);
  EXPECT_EQ(Offer("large", 1, 50'000), Offered::kBlocked);
  kafka_.Uncork();
  PollAfter(0);
  kafka_.Cork();
  EXPECT_EQ(Offer("large", 1, 50'000), Offered::kTaken);
  EXPECT_EQ(Offer("next", 2), Offered::kBlocked);
}

TEST_F(PublisherTest, ATopicThatIsBeingLookedUpIsOfferedAgain) {
  Start();
  kafka_.refusals["events"] = {.kind = Kind::kWait};
  Begin(100);
  EXPECT_EQ(Offer("a", 0), Offered::kBlocked);
  EXPECT_FALSE(publisher_->hold());
  EXPECT_EQ(tracker_.outstanding_records(), 0u);
  kafka_.refusals.clear();
  EXPECT_EQ(Offer("a", 0), Offered::kTaken);
}

TEST_F(PublisherTest, IsStalledTenSecondsAfterTheLastAcknowledgement) {
  Start();
  kafka_.Cork();
  Send(100, "a");
  EXPECT_FALSE(publisher_->stalled(now_us_ + 10 * kSecond));
  EXPECT_TRUE(publisher_->stalled(now_us_ + 10 * kSecond + 1));
  kafka_.Uncork();
  PollAfter(11 * kSecond);
  EXPECT_FALSE(publisher_->stalled(now_us_ + 100 * kSecond)) << "nothing is in flight";
}

TEST_F(PublisherTest, IsStalledTooWhereItsTopicIsLookedUpForTenSeconds) {
  Start();
  kafka_.refusals["events"] = {.kind = Kind::kWait};
  Begin(100);
  for (int second = 0; second < 12; ++second) {
    EXPECT_EQ(Offer("a", 0), Offered::kBlocked);
    EXPECT_EQ(publisher_->stalled(now_us_), second > 10) << second;
    PollAfter(kSecond);
  }
  kafka_.refusals.clear();
  EXPECT_EQ(Offer("a", 0), Offered::kTaken);
  EXPECT_FALSE(publisher_->stalled(now_us_));
}

// ---- held rows ------------------------------------------------------------------------------------------------------

TEST_F(PublisherTest, ARefusedRowIsHeldAndOfferedWithBackoff) {
  Start();
  kafka_.refusals["a"] = {.kind = Kind::kHeld, .code = "unknown_topic", .reason = "there is no such topic"};
  Begin(100);
  EXPECT_EQ(Offer("a", 0), Offered::kBlocked);
  ASSERT_TRUE(publisher_->hold());
  EXPECT_EQ(hold().code, "unknown_topic");
  EXPECT_EQ(hold().id, "a");
  EXPECT_EQ(hold().table, "public.outbox");
  EXPECT_EQ(hold().attempts, 1);
  EXPECT_EQ(publisher_->next_deadline_us(now_us_), hold().next_try_us);

  EXPECT_EQ(Offer("a", 0), Offered::kBlocked);
  EXPECT_EQ(hold().attempts, 1) << "not before its time";
  PollAfter(1 * kSecond);
  EXPECT_EQ(Offer("a", 0), Offered::kBlocked);
  EXPECT_EQ(hold().attempts, 2);
  PollAfter(10 * kSecond);
  kafka_.refusals.clear();
  EXPECT_EQ(Offer("a", 0), Offered::kTaken);
  EXPECT_FALSE(publisher_->hold());
}

TEST_F(PublisherTest, AHeldRowIsSkippedWhereTheConfigurationSaysSo) {
  config_.poison.policy = config::PoisonPolicy::kSkip;
  Start();
  kafka_.refusals["a"] = {.kind = Kind::kHeld, .code = "record_too_large"};
  Begin(100);
  EXPECT_EQ(Offer("a", 0), Offered::kTaken);
  EXPECT_FALSE(publisher_->hold());
  EXPECT_EQ(stats_.events_skipped, 1u);
  tracker_.Commit(Lsn(150));
  EXPECT_EQ(tracker_.confirmable(), Lsn(150));
  EXPECT_THAT(kafka_.ids(), IsEmpty());
}

TEST_F(PublisherTest, NoRowIsSkippedForATopicThatIsNotThere) {
  config_.poison.policy = config::PoisonPolicy::kSkip;
  Start();
  Begin(100);
  for (const char* code : {"unknown_topic", "topic_authorization"}) {
    kafka_.refusals["a"] = {.kind = Kind::kHeld, .code = code};
    EXPECT_EQ(Offer("a", 0), Offered::kBlocked) << code;
    PollAfter(10 * kSecond);
  }
  EXPECT_TRUE(publisher_->hold());
  EXPECT_EQ(stats_.events_skipped, 0u);
}

TEST_F(PublisherTest, AnUnroutableRowIsHeldOrSkipped) {
  Start();
  Begin(100);
  EXPECT_EQ(publisher_->OfferUnroutable("no route", Record{.id = "a"}, "public.outbox", {Lsn(100), 0}, now_us_),
            Offered::kBlocked);
  EXPECT_EQ(hold().code, "unroutable");
  EXPECT_EQ(hold().reason, "no route");

  config_.poison.policy = config::PoisonPolicy::kSkip;
  Start();
  EXPECT_EQ(publisher_->OfferUnroutable("no route", Record{.id = "a"}, "public.outbox", {Lsn(100), 0}, now_us_),
            Offered::kTaken);
  EXPECT_EQ(stats_.events_skipped, 1u);
}

TEST_F(PublisherTest, ASkippedRowIsNotSkippedAgainInARepeat) {
  config_.poison.policy = config::PoisonPolicy::kSkip;
  Start();
  kafka_.Cork();
  Begin(100);
  ASSERT_EQ(Offer("a", 0), Offered::kTaken);
  ASSERT_EQ(publisher_->OfferUnroutable("no route", Record{.id = "b"}, "public.outbox", {Lsn(100), 1}, now_us_),
            Offered::kTaken);
  kafka_.Report("a", Outcome::kPassing);
  PollAfter(0);
  PollAfter(0);
  Rewind();
  Begin(100);
  ASSERT_EQ(Offer("a", 0), Offered::kTaken);
  ASSERT_EQ(publisher_->OfferUnroutable("no route", Record{.id = "b"}, "public.outbox", {Lsn(100), 1}, now_us_),
            Offered::kTaken);
  EXPECT_EQ(stats_.events_skipped, 1u);
}

// ---- delivery errors ------------------------------------------------------------------------------------------------

class PassingOutcome : public PublisherTest, public testing::WithParamInterface<Outcome> {};

TEST_P(PassingOutcome, StopsProducingAndAsksForTheStreamAgain) {
  Start();
  kafka_.Cork();
  Send(100, "a");
  Send(200, "b");
  Send(300, "c");
  kafka_.Report("b", Outcome::kAcknowledged);
  kafka_.Report("a", GetParam());
  ASSERT_TRUE(Poll().ok());
  EXPECT_FALSE(publisher_->rewind_wanted()) << "the report for c has not come";
  Begin(400);
  EXPECT_EQ(Offer("d", 0), Offered::kBlocked) << "nothing is written before what failed";
  PollAfter(0);
  ASSERT_TRUE(publisher_->rewind_wanted());
  EXPECT_EQ(Offer("d", 0), Offered::kBlocked);
  EXPECT_EQ(kafka_.made().size(), 2u);
  EXPECT_EQ(tracker_.confirmable(), Lsn());

  Rewind();
  Send(100, "a");
  Begin(200);
  EXPECT_EQ(Offer("b", 0), Offered::kTaken);
  tracker_.Commit(Lsn(250));
  Send(300, "c");
  EXPECT_THAT(kafka_.ids(), ElementsAre("a", "b", "c", "a", "c")) << "b was acknowledged before";
  EXPECT_EQ(stats_.events_repeated, 1u);
  kafka_.Uncork();
  PollAfter(0);
  EXPECT_EQ(tracker_.confirmable(), Lsn(350));
}

INSTANTIATE_TEST_SUITE_P(Publisher, PassingOutcome, testing::Values(Outcome::kPassing, Outcome::kFatal));

TEST_F(PublisherTest, AFailureReturnsTheBudget) {
  Start();
  kafka_.Cork();
  Begin(100);
  ASSERT_EQ(Offer("a", 0, 9'000), Offered::kTaken);
  kafka_.Report("a", Outcome::kPassing);
  PollAfter(0);
  Rewind();
  Begin(100);
  EXPECT_EQ(Offer("a", 0, 9'000), Offered::kTaken);
}

TEST_F(PublisherTest, AFatalProducerIsReplacedWithoutARepeatWhereNothingWasLost) {
  Start();
  Send(100, "a");
  PollAfter(0);
  kafka_.Tell(FakeKafka::EventKind::kFatal);
  PollAfter(0);
  EXPECT_FALSE(publisher_->rewind_wanted());
  EXPECT_EQ(kafka_.made().size(), 2u);
  Begin(200);
  EXPECT_EQ(Offer("b", 0), Offered::kTaken);
}

TEST_F(PublisherTest, ABrokenProducerIsReplacedAndTheRowOfferedAgain) {
  Start();
  kafka_.refusals["a"] = {.kind = Kind::kBroken};
  Begin(100);
  EXPECT_EQ(Offer("a", 0), Offered::kBlocked);
  kafka_.refusals.clear();
  PollAfter(0);
  EXPECT_EQ(Offer("a", 0), Offered::kTaken);
  EXPECT_EQ(kafka_.made().size(), 2u);
}

TEST_F(PublisherTest, AProducerThatReportsNothingIsGivenUpAfterTenSeconds) {
  Start();
  kafka_.Cork();
  kafka_.reports_stuck = true;
  Send(100, "a");
  Send(200, "b");
  kafka_.Report("a", Outcome::kPassing);
  PollAfter(0);
  PollAfter(9 * kSecond);
  EXPECT_FALSE(publisher_->rewind_wanted());
  EXPECT_EQ(kafka_.made().size(), 1u);
  PollAfter(2 * kSecond);
  EXPECT_TRUE(publisher_->rewind_wanted());
  EXPECT_EQ(kafka_.made().size(), 2u);
}

TEST_F(PublisherTest, ANewProducerThatCannotBeMadeIsTriedForEver) {
  Start();
  kafka_.Cork();
  Send(100, "a");
  for (int attempt = 0; attempt < 3; ++attempt)
    kafka_.make_faults.push_back(MakeFault(Fault::kConfiguration, "no such file"));
  kafka_.Report("a", Outcome::kPassing);
  PollAfter(0);
  EXPECT_FALSE(publisher_->rewind_wanted());
  for (int second = 0; second < 30 && !publisher_->rewind_wanted(); ++second) PollAfter(kSecond);
  EXPECT_TRUE(publisher_->rewind_wanted());
}

TEST_F(PublisherTest, ProducersThatFailAtOnceAreMadeMoreSlowlyEachTime) {
  Start();
  Begin(100);
  kafka_.refusals["a"] = {.kind = Kind::kBroken};
  for (int step = 0; step < 6'000; ++step) {  // a minute
    Offer("a", 0);
    PollAfter(kSecond / 100);
  }
  EXPECT_GE(kafka_.made().size(), 8u);
  EXPECT_LE(kafka_.made().size(), 20u);
}

TEST_F(PublisherTest, AbandonGivesUpWhatIsInFlight) {
  Start();
  kafka_.Cork();
  Send(100, "a");
  publisher_->Abandon(now_us_);
  PollAfter(0);
  ASSERT_TRUE(publisher_->rewind_wanted());
  Rewind();
  EXPECT_EQ(tracker_.confirmable(), Lsn());
}

// ---- topics ---------------------------------------------------------------------------------------------------------

TEST_F(PublisherTest, ATopicThatRefusesIsProbedAndNothingIsStreamedAgainUntilItTakesRecords) {
  Start();
  kafka_.Cork();
  Send(100, "a");
  kafka_.topic_answer = {.kind = Kind::kHeld, .code = "topic_authorization", .reason = "no right to write"};
  kafka_.Report("a", Outcome::kTopic);
  PollAfter(0);
  ASSERT_TRUE(publisher_->hold());
  EXPECT_EQ(hold().code, "topic_authorization");
  EXPECT_EQ(hold().topic, "events");
  for (int second = 0; second < 600; ++second) PollAfter(kSecond);
  EXPECT_FALSE(publisher_->rewind_wanted());
  EXPECT_GT(hold().attempts, 50);
  EXPECT_EQ(kafka_.made().size(), 2u);
  EXPECT_THAT(kafka_.ids(), ElementsAre("a"));

  kafka_.topic_answer = {.kind = Kind::kWait};
  PollAfter(10 * kSecond);
  EXPECT_FALSE(publisher_->rewind_wanted());
  kafka_.topic_answer = {};
  PollAfter(10 * kSecond);
  EXPECT_TRUE(publisher_->rewind_wanted());
  Rewind();
  EXPECT_FALSE(publisher_->hold());
}

TEST_F(PublisherTest, AProducerThatBreaksWhileItProbesIsReplaced) {
  Start();
  kafka_.Cork();
  Send(100, "a");
  kafka_.topic_answer = {.kind = Kind::kHeld, .code = "unknown_topic"};
  kafka_.Report("a", Outcome::kTopic);
  PollAfter(0);
  kafka_.topic_answer = {.kind = Kind::kBroken};
  PollAfter(10 * kSecond);
  PollAfter(10 * kSecond);
  EXPECT_EQ(kafka_.made().size(), 3u);
  EXPECT_TRUE(publisher_->rewind_wanted());
}

// ---- the guilty record ----------------------------------------------------------------------------------------------

// A record that the broker refuses by itself, in a transaction after one that passes.
class GuiltyRecord : public PublisherTest {
 protected:
  void RefuseOnce() {
    Start();
    kafka_.Cork();
    Send(100, "a");
    Begin(200);
    ASSERT_EQ(Offer("bad", 0), Offered::kTaken);
    ASSERT_EQ(Offer("c", 1), Offered::kTaken);
    kafka_.Report("a", Outcome::kAcknowledged);
    kafka_.Report("bad", Outcome::kRecord);
    PollAfter(0);
    PollAfter(0);
    Rewind();
    ASSERT_EQ(tracker_.confirmable(), Lsn(150));
    Begin(200);
  }
  // Offers until the row is in flight, alone.
  void Try() {
    for (int step = 0; step < 200 && kafka_.outstanding().empty(); ++step) {
      ASSERT_EQ(Offer("bad", 0), Offered::kBlocked);
      PollAfter(kSecond / 10);
    }
    ASSERT_EQ(kafka_.outstanding().size(), 1u);
  }
};

TEST_F(GuiltyRecord, IsTriedAloneUntilTheBrokerTakesIt) {
  RefuseOnce();
  for (int attempt = 0; attempt < 5; ++attempt) {
    Try();
    kafka_.Report("bad", Outcome::kRecord);
    PollAfter(0);
    PollAfter(10 * kSecond);
    ASSERT_FALSE(publisher_->rewind_wanted()) << "its row is in hand: nothing need be streamed again";
    EXPECT_EQ(Offer("bad", 0), Offered::kBlocked);
    ASSERT_TRUE(publisher_->hold());
    EXPECT_EQ(hold().id, "bad");
    EXPECT_EQ(hold().code, "record_refused");
  }
  Try();
  EXPECT_EQ(Offer("bad", 0), Offered::kBlocked) << "in flight";
  kafka_.Report("bad", Outcome::kAcknowledged);
  PollAfter(0);
  EXPECT_EQ(Offer("bad", 0), Offered::kTaken);
  EXPECT_FALSE(publisher_->hold());
  EXPECT_EQ(Offer("c", 1), Offered::kTaken);
  kafka_.Uncork();
  PollAfter(0);
  tracker_.Commit(Lsn(250));
  EXPECT_EQ(tracker_.confirmable(), Lsn(250));
  EXPECT_EQ(stats_.events_produced, kafka_.ids().size());
}

TEST_F(GuiltyRecord, TheLoopSleepsWhileItsTrialIsInFlight) {
  RefuseOnce();
  Try();
  PollAfter(60 * kSecond);
  EXPECT_EQ(Offer("bad", 0), Offered::kBlocked);
  EXPECT_GE(publisher_->next_deadline_us(now_us_), now_us_ + kSecond / 10);
}

TEST_F(GuiltyRecord, IsSkippedWhereTheConfigurationSaysSoButOnlyWhenItWasRefusedAlone) {
  config_.poison.policy = config::PoisonPolicy::kSkip;
  RefuseOnce();
  Try();
  EXPECT_EQ(stats_.events_skipped, 0u);
  kafka_.Report("bad", Outcome::kRecord);
  PollAfter(0);
  PollAfter(kSecond);
  EXPECT_EQ(Offer("bad", 0), Offered::kTaken);
  EXPECT_EQ(stats_.events_skipped, 1u);
  EXPECT_EQ(Offer("c", 1), Offered::kTaken);
}

// A snapshot that is read again may give its rows in another order: at the place of the guilty row stands an innocent
// one.
TEST_F(GuiltyRecord, AnInnocentRowAtItsPlaceIsPublishedAndNotSkipped) {
  config_.poison.policy = config::PoisonPolicy::kSkip;
  RefuseOnce();
  kafka_.Uncork();
  for (int step = 0; step < 100 && Offer("innocent", 0) == Offered::kBlocked; ++step) PollAfter(kSecond / 10);
  EXPECT_THAT(kafka_.ids(), ElementsAre("a", "bad", "c", "innocent"));
  EXPECT_EQ(stats_.events_skipped, 0u);
}

TEST_F(GuiltyRecord, ATrialThatIsLostWithTheStreamIsRemembered) {
  RefuseOnce();
  Try();
  kafka_.Report("bad", Outcome::kAcknowledged);
  PollAfter(0);
  tracker_.Rewind();  // the stream was lost
  publisher_->ForgetRowInHand();
  Begin(200);
  EXPECT_EQ(Offer("bad", 0), Offered::kTaken);
  EXPECT_THAT(kafka_.ids(), ElementsAre("a", "bad", "c", "bad"));
}

TEST_F(GuiltyRecord, ACauseThatLastsIsNotHiddenByAPassingOneThatCameFirst) {
  Start();
  kafka_.Cork();
  Send(100, "elsewhere");
  Begin(200);
  ASSERT_EQ(Offer("bad", 0), Offered::kTaken);
  kafka_.Report("elsewhere", Outcome::kFatal);  // a consequence, reported first
  kafka_.Report("bad", Outcome::kRecord);
  PollAfter(0);
  Rewind();
  Send(100, "elsewhere");
  kafka_.Report("elsewhere", Outcome::kAcknowledged);
  PollAfter(0);
  Begin(200);
  EXPECT_EQ(Offer("bad", 0), Offered::kBlocked) << "alone from now on: it stays in hand until its report";
}

TEST_F(PublisherTest, ABatchThatIsRefusedIsRepeatedOneRecordABatchToFindTheGuiltyOne) {
  Start();
  kafka_.Cork();
  Send(100, "a");
  Send(200, "bad");
  kafka_.Report("a", Outcome::kBatch);
  kafka_.Report("bad", Outcome::kBatch);
  PollAfter(0);
  ASSERT_EQ(kafka_.made().size(), 2u);
  EXPECT_TRUE(kafka_.made().back().single_record_batches);
  Rewind();
  Send(100, "a");
  Send(200, "bad");
  kafka_.Report("a", Outcome::kAcknowledged);
  kafka_.Report("bad", Outcome::kBatch);
  PollAfter(0);
  PollAfter(kSecond);
  Rewind();
  EXPECT_EQ(tracker_.confirmable(), Lsn(150));
  Begin(200);
  for (int step = 0; step < 100 && kafka_.outstanding().empty(); ++step) {
    Offer("bad", 0);
    PollAfter(kSecond / 10);
  }
  ASSERT_EQ(kafka_.outstanding().size(), 1u) << "tried alone";
  kafka_.Report("bad", Outcome::kAcknowledged);
  PollAfter(0);
  EXPECT_EQ(Offer("bad", 0), Offered::kTaken);
  tracker_.Commit(Lsn(250));
  EXPECT_EQ(tracker_.confirmable(), Lsn(250));
}

TEST_F(PublisherTest, OneRecordABatchEndsBehindTheBatchThatWasRefused) {
  Start();
  kafka_.Cork();
  Send(100, "a");
  kafka_.Report("a", Outcome::kBatch);
  PollAfter(0);
  Rewind();
  Send(100, "a");
  Begin(200);
  EXPECT_EQ(Offer("b", 0), Offered::kBlocked) << "the producer is replaced only when nothing is in flight";
  kafka_.Report("a", Outcome::kAcknowledged);
  PollAfter(0);
  EXPECT_EQ(Offer("b", 0), Offered::kBlocked);
  PollAfter(kSecond);
  EXPECT_EQ(Offer("b", 0), Offered::kTaken);
  EXPECT_FALSE(kafka_.made().back().single_record_batches);
  EXPECT_FALSE(publisher_->rewind_wanted());
}

// ---- the record beside the rows
// --------------------------------------------------------------------------------------

TEST_F(PublisherTest, ARecordBesideTheRowsCountsAgainstTheBudgetAndConfirmsNothing) {
  config_.inflight_bytes_max = 2 * static_cast<int64_t>(kRecordOverheadBytes) + 100;
  Start();
  kafka_.Cork();
  Send(100, "a");
  EXPECT_EQ(OfferBeside(), Offered::kTaken);
  EXPECT_EQ(OfferBeside(), Offered::kBlocked) << "one at a time";
  Begin(200);
  EXPECT_EQ(Offer("b", 0), Offered::kBlocked);
  kafka_.Report("", Outcome::kAcknowledged);
  PollAfter(0);
  EXPECT_EQ(tracker_.confirmable(), Lsn()) << "row a is not acknowledged";
  EXPECT_EQ(Offer("b", 0), Offered::kTaken);
  EXPECT_EQ(OfferBeside(), Offered::kBlocked) << "the budget is full";
  EXPECT_EQ(stats_.events_acknowledged, 0u);
}

TEST_F(PublisherTest, ARowAboveTheWholeBudgetDoesNotWaitForARecordBesideTheRows) {
  Start();
  kafka_.Cork();
  EXPECT_EQ(OfferBeside(), Offered::kTaken);
  Begin(100);
  EXPECT_EQ(Offer("a", 0, 20'000), Offered::kTaken);
}

TEST_F(PublisherTest, ARecordBesideTheRowsThatIsNotAcknowledgedHoldsNothingBack) {
  Start();
  kafka_.Cork();
  EXPECT_EQ(OfferBeside(), Offered::kTaken);
  Send(100, "a");
  kafka_.Report("a", Outcome::kAcknowledged);
  PollAfter(60 * kSecond);
  EXPECT_EQ(tracker_.confirmable(), Lsn(150));
  EXPECT_TRUE(tracker_.idle());
  EXPECT_FALSE(publisher_->stalled(now_us_));
}

TEST_F(PublisherTest, NothingGoesBesideTheRowsWhileOneIsHeld) {
  Start();
  kafka_.refusals["a"] = {.kind = Kind::kHeld, .code = "record_too_large", .reason = "too large"};
  Begin(100);
  EXPECT_EQ(Offer("a", 0), Offered::kBlocked);
  EXPECT_EQ(OfferBeside(), Offered::kBlocked);
}

TEST_F(PublisherTest, ARecordBesideTheRowsThatItsTopicRefusesHoldsNoRowAndIsNotTriedAgainForAWhile) {
  for (const Outcome outcome : {Outcome::kTopic, Outcome::kBatch, Outcome::kRecord}) {
    SCOPED_TRACE(static_cast<int>(outcome));
    kafka_ = FakeKafka();
    tracker_.Reset();
    Start();
    kafka_.Cork();
    Send(100, "a");
    EXPECT_EQ(OfferBeside(), Offered::kTaken);
    kafka_.Report("", outcome);
    PollAfter(0);
    PollAfter(0);
    EXPECT_EQ(kafka_.made().size(), 2u) << "at once";
    EXPECT_FALSE(kafka_.made().back().single_record_batches);
    EXPECT_FALSE(publisher_->hold());
    Rewind();
    Send(100, "a");
    EXPECT_EQ(OfferBeside(), Offered::kTaken);
    EXPECT_EQ(kafka_.outstanding().size(), 1u) << "left out";
    kafka_.Report("a", Outcome::kAcknowledged);
    PollAfter(0);
    EXPECT_EQ(tracker_.confirmable(), Lsn(150));
    now_us_ += 80 * kSecond;
    EXPECT_EQ(OfferBeside(), Offered::kTaken);
    EXPECT_EQ(kafka_.outstanding().size(), 1u);
  }
}

TEST_F(PublisherTest, ARecordBesideTheRowsThatFailsWhileNoneIsInFlightRepeatsNothing) {
  Start();
  kafka_.Cork();
  EXPECT_EQ(OfferBeside(), Offered::kTaken);
  kafka_.Tell(FakeKafka::EventKind::kFatal);  // it may come first
  kafka_.Report("", Outcome::kRecord);
  PollAfter(0);
  PollAfter(0);
  EXPECT_FALSE(publisher_->rewind_wanted());
  EXPECT_EQ(kafka_.made().size(), 2u);
  Send(100, "a");
  EXPECT_EQ(kafka_.outstanding().size(), 1u);
}

TEST_F(PublisherTest, ARecordBesideTheRowsThatIsLostWithItsProducerMakesRoomForTheNext) {
  Start();
  kafka_.Cork();
  kafka_.reports_stuck = true;
  EXPECT_EQ(OfferBeside(), Offered::kTaken);
  publisher_->Abandon(now_us_);
  PollAfter(11 * kSecond);
  EXPECT_EQ(OfferBeside(), Offered::kTaken);
  EXPECT_EQ(kafka_.outstanding().size(), 1u);
}

TEST_F(PublisherTest, AnAcknowledgementBesideTheRowsIsNoneOfARowThatIsTriedAlone) {
  Start();
  kafka_.Cork();
  Send(100, "a");
  kafka_.Report("a", Outcome::kRecord);
  PollAfter(0);
  Rewind();
  EXPECT_EQ(OfferBeside(), Offered::kTaken);
  Begin(100);
  EXPECT_EQ(Offer("a", 0), Offered::kBlocked) << "tried alone";
  kafka_.Report("", Outcome::kAcknowledged);
  PollAfter(0);
  EXPECT_EQ(Offer("a", 0), Offered::kBlocked) << "its own report has not come";
  kafka_.Report("a", Outcome::kAcknowledged);
  PollAfter(0);
  EXPECT_EQ(Offer("a", 0), Offered::kTaken);
}

// ---- what the producer says -----------------------------------------------------------------------------------------

TEST_F(PublisherTest, ARefusalBeforeTheFirstContactEndsTheRelay) {
  Start();
  kafka_.Tell(FakeKafka::EventKind::kRefused);
  EXPECT_EQ(FaultOf(Poll()), Fault::kKafkaRefuses);
}

TEST_F(PublisherTest, ARefusalAfterTheFirstContactIsAnsweredByANewProducer) {
  Start();
  kafka_.Tell(FakeKafka::EventKind::kConnected);
  PollAfter(0);
  kafka_.Cork();
  Send(100, "a");
  kafka_.Tell(FakeKafka::EventKind::kRefused);
  PollAfter(0);
  PollAfter(0);
  EXPECT_EQ(kafka_.made().size(), 2u);
  EXPECT_TRUE(publisher_->rewind_wanted());
}

TEST_F(PublisherTest, ARefusalWhileATopicIsProbedIsAnsweredByANewProducerToo) {
  Start();
  kafka_.Tell(FakeKafka::EventKind::kConnected);
  kafka_.Cork();
  Send(100, "a");
  kafka_.topic_answer = {.kind = Kind::kWait};
  kafka_.Report("a", Outcome::kTopic);
  PollAfter(0);
  kafka_.Tell(FakeKafka::EventKind::kRefused);  // the secret was rotated meanwhile
  PollAfter(kSecond);
  PollAfter(kSecond);
  EXPECT_EQ(kafka_.made().size(), 3u);
}

}  // namespace
}  // namespace postrider::relay
