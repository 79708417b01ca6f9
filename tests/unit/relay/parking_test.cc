// How the publisher parks: src/relay/publisher.cc, with held_row.cc, dead_letter.cc and parked_log.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "publisher_harness.h"

namespace postrider::relay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using Kind = kafka::Acceptance::Kind;
using Verdict = HeldRow::Verdict;

class Parking : public PublisherTest {
 protected:
  Parking() {
    config_.poison.policy = config::PoisonPolicy::kPark;
    config_.poison.dead_letter_topic = "dead";
    kafka_.Cork();
  }
  void Refuse(const std::string& name, const char* code) {
    kafka_.refusals[name] = {.kind = Kind::kHeld, .code = code, .reason = "it is refused"};
  }
  // The topic "events" refuses record `id`; dead letters, which have the same id, are taken.
  void RefuseInEvents(const char* code) { Refuse("events", code); }
  // Offers the row until its dead letter was refused as well.
  void OfferUntilTheRowIsAskedFor(const std::string& id) {
    for (int step = 0; step < 100 && !publisher_->asks_for_row(); ++step) {
      EXPECT_EQ(Offer(id, 0), Offered::kBlocked);
      PollAfter(kSecond / 10);
    }
  }
  // Offers the row until its dead letter is in flight.
  void OfferUntilLetter(const std::string& id, uint32_t ordinal = 0) {
    for (int step = 0; step < 100 && kafka_.outstanding().empty(); ++step) {
      ASSERT_EQ(Offer(id, ordinal), Offered::kBlocked);
      if (kafka_.outstanding().empty()) PollAfter(kSecond / 10);
    }
    ASSERT_EQ(kafka_.outstanding().size(), 1u);
    ASSERT_EQ(kafka_.outstanding().front().topic, "dead");
  }
};

TEST_F(Parking, AnEventIsParkedAfterThreeAttempts) {
  Start();
  RefuseInEvents("record_too_large");
  Begin(100);
  EXPECT_EQ(Offer("a", 0), Offered::kBlocked);
  PollAfter(10 * kSecond);
  EXPECT_EQ(Offer("a", 0), Offered::kBlocked);
  EXPECT_TRUE(kafka_.outstanding().empty()) << "two attempts";
  PollAfter(10 * kSecond);
  EXPECT_EQ(Offer("a", 0), Offered::kBlocked);
  ASSERT_EQ(kafka_.outstanding().size(), 1u);
  EXPECT_EQ(kafka_.outstanding().front().topic, "dead");
}

TEST_F(Parking, ALetterCarriesTheEventAndTheReason) {
  Start();
  RefuseInEvents("record_too_large");
  Begin(100);
  OfferUntilLetter("a");
  const FakeKafka::Sent& letter = kafka_.outstanding().front();
  EXPECT_EQ(letter.key, "key");
  EXPECT_EQ(letter.value, "vvvvvvvvvv");
  EXPECT_THAT(letter.headers, Contains(Pair("postrider.parked.id", "a")));
  EXPECT_THAT(letter.headers, Contains(Pair("postrider.parked.code", "record_too_large")));
  EXPECT_THAT(letter.headers, Contains(Pair("postrider.parked.reason", "it is refused")));
  EXPECT_THAT(letter.headers, Contains(Pair("postrider.parked.attempts", "3")));
  EXPECT_THAT(letter.headers, Contains(Pair("postrider.parked.topic", "events")));
  EXPECT_THAT(letter.headers, Contains(Pair("postrider.parked.table", "public.outbox")));
  EXPECT_THAT(letter.headers, Contains(Pair("__connect.errors.topic", "events")));
  EXPECT_THAT(letter.headers, Contains(Pair("__connect.errors.connector.name", "orders-connector")));
  EXPECT_THAT(letter.headers, Contains(Pair("__connect.errors.exception.message", "it is refused")));
  EXPECT_THAT(letter.headers, Contains(Pair("__connect.errors.exception.class.name",
                                            "org.apache.kafka.common.errors.RecordTooLargeException")));
}

