// The producer against librdkafka's mock brokers: what becomes of each record in each kind of failure.
#include "kafka/producer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kafka/wire_size.h"
#include "mock_cluster.h"
#include "rig.h"

namespace postrider::kafka {
namespace {

using Kind = Acceptance::Kind;
using Outcome = Delivery::Outcome;
using testing::HasSubstr;

Record Small(std::string_view topic, std::string_view key = "k") {
  return {.topic = topic,
          .key = key,
          .value = "v",
          .headers = {},
          .timestamp_ms = 1'700'000'000'000,
          .partition = std::nullopt,
          .id = ""};
}

// Offers records with the tags first to last; returns how many were taken.
uint64_t OfferMany(Rig& rig, std::string_view topic, uint64_t first, uint64_t last) {
  uint64_t taken = 0;
  for (uint64_t tag = first; tag <= last; ++tag) taken += rig.Offer(Small(topic), tag).kind == Kind::kAccepted;
  return taken;
}

TEST(Producer, EveryRecordIsAcknowledgedOnce) {
  MockCluster cluster(3);
  cluster.CreateTopic("orders", 4);
  Rig rig(ConfigFor(cluster.brokers()));
  EXPECT_EQ(OfferMany(rig, "orders", 1, 1000), 1000u);
  ASSERT_TRUE(rig.Drain());
  EXPECT_EQ(rig.Count(Outcome::kAcknowledged), 1000u);
  EXPECT_TRUE(rig.EachReportedOnce(1000));
  ASSERT_NE(rig.Find(ProducerEvent::Kind::kConnected), nullptr);
}

// See first_flight.h: a second batch in flight could make librdkafka report a lost first one as written.
TEST(Producer, TheFirstRecordToAPartitionFliesAlone) {
  MockCluster cluster;
  cluster.CreateTopic("orders", 2);
  Rig rig(ConfigFor(cluster.brokers()));
  Record first = Small("orders"), other = Small("orders");
  first.partition = 0;
  other.partition = 1;
  EXPECT_EQ(rig.Offer(first, 1).kind, Kind::kAccepted);
  EXPECT_EQ(rig.producer->Produce(first, 2).kind, Kind::kWait);
  EXPECT_EQ(rig.producer->Produce(other, 2).kind, Kind::kAccepted);
  ASSERT_TRUE(rig.Drain());
  EXPECT_EQ(rig.producer->Produce(first, 3).kind, Kind::kAccepted);
  EXPECT_EQ(rig.producer->Produce(first, 4).kind, Kind::kAccepted);
  ASSERT_TRUE(rig.Drain());
  EXPECT_TRUE(rig.EachReportedOnce(4));
}

// A key lands where it is expected: the record behind it on the same partition waits, whatever the key's partition is.
TEST(Producer, TheFirstRecordWithAKeyFliesAloneToo) {
  MockCluster cluster;
  cluster.CreateTopic("orders", 4);
  Rig rig(ConfigFor(cluster.brokers()));
  EXPECT_EQ(rig.Offer(Small("orders", "a"), 1).kind, Kind::kAccepted);
  EXPECT_EQ(rig.producer->Produce(Small("orders", "a"), 2).kind, Kind::kWait);
  ASSERT_TRUE(rig.Drain());
  EXPECT_EQ(rig.producer->Produce(Small("orders", "a"), 2).kind, Kind::kAccepted);
  EXPECT_EQ(rig.producer->Produce(Small("orders", "a"), 3).kind, Kind::kAccepted);  // no guess of another partition
  ASSERT_TRUE(rig.Drain());
}

// Half a second, where nothing asks for metadata before the first record.
TEST(Producer, TheFirstAcknowledgementDoesNotWaitForLibrdkafkasTimer) {
  MockCluster cluster;
  cluster.CreateTopic("orders", 1);
  Clock::duration best = seconds(10);
  for (int attempt = 0; attempt < 5 && best >= milliseconds(300); ++attempt) {  // the machine may be busy
    const auto start = Clock::now();
    Rig rig(ConfigFor(cluster.brokers()));
    EXPECT_EQ(rig.Offer(Small("orders"), 1).kind, Kind::kAccepted);
    ASSERT_TRUE(rig.Drain());
    best = std::min(best, Clock::now() - start);
  }
  EXPECT_LT(best, milliseconds(300));
}

TEST(Producer, KeepsAllThreeStatesOfKeyValueAndHeaders) {
  MockCluster cluster;
  cluster.CreateTopic("states", 1);
  Rig rig(ConfigFor(cluster.brokers()));
  const Header headers[] = {
      {.key = "null", .value = std::nullopt}, {.key = "empty", .value = std::string_view()}, {.key = "", .value = "x"}};
  Record record = Small("states");
  record.headers = headers;
  uint64_t tag = 0;
  for (const std::optional<std::string_view> bytes :
       {std::optional<std::string_view>(), {std::string_view()}, {"bytes"}}) {
    record.key = record.value = bytes;
    EXPECT_EQ(rig.Offer(record, ++tag).kind, Kind::kAccepted);
  }
  ASSERT_TRUE(rig.Drain());
  EXPECT_EQ(rig.Count(Outcome::kAcknowledged), 3u);
}

TEST(Producer, PassingErrorsAreRetriedWithoutAWord) {
  MockCluster cluster;
  cluster.CreateTopic("orders", 1);
  cluster.Answer(MockCluster::kProduce,
                 {RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS,
                  RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR});
  Rig rig(ConfigFor(cluster.brokers()));
  EXPECT_EQ(OfferMany(rig, "orders", 1, 100), 100u);
  ASSERT_TRUE(rig.Drain());
  EXPECT_EQ(rig.Count(Outcome::kAcknowledged), 100u);
  EXPECT_EQ(rig.Find(ProducerEvent::Kind::kFatal), nullptr);
}

// A refused batch: the cause is told by its records, everything behind it is purged, and each record is reported once.
class RefusedBatch : public testing::TestWithParam<rd_kafka_resp_err_t> {};

TEST_P(RefusedBatch, TellsTheCauseAndWritesNothingBehindIt) {
  MockCluster cluster;
  cluster.CreateTopic("orders", 1);
  config::Producer config = ConfigFor(cluster.brokers());
  config.properties.emplace_back("linger.ms", config::Secret::Plain("50"));  // the batch has more than one record
  Rig rig(config);
  EXPECT_EQ(rig.Offer(Small("orders"), 1).kind, Kind::kAccepted);
  ASSERT_TRUE(rig.Drain());
  cluster.Answer(MockCluster::kProduce, {GetParam()});
  uint64_t taken = 1;
  while (taken < 500 && rig.producer->Produce(Small("orders"), taken + 1).kind == Kind::kAccepted) ++taken;
  ASSERT_TRUE(rig.Until([&] { return rig.Cause() && rig.Find(ProducerEvent::Kind::kFatal); }));
  EXPECT_EQ(rig.producer->Produce(Small("orders"), 1000).kind, Kind::kBroken);
  rig.producer->Purge();
  ASSERT_TRUE(rig.Drain());
  EXPECT_TRUE(rig.EachReportedOnce(taken));
  EXPECT_EQ(rig.Cause()->outcome, Outcome::kBatch);
  EXPECT_STREQ(rig.Cause()->code, rd_kafka_err2name(GetParam()));
  EXPECT_STREQ(rig.Cause()->topic, "orders");
  EXPECT_EQ(rig.Count(Outcome::kAcknowledged), 1u);
  EXPECT_EQ(rig.Count(Outcome::kFatal) + rig.Count(Outcome::kPassing), 0u);
}

INSTANTIATE_TEST_SUITE_P(Codes, RefusedBatch,
                         testing::Values(RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, RD_KAFKA_RESP_ERR_INVALID_RECORD,
                                         RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP));

TEST(Producer, ARecordAloneInItsBatchIsTheGuiltyOne) {
  MockCluster cluster;
  cluster.CreateTopic("orders", 1);
  cluster.Answer(MockCluster::kProduce, {RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE});
  Rig rig(ConfigFor(cluster.brokers()), {.single_record_batches = true});
  const Header headers[] = {
      {.key = "id", .value = "123"}, {.key = "none", .value = std::nullopt}, {.key = "empty", .value = ""}};
  Record record = Small("orders");
  record.headers = headers;
  EXPECT_EQ(rig.Offer(record, 1).kind, Kind::kAccepted);
  const uint64_t taken = 1 + OfferMany(rig, "orders", 2, 10);
  ASSERT_TRUE(rig.Until([&] { return rig.Cause() != nullptr; }));
  rig.producer->Purge();
  ASSERT_TRUE(rig.Drain());
  EXPECT_TRUE(rig.EachReportedOnce(taken));
  EXPECT_EQ(rig.Cause()->outcome, Outcome::kRecord);
  EXPECT_EQ(rig.Count(Outcome::kRecord), 1u);
  EXPECT_EQ(rig.Cause()->tag, 1u);
  EXPECT_EQ(rig.Cause()->record_bytes, WireBytes(record));
}

TEST(Producer, ARightTakenAwayIsTheTopics) {
  MockCluster cluster;
  cluster.CreateTopic("orders", 1);
  cluster.Answer(MockCluster::kProduce, {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED});
  Rig rig(ConfigFor(cluster.brokers()));
  const uint64_t taken = OfferMany(rig, "orders", 1, 10);
  ASSERT_TRUE(rig.Until([&] { return rig.Cause() != nullptr; }));
  rig.producer->Purge();
  ASSERT_TRUE(rig.Drain());
  EXPECT_TRUE(rig.EachReportedOnce(taken));
  EXPECT_EQ(rig.Cause()->outcome, Outcome::kTopic);
}

TEST(Producer, ASequenceThatBrokeIsFatal) {
  MockCluster cluster;
  cluster.CreateTopic("orders", 1);
  cluster.Answer(MockCluster::kProduce, {RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER});
  Rig rig(ConfigFor(cluster.brokers()));
  const uint64_t taken = OfferMany(rig, "orders", 1, 10);
  ASSERT_TRUE(rig.Until([&] { return rig.Find(ProducerEvent::Kind::kFatal); }));
  EXPECT_THAT(rig.Find(ProducerEvent::Kind::kFatal)->text, HasSubstr("OUT_OF_ORDER_SEQUENCE_NUMBER"));
  EXPECT_EQ(rig.producer->CheckTopic("orders", 0, std::nullopt).kind, Kind::kBroken);
  rig.producer->Purge();
  ASSERT_TRUE(rig.Drain());
  EXPECT_TRUE(rig.EachReportedOnce(taken));
  EXPECT_EQ(rig.Cause()->outcome, Outcome::kFatal);
}

TEST(Producer, ARefusedProducerIdIsARefusalAndComesBeforeTheGoodNews) {
  MockCluster cluster;
  cluster.CreateTopic("orders", 1);
  cluster.Answer(MockCluster::kInitProducerId, {RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED});
  Rig rig(ConfigFor(cluster.brokers()));
  ASSERT_TRUE(rig.Until([&] { return !rig.events.empty(); }));
  EXPECT_EQ(rig.events.front().kind, ProducerEvent::Kind::kRefused);
  EXPECT_EQ(rig.Find(ProducerEvent::Kind::kConnected), nullptr);
}

TEST(Producer, PurgeReportsWhatWasNotWritten) {
  MockCluster cluster;
  cluster.CreateTopic("orders", 4);
  Rig rig(ConfigFor(cluster.brokers()));
  EXPECT_EQ(rig.Offer(Small("orders"), 1).kind, Kind::kAccepted);
  ASSERT_TRUE(rig.Drain());
  cluster.SetRoundTripMs(5000);
  uint64_t taken = 1;
  while (taken < 1000 && rig.producer->Produce(Small("orders"), taken + 1).kind == Kind::kAccepted) ++taken;
  EXPECT_EQ(taken, 1000u);
  rig.Turn();
  rig.producer->Purge();
  EXPECT_EQ(rig.producer->Produce(Small("orders"), 2000).kind, Kind::kBroken);
  const auto start = Clock::now();
  ASSERT_TRUE(rig.Drain());
  EXPECT_LT(Clock::now() - start, seconds(2));
  EXPECT_TRUE(rig.EachReportedOnce(taken));
  EXPECT_EQ(rig.Count(Outcome::kPurged), 999u);
  EXPECT_EQ(rig.Find(ProducerEvent::Kind::kFatal), nullptr);
}

TEST(Producer, AllBrokersAwayAndBack) {
  MockCluster cluster;
  cluster.CreateTopic("orders", 1);
  Rig rig(ConfigFor(cluster.brokers()));
  EXPECT_EQ(rig.Offer(Small("orders"), 1).kind, Kind::kAccepted);
  ASSERT_TRUE(rig.Drain());
  cluster.SetDown();
  EXPECT_EQ(rig.Offer(Small("orders"), 2).kind, Kind::kAccepted);
  ASSERT_TRUE(rig.Until([&] { return rig.Find(ProducerEvent::Kind::kAllDown); }));
  rig.events.clear();
  cluster.SetUp();
  ASSERT_TRUE(rig.Drain());
  EXPECT_EQ(rig.Count(Outcome::kAcknowledged), 2u);
  EXPECT_NE(rig.Find(ProducerEvent::Kind::kConnected), nullptr);
}

TEST(Producer, NobodyThereIsSaidWithTheReason) {
  Rig rig(ConfigFor("127.0.0.1:1"));
  ASSERT_TRUE(rig.Until([&] { return rig.Find(ProducerEvent::Kind::kAllDown); }));
  EXPECT_THAT(rig.Find(ProducerEvent::Kind::kAllDown)->text, HasSubstr("refused"));
  EXPECT_EQ(rig.producer->Produce(Small("orders"), 1).kind, Kind::kWait);
}

TEST(Producer, AnIdleProducerNoticesThatBrokersAreBack) {
  MockCluster cluster;
  cluster.SetDown();
  Rig rig(ConfigFor(cluster.brokers()));
  ASSERT_TRUE(rig.Until([&] { return rig.Find(ProducerEvent::Kind::kAllDown); }));
  cluster.SetUp();
  EXPECT_TRUE(rig.Until([&] { return rig.Find(ProducerEvent::Kind::kConnected); }));
}

TEST(Producer, HeldRecordsNameTheirReason) {
  MockCluster cluster;
  cluster.CreateTopic("orders", 4);
  config::Producer config = ConfigFor(cluster.brokers());
  config.max_request_size_bytes = 2000;
  Rig rig(config);

  Record record = Small("no such/topic");
  EXPECT_EQ(rig.Offer(record, 1).code, "invalid_topic");

  record = Small("orders");
  record.partition = 4;
  EXPECT_EQ(rig.Offer(record, 1).code, "unknown_partition");
  record.partition = -2;
  EXPECT_EQ(rig.Offer(record, 1).code, "unknown_partition");

  record = Small("orders");
  record.timestamp_ms = -1;
  EXPECT_EQ(rig.Offer(record, 1).code, "invalid_timestamp");

  const std::string value(2000, 'x');
  record = Small("orders");
  record.value = value;
  const Acceptance too_large = rig.Offer(record, 1);
  EXPECT_EQ(too_large.code, "record_too_large");
  EXPECT_THAT(too_large.reason, HasSubstr("2000"));
  EXPECT_EQ(rig.Check("orders", 2001).code, "record_too_large");
  EXPECT_EQ(rig.Check("orders", 2000).kind, Kind::kAccepted);
  EXPECT_EQ(rig.producer->outstanding(), 0u);
}

TEST(Producer, ALargeRecordBelowTheLimitIsSent) {
  MockCluster cluster;
  cluster.CreateTopic("orders", 1);
  config::Producer config = ConfigFor(cluster.brokers());
  config.max_request_size_bytes = 3'000'000;
  Rig rig(config);
  const std::string value(2'999'900, 'x');
  Record record = Small("orders");
  record.value = value;
  EXPECT_EQ(rig.Offer(record, 1).kind, Kind::kAccepted);
  ASSERT_TRUE(rig.Drain());
  EXPECT_EQ(rig.Count(Outcome::kAcknowledged), 1u);
}

TEST(Producer, AMissingTopicThatNobodyMakesIsHeld) {
  MockCluster cluster;
  config::Producer config = ConfigFor(cluster.brokers());
  config.properties.emplace_back("allow.auto.create.topics", config::Secret::Plain("false"));
  Rig rig(config);
  const Acceptance held = rig.Offer(Small("missing"), 1);
  EXPECT_EQ(held.kind, Kind::kHeld);
  EXPECT_EQ(held.code, "unknown_topic");
  EXPECT_THAT(held.reason, HasSubstr("missing"));
  cluster.CreateTopic("missing", 1);
  EXPECT_TRUE(
      rig.Until([&] { return rig.producer->Produce(Small("missing"), 1).kind == Kind::kAccepted; }, seconds(3)));
  EXPECT_TRUE(rig.Drain());
}

TEST(Producer, TheBrokerMakesAMissingTopic) {
  MockCluster cluster;
  Rig rig(ConfigFor(cluster.brokers()));
  EXPECT_EQ(rig.Offer(Small("made"), 1).kind, Kind::kAccepted);
  EXPECT_TRUE(rig.Drain());
}

TEST(Producer, HundredsOfTopicsAtOnce) {
  MockCluster cluster(3);
  Rig rig(ConfigFor(cluster.brokers()));
  std::vector<std::string> topics;
  topics.reserve(400);
  for (int i = 0; i < 400; ++i) topics.push_back("topic-" + std::to_string(i));
  std::vector<bool> done(topics.size());
  ASSERT_TRUE(rig.Until(
      [&] {
        bool all = true;
        for (size_t i = 0; i < topics.size(); ++i) {
          if (!done[i]) done[i] = rig.producer->Produce(Small(topics[i]), i + 1).kind == Kind::kAccepted;
          all = all && done[i];
        }
        return all;
      },
      seconds(20)));
  ASSERT_TRUE(rig.Drain(seconds(20)));
  EXPECT_TRUE(rig.EachReportedOnce(topics.size()));
}

TEST(Producer, ItsEndDoesNotBlock) {
  MockCluster cluster;
  cluster.CreateTopic("orders", 1);
  Rig rig(ConfigFor(cluster.brokers()));
  EXPECT_EQ(rig.Offer(Small("orders"), 1).kind, Kind::kAccepted);
  const auto start = Clock::now();
  rig.producer.reset();
  EXPECT_LT(Clock::now() - start, milliseconds(200));
}

TEST(Producer, APropertyThatLibrdkafkaRefusesIsNamed) {
  config::Producer config = ConfigFor("127.0.0.1:1");
  config.properties.emplace_back("compression.type", config::Secret::Plain("none of them"));
  const Wakeup bell;
  const auto made = MakeProducerFactory(config, &bell)->Make({});
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(std::string(made.status().message()), HasSubstr("compression.type"));
}

}  // namespace
}  // namespace postrider::kafka
