// What the loop writes down for the watcher while it works: Stats and Meter, over a whole Relay.
#include <gtest/gtest.h>

#include "relay/stats.h"
#include "relay_harness.h"

namespace postrider::relay {
namespace {

class MeasuringTest : public RelayHarness {
 protected:
  // Of one table and topic; 0 where they were never seen.
  uint64_t Count(std::string_view topic, Fate fate) const {
    uint64_t count = 0;
    for (size_t i = 0; i < stats_.meter.size(); ++i) {
      if (stats_.meter.at(i).table == "outbox" && stats_.meter.at(i).topic == topic)
        count += stats_.meter.at(i).events[static_cast<size_t>(fate)].load();
    }
    return count;
  }
  OutboxRow RowOf(const std::string& id, const std::string& topic) {
    return {.id = id, .topic = topic, .key = "key", .payload = "payload"};
  }
};

TEST_F(MeasuringTest, RowsAreCountedByTableTopicAndWhatBecameOfThem) {
  FakeStream& stream = Start();
  SendTransaction(stream, 200,
                  {RowOf("a", "orders"), RowOf("b", "orders"), RowOf("c", "bills"), RowOf("d", "ignored")});
  RunFor(kSecond);
  EXPECT_EQ(Count("orders", Fate::kRead), 2u);
  EXPECT_EQ(Count("orders", Fate::kRouted), 2u);
  EXPECT_EQ(Count("orders", Fate::kAcknowledged), 2u);
  EXPECT_EQ(Count("bills", Fate::kAcknowledged), 1u);
  EXPECT_EQ(Count("", Fate::kRead), 1u);
  EXPECT_EQ(Count("", Fate::kIgnored), 1u);
  stream.Send(BeginBytes(Lsn(300)));
  stream.Send(UpdateBytes(Row("a")));
  RunFor(kSecond);
  EXPECT_EQ(Count("", Fate::kIgnored), 2u);
}

TEST_F(MeasuringTest, AHeldRowIsCountedOnceHoweverOftenItIsTried) {
  FakeStream& stream = Start();
  kafka_.refusals["a"] = {.kind = kafka::Acceptance::Kind::kHeld, .code = "unknown_topic", .reason = "no such topic"};
  SendTransaction(stream, 200, {RowOf("a", "orders")});
  RunFor(30 * kSecond);
  EXPECT_EQ(Count("orders", Fate::kHeld), 1u);
  EXPECT_EQ(Count("orders", Fate::kRead), 1u);
  EXPECT_EQ(stats_.reason.Get(), "no such topic");
  kafka_.refusals.clear();
  RunFor(30 * kSecond);
  EXPECT_EQ(Count("orders", Fate::kAcknowledged), 1u);
}

TEST_F(MeasuringTest, ASkippedRowIsCounted) {
  config_.relay.poison.policy = config::PoisonPolicy::kSkip;
  FakeStream& stream = Start();
  SendTransaction(stream, 200, {RowOf("a", "unroutable")});
  RunFor(kSecond);
  EXPECT_EQ(Count("", Fate::kSkipped) + Count("unroutable", Fate::kSkipped), 1u);
}

TEST_F(MeasuringTest, TheTimeToTheAcknowledgementIsMeasured) {
  FakeStream& stream = Start();
  kafka_.Cork();
  SendTransaction(stream, 200, {Row("a")});
  RunFor(3 * kSecond);
  EXPECT_EQ(stats_.meter.produce_to_ack.sum_us(), 0u);
  kafka_.Uncork();
  RunFor(kSecond);
  EXPECT_NEAR(static_cast<double>(stats_.meter.produce_to_ack.sum_us()), 3e6, 1e5);
  // The commit was at the beginning of PostgreSQL's time.
  EXPECT_EQ(stats_.meter.commit_to_ack.counts().back(), 1u);
}

TEST_F(MeasuringTest, TheOldestTransactionThatIsNotAcknowledgedIsKnownByItsCommit) {
  FakeStream& stream = Start();
  EXPECT_EQ(stats_.oldest_commit_us, 0);
  kafka_.Cork();
  SendTransaction(stream, 200, {Row("a")});
  RunFor(kSecond);
  EXPECT_EQ(stats_.oldest_commit_us, decoder::kPostgresEpochUnixMicros);
  kafka_.Uncork();
  RunFor(kSecond);
  EXPECT_EQ(stats_.oldest_commit_us, 0);
}

TEST_F(MeasuringTest, WithoutAStreamPositionsAreOfNoServer) {
  Make();
  Step();
  EXPECT_EQ(stats_.timeline, 0u);
  FakeStream& stream = connector_.Accept(Usual(100));
  Step();
  EXPECT_EQ(stats_.timeline, 1u);
  stream.SendKeepalive(Lsn(500));
  RunFor(2 * kSecond);
  EXPECT_EQ(stats_.reported_lsn, 500u);
  relay_->HungUp();
  Step();
  EXPECT_EQ(stats_.timeline, 0u);
}

TEST_F(MeasuringTest, EachTurnOfTheLoopIsSeen) {
  Start();
  RunFor(kSecond);
  EXPECT_LT(clock_.now_us() - stats_.stepped_us, 100 * kMs);
  EXPECT_NEAR(static_cast<double>(stats_.unix_ahead_us + stats_.stepped_us),
              static_cast<double>(clock_.UnixMillis()) * 1e3, 2e4);
}

TEST_F(MeasuringTest, ABrokerIsReachedOnceItAnswers) {
  FakeStream& stream = Start();
  EXPECT_FALSE(stats_.kafka_reached);
  SendTransaction(stream, 200, {Row("a")});
  RunFor(kSecond);
  EXPECT_TRUE(stats_.kafka_reached);
}

}  // namespace
}  // namespace postrider::relay