TEST_F(Parking, ARowIsAcknowledgedWithItsLetterAndNotBefore) {
  Start();
  RefuseInEvents("record_too_large");
  Begin(100);
  OfferUntilLetter("a");
  PollAfter(10 * kSecond);
  EXPECT_EQ(Offer("a", 0), Offered::kBlocked) << "nothing behind it is read";
  EXPECT_EQ(stats_.events_parked, 0u);
  kafka_.Uncork();
  PollAfter(0);
  EXPECT_EQ(Offer("a", 0), Offered::kTaken);
  tracker_.Commit(Lsn(150));
  EXPECT_EQ(tracker_.confirmable(), Lsn(150));
  EXPECT_EQ(stats_.events_parked, 1u);
  EXPECT_EQ(stats_.events_acknowledged, 0u);
  EXPECT_FALSE(publisher_->hold());
  ASSERT_EQ(publisher_->parked().events().size(), 1u);
  EXPECT_EQ(publisher_->parked().events().front().id, "a");
}

TEST_F(Parking, WhatConcernsATopicIsNeverCountedAndNeverParked) {
  Start();
  Begin(100);
  for (const char* code : {"unknown_topic", "topic_authorization", "topic_creation"}) {
    RefuseInEvents(code);
    for (int attempt = 0; attempt < 5; ++attempt) {
      EXPECT_EQ(Offer("a", 0), Offered::kBlocked) << code;
      PollAfter(10 * kSecond);
    }
  }
  EXPECT_TRUE(kafka_.outstanding().empty());
  EXPECT_EQ(hold().refusals, 0);
}

TEST_F(Parking, ALetterThatFailsForItsTopicIsTriedForEver) {
  Start();
  RefuseInEvents("record_too_large");
  Refuse("dead", "unknown_topic");
  Begin(100);
  for (int attempt = 0; attempt < 10; ++attempt) {
    EXPECT_EQ(Offer("a", 0), Offered::kBlocked);
    PollAfter(10 * kSecond);
  }
  ASSERT_TRUE(publisher_->hold());
  EXPECT_EQ(hold().code, "not_parked");
  EXPECT_FALSE(publisher_->asks_for_row());
  kafka_.refusals.erase("dead");
  OfferUntilLetter("a");
}

TEST_F(Parking, ALetterThatIsRefusedItselfGoesWithoutItsValueIfTheRowIsThere) {
  Start();
  RefuseInEvents("record_too_large");
  Refuse("dead", "record_too_large");
  Begin(100);
  OfferUntilTheRowIsAskedFor("a");
  ASSERT_TRUE(publisher_->asks_for_row());
  kafka_.refusals.erase("dead");
  EXPECT_EQ(Offer("a", 0), Offered::kBlocked);
  EXPECT_TRUE(kafka_.outstanding().empty()) << "not before it is known";
  publisher_->TellRow(Record{.id = "a"}, true, now_us_);
  OfferUntilLetter("a");
  EXPECT_EQ(kafka_.outstanding().front().value, "");
  EXPECT_THAT(kafka_.outstanding().front().headers, Contains(Pair("postrider.parked.value", "left-out")));
}

TEST_F(Parking, ALetterThatIsRefusedIsHeldWhereTheRowIsGone) {
  Start();
  RefuseInEvents("record_too_large");
  Refuse("dead", "record_too_large");
  Begin(100);
  OfferUntilTheRowIsAskedFor("a");
  publisher_->TellRow(Record{.id = "a"}, false, now_us_);
  EXPECT_EQ(Offer("a", 0), Offered::kBlocked);
  EXPECT_EQ(hold().code, "not_parked");
  EXPECT_THAT(hold().reason, HasSubstr("no longer in the table"));
  kafka_.refusals.erase("dead");
  PollAfter(10 * kSecond);
  OfferUntilLetter("a");
  EXPECT_EQ(kafka_.outstanding().front().value, "vvvvvvvvvv");
}

TEST_F(Parking, ABrokerThatRefusesALetterIsAskedAgainForOneWithoutValue) {
  Start();
  RefuseInEvents("record_too_large");
  Begin(100);
  OfferUntilLetter("a");
  kafka_.Report("a", Outcome::kRecord);
  PollAfter(0);
  PollAfter(kSecond);
  EXPECT_EQ(Offer("a", 0), Offered::kBlocked);
  EXPECT_TRUE(publisher_->asks_for_row());
}

TEST_F(Parking, ALetterIsSentAgainWhenItsDeliveryFailsForAReasonThatPasses) {
  Start();
  RefuseInEvents("record_too_large");
  Begin(100);
  OfferUntilLetter("a");
  kafka_.Report("a", Outcome::kPassing);
  PollAfter(0);
  PollAfter(kSecond);
  OfferUntilLetter("a");
  EXPECT_EQ(stats_.events_parked, 0u);
}

TEST_F(Parking, AStreamThatIsLostAfterTheLettersAcknowledgementDoesNotParkTwice) {
  Start();
  RefuseInEvents("record_too_large");
  Begin(100);
  OfferUntilLetter("a");
  kafka_.Uncork();
  PollAfter(0);
  tracker_.Rewind();
  publisher_->ForgetRowInHand();
  Begin(100);
  EXPECT_EQ(Offer("a", 0), Offered::kTaken);
  EXPECT_EQ(stats_.events_parked, 1u);
  EXPECT_THAT(kafka_.ids(), ElementsAre("a"));
  EXPECT_EQ(publisher_->parked().events().size(), 1u);
}

TEST_F(Parking, AnUnroutableRowIsParkedAsText) {
  Start();
  Begin(100);
  const Record row{.value = "{}", .id = "a"};
  for (int step = 0; step < 100 && kafka_.outstanding().empty(); ++step) {
    ASSERT_EQ(publisher_->OfferUnroutable("no route", row, "public.outbox", {Lsn(100), 0}, now_us_), Offered::kBlocked);
    if (kafka_.outstanding().empty()) PollAfter(kSecond / 10);
  }
  ASSERT_EQ(kafka_.outstanding().size(), 1u);
  EXPECT_EQ(kafka_.outstanding().front().value, "{}");
  EXPECT_THAT(kafka_.outstanding().front().headers, Contains(Pair("__connect.errors.stage", "TRANSFORMATION")));
  kafka_.Uncork();
  PollAfter(0);
  EXPECT_EQ(publisher_->OfferUnroutable("no route", row, "public.outbox", {Lsn(100), 0}, now_us_), Offered::kTaken);
}

TEST_F(Parking, LaterEventsOfTheKeyFollowItWhereThatIsAskedFor) {
  config_.poison.park_same_key = true;
  Start();
  RefuseInEvents("record_too_large");
  Begin(100);
  OfferUntilLetter("a");
  kafka_.Uncork();
  PollAfter(0);
  ASSERT_EQ(Offer("a", 0), Offered::kTaken);
  kafka_.refusals.clear();
  kafka_.Cork();
  EXPECT_EQ(Offer("b", 1), Offered::kBlocked);
  ASSERT_EQ(kafka_.outstanding().size(), 1u);
  EXPECT_EQ(kafka_.outstanding().front().topic, "dead");
  EXPECT_THAT(kafka_.outstanding().front().headers, Contains(Pair("postrider.parked.code", "behind_parked")));
  kafka_.Uncork();
  PollAfter(0);
  ASSERT_EQ(Offer("b", 1), Offered::kTaken);
  EXPECT_EQ(Offer("c", 2, 10, "elsewhere"), Offered::kTaken) << "the same key in another topic";

  ASSERT_TRUE(publisher_->ReleaseKey("a").ok());
  kafka_.Cork();
  EXPECT_EQ(Offer("d", 3), Offered::kTaken);
  EXPECT_EQ(kafka_.outstanding().back().topic, "events");
  EXPECT_FALSE(publisher_->ReleaseKey("a").ok()) << "only once";
}

// ---- the operator ---------------------------------------------------------------------------------------------------

class Operator : public Parking {
 protected:
  Operator() { config_.poison.policy = config::PoisonPolicy::kHold; }
  void HoldA(const char* code = "record_too_large") {
    Start();
    RefuseInEvents(code);
    Begin(100);
    ASSERT_EQ(Offer("a", 0), Offered::kBlocked);
    ASSERT_TRUE(publisher_->hold());
  }
};

TEST_F(Operator, ParksWhatIsHeld) {
  HoldA();
  ASSERT_TRUE(publisher_->Order(Verdict::kPark, "a").ok());
  EXPECT_EQ(Offer("a", 0), Offered::kBlocked);
  ASSERT_EQ(kafka_.outstanding().size(), 1u) << "at once";
  kafka_.Uncork();
  PollAfter(0);
  EXPECT_EQ(Offer("a", 0), Offered::kTaken);
  EXPECT_EQ(stats_.events_parked, 1u);
}

TEST_F(Operator, ParksAnEventEvenIfItsTopicIsWhatRefuses) {
  HoldA("unknown_topic");
  ASSERT_TRUE(publisher_->Order(Verdict::kPark, "a").ok());
  OfferUntilLetter("a");
}

TEST_F(Operator, SkipsWhatIsHeldAndNothingElse) {
  HoldA();
  EXPECT_FALSE(publisher_->Order(Verdict::kSkip, "b").ok());
  EXPECT_EQ(Offer("a", 0), Offered::kBlocked);
  ASSERT_TRUE(publisher_->Order(Verdict::kSkip, "a").ok());
  EXPECT_EQ(Offer("a", 0), Offered::kTaken);
  EXPECT_EQ(stats_.events_skipped, 1u);
  EXPECT_EQ(Offer("b", 1), Offered::kBlocked) << "held like the one before, not skipped";
}

TEST_F(Operator, SkipsWhatCannotBeParked) {
  HoldA();
  Refuse("dead", "unknown_topic");
  ASSERT_TRUE(publisher_->Order(Verdict::kPark, "a").ok());
  EXPECT_EQ(Offer("a", 0), Offered::kBlocked);
  EXPECT_EQ(hold().code, "not_parked");
  ASSERT_TRUE(publisher_->Order(Verdict::kSkip, "a").ok());
  EXPECT_EQ(Offer("a", 0), Offered::kTaken);
}

TEST_F(Operator, WhatIsSkippedWhileItsTopicIsLookedUpDoesNotStallTheRelay) {
  HoldA("unknown_topic");
  kafka_.refusals["events"] = {.kind = Kind::kWait};
  PollAfter(10 * kSecond);
  EXPECT_EQ(Offer("a", 0), Offered::kBlocked);
  ASSERT_TRUE(publisher_->Order(Verdict::kSkip, "a").ok());
  EXPECT_EQ(Offer("a", 0), Offered::kTaken);
  EXPECT_FALSE(publisher_->stalled(now_us_ + 60 * kSecond));
}

TEST_F(Operator, CannotParkWithoutAPlace) {
  config_.poison.dead_letter_topic.clear();
  HoldA();
  EXPECT_THAT(std::string(publisher_->Order(Verdict::kPark, "a").message()),
              HasSubstr("errors.deadletterqueue.topic.name"));
}

TEST_F(Operator, RetriesAtOnce) {
  HoldA();
  kafka_.refusals.clear();
  EXPECT_EQ(Offer("a", 0), Offered::kBlocked) << "not before its time";
  ASSERT_TRUE(publisher_->Retry().ok());
  EXPECT_EQ(Offer("a", 0), Offered::kTaken);
}

TEST_F(Operator, HasNothingToSayWhereNothingIsHeld) {
  Start();
  EXPECT_FALSE(publisher_->Retry().ok());
  EXPECT_FALSE(publisher_->Order(Verdict::kSkip, "a").ok());
}

}  // namespace
}  // namespace postrider::relay
