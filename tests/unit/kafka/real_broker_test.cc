// The producer against a real Kafka that lets everybody in: `with_broker kafka_real_broker_test`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <ctime>

#include "kafka/wire_size.h"
#include "real_cluster.h"
#include "rig.h"

namespace postrider::kafka {
namespace {

using Kind = Acceptance::Kind;
using Outcome = Delivery::Outcome;
using testing::HasSubstr;

int64_t NowMs() {
  return static_cast<int64_t>(std::time(nullptr)) * 1000;
}

class RealBroker : public testing::Test {
 protected:
  void SetUp() override {
    const char* brokers = std::getenv("POSTRIDER_TEST_BROKERS");
    if (!brokers) GTEST_SKIP() << "POSTRIDER_TEST_BROKERS names no broker: run this program under with_broker";
    brokers_ = brokers;
    topic_ =
        std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + "-" + std::to_string(getpid());
    cluster_.emplace(brokers_);
  }
  static void Control(const std::string& action) {
    const char* control = std::getenv("POSTRIDER_TEST_BROKER_CONTROL");
    ASSERT_NE(control, nullptr);
    ASSERT_EQ(std::system((std::string(control ? control : "") + " " + action).c_str()), 0) << action;
  }
  Record With(std::string_view key, std::string_view value) const {
    return {.topic = topic_,
            .key = key,
            .value = value,
            .headers = {},
            .timestamp_ms = NowMs(),
            .partition = std::nullopt,
            .id = ""};
  }
  // Numbered records on 20 keys.
  void OfferNumbers(Rig& rig, int first, int last) {
    for (int i = first; i <= last; ++i) {
      const std::string key = "key" + std::to_string(i % 20);
      ASSERT_EQ(rig.Offer(With(key, std::to_string(i)), static_cast<uint64_t>(i), seconds(60)).kind, Kind::kAccepted);
    }
  }
  // All of them are there once, each key's in order.
  void ExpectNumbers(int count) {
    std::map<std::string, int> last;
    int seen = 0;
    for (const Received& received : cluster_->ReadAll(topic_)) {
      const int number = std::stoi(*received.value);
      EXPECT_LT(last[*received.key], number);
      last[*received.key] = number;
      ++seen;
    }
    EXPECT_EQ(seen, count);
  }

  std::string brokers_, topic_;
  std::optional<RealCluster> cluster_;
};

TEST_F(RealBroker, MakesATopicByItself) {
  Rig rig(ConfigFor(brokers_));
  const auto start = Clock::now();
  EXPECT_EQ(rig.Offer(With("k", "v"), 1).kind, Kind::kAccepted);
  EXPECT_LT(Clock::now() - start, seconds(3));
  ASSERT_TRUE(rig.Drain());
  EXPECT_EQ(rig.Count(Outcome::kAcknowledged), 1u);
  EXPECT_EQ(cluster_->PartitionCount(topic_), 4);
}

TEST_F(RealBroker, ATopicIsMadeAsItsGroupSays) {
  config::Producer config = ConfigFor(brokers_);
  config::TopicGroup group;
  group.name = "compacted";
  group.include = "ATopic.*";
  group.partitions = 3;
  group.replication_factor = 1;
  group.properties = {{"cleanup.policy", "compact"}};
  config.topic_groups.push_back(group);
  Rig rig(config);
  EXPECT_EQ(rig.Offer(With("k", "v"), 1).kind, Kind::kAccepted);
  ASSERT_TRUE(rig.Drain());
  EXPECT_EQ(cluster_->PartitionCount(topic_), 3);
  EXPECT_EQ(cluster_->Get(topic_, "cleanup.policy"), "compact");
}

TEST_F(RealBroker, AGroupThatTheClusterCannotServeIsHeld) {
  config::Producer config = ConfigFor(brokers_);
  config::TopicGroup group;
  group.name = "default";
  group.partitions = 1;
  group.replication_factor = 3;
  config.topic_groups.push_back(group);
  Rig rig(config);
  const Acceptance held = rig.Offer(With("k", "v"), 1);
  EXPECT_EQ(held.code, "topic_creation");
  EXPECT_THAT(held.reason, HasSubstr("INVALID_REPLICATION_FACTOR"));
}

TEST_F(RealBroker, AllStatesArriveAsTheyWere) {
  cluster_->CreateTopic(topic_, 1);
  Rig rig(ConfigFor(brokers_));
  const Header headers[] = {{.key = "null", .value = std::nullopt},
                            {.key = "empty", .value = ""},
                            {.key = "id", .value = "1"},
                            {.key = "id", .value = "2"}};
  Record record = With("", "");
  record.headers = headers;
  record.timestamp_ms = 1'234'567'890'123;
  EXPECT_EQ(rig.Offer(record, 1).kind, Kind::kAccepted);
  record.key = record.value = std::nullopt;
  record.headers = {};
  record.timestamp_ms = 0;
  EXPECT_EQ(rig.Offer(record, 2).kind, Kind::kAccepted);
  ASSERT_TRUE(rig.Drain());
  const std::vector<Received> received = cluster_->ReadAll(topic_);
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[0].key, "");
  EXPECT_EQ(received[0].value, "");
  const std::vector<std::pair<std::string, std::optional<std::string>>> sent = {
      {"null", std::nullopt}, {"empty", ""}, {"id", "1"}, {"id", "2"}};
  EXPECT_EQ(received[0].headers, sent);
  EXPECT_EQ(received[0].timestamp_ms, 1'234'567'890'123);
  EXPECT_EQ(received[1].key, std::nullopt);
  EXPECT_EQ(received[1].value, std::nullopt);
  EXPECT_EQ(received[1].timestamp_ms, 1);
}

TEST_F(RealBroker, KeysLieInJavasPartitions) {
  const std::pair<const char*, int32_t> tens[] = {{"354afe16-939a-4ea8-8e17-8bb0840b6886", 4},
                                                  {"f562ac3b-2224-4e25-a0ab-56094e10c239", 5}};
  cluster_->CreateTopic(topic_, 10);
  Rig rig(ConfigFor(brokers_));
  for (const auto& [key, partition] : tens)
    EXPECT_EQ(rig.Offer(With(key, std::to_string(partition)), static_cast<uint64_t>(partition)).kind, Kind::kAccepted);
  ASSERT_TRUE(rig.Drain());
  for (const Received& received : cluster_->ReadAll(topic_))
    EXPECT_EQ(std::to_string(received.partition), *received.value);
}

TEST_F(RealBroker, IgnoredKeysAreSpreadAndKept) {
  cluster_->CreateTopic(topic_, 4);
  config::Producer config = ConfigFor(brokers_);
  config.ignore_keys = true;
  Rig rig(config);
  const std::string value(8000, 'x');
  for (uint64_t tag = 1; tag <= 60; ++tag) EXPECT_EQ(rig.Offer(With("one", value), tag).kind, Kind::kAccepted);
  ASSERT_TRUE(rig.Drain());
  std::map<int32_t, int> partitions;
  for (const Received& received : cluster_->ReadAll(topic_)) {
    EXPECT_EQ(received.key, "one");
    ++partitions[received.partition];
  }
  EXPECT_EQ(partitions.size(), 4u);
}

TEST_F(RealBroker, ARecordOfExactlyTheTopicsLimitPasses) {
  cluster_->CreateTopic(topic_, 1, {{"max.message.bytes", "5000"}});
  Rig rig(ConfigFor(brokers_));
  std::string value(4800, 'x');
  while (WireBytes(With("k", value)) < 5000) value.push_back('x');
  ASSERT_EQ(WireBytes(With("k", value)), 5000u);
  EXPECT_EQ(rig.Offer(With("k", value), 1).kind, Kind::kAccepted);
  ASSERT_TRUE(rig.Drain());
  EXPECT_EQ(rig.Count(Outcome::kAcknowledged), 1u);
  value.push_back('x');
  EXPECT_EQ(rig.Offer(With("k", value), 2).code, "record_too_large");
}

TEST_F(RealBroker, ARaisedLimitLetsTheRecordGoOn) {
  cluster_->CreateTopic(topic_, 1, {{"max.message.bytes", "100000"}});
  Rig rig(ConfigFor(brokers_));
  const std::string small(10'000, 'x');
  const std::string large(200'000, 'x');
  EXPECT_EQ(rig.Offer(With("k", small), 1).kind, Kind::kAccepted);
  const Acceptance held = rig.Offer(With("k", large), 2);
  EXPECT_EQ(held.code, "record_too_large");
  EXPECT_THAT(held.reason, HasSubstr("100000"));
  cluster_->Set(topic_, "max.message.bytes", "300000");
  EXPECT_TRUE(
      rig.Until([&] { return rig.producer->Produce(With("k", large), 2).kind == Kind::kAccepted; }, seconds(3)));
  ASSERT_TRUE(rig.Drain());
  EXPECT_EQ(rig.Count(Outcome::kAcknowledged), 2u);
}

// Batches must stay below the topic's limit, or the broker would refuse small records too.
TEST_F(RealBroker, ATopicWithSmallBatchesTakesManyRecords) {
  cluster_->CreateTopic(topic_, 1, {{"max.message.bytes", "20000"}});
  Rig rig(ConfigFor(brokers_));
  const std::string value(1000, 'x');
  for (uint64_t tag = 1; tag <= 2000; ++tag) ASSERT_EQ(rig.Offer(With("k", value), tag).kind, Kind::kAccepted);
  ASSERT_TRUE(rig.Drain());
  EXPECT_EQ(rig.Count(Outcome::kAcknowledged), 2000u);
}

TEST_F(RealBroker, APartitionOutOfRangeIsHeldUntilItIsThere) {
  cluster_->CreateTopic(topic_, 2);
  Rig rig(ConfigFor(brokers_));
  Record record = With("k", "v");
  record.partition = 2;
  const Acceptance held = rig.Offer(record, 1);
  EXPECT_EQ(held.code, "unknown_partition");
  EXPECT_THAT(held.reason, HasSubstr("partition 2"));
  cluster_->SetPartitions(topic_, 3);
  EXPECT_TRUE(rig.Until([&] { return rig.producer->Produce(record, 1).kind == Kind::kAccepted; }, seconds(3)));
  ASSERT_TRUE(rig.Drain());
  EXPECT_EQ(cluster_->ReadAll(topic_)[0].partition, 2);
}

TEST_F(RealBroker, TheBadRecordsOfABatchAreNamed) {
  cluster_->CreateTopic(topic_, 1, {{"cleanup.policy", "compact"}});
  config::Producer config = ConfigFor(brokers_);
  config.properties.emplace_back("linger.ms", config::Secret::Plain("200"));
  Rig rig(config);
  Record keyless = With("k", "v");
  keyless.key = std::nullopt;  // a compacted topic does not take it
  EXPECT_EQ(rig.Offer(With("first", "flies alone"), 1).kind, Kind::kAccepted);
  ASSERT_TRUE(rig.Drain());
  EXPECT_EQ(rig.Offer(With("a", "1"), 2).kind, Kind::kAccepted);
  EXPECT_EQ(rig.Offer(keyless, 3).kind, Kind::kAccepted);
  EXPECT_EQ(rig.Offer(keyless, 4).kind, Kind::kAccepted);
  EXPECT_EQ(rig.Offer(With("b", "4"), 5).kind, Kind::kAccepted);
  ASSERT_TRUE(rig.Until([&] { return rig.Cause() != nullptr; }));
  rig.producer->Purge();
  ASSERT_TRUE(rig.Drain());
  EXPECT_TRUE(rig.EachReportedOnce(5));
  EXPECT_EQ(rig.Count(Outcome::kRecord), 2u);
  EXPECT_EQ(rig.Count(Outcome::kPurged), 2u);
  EXPECT_EQ(rig.Cause()->tag, 3u);
  EXPECT_STREQ(rig.Cause()->code, "INVALID_RECORD");
}

TEST_F(RealBroker, ATimestampThatTheTopicDoesNotTakeIsItsRecords) {
  cluster_->CreateTopic(topic_, 1, {{"message.timestamp.after.max.ms", "3600000"}});
  Rig rig(ConfigFor(brokers_), {.single_record_batches = true});
  Record record = With("k", "v");
  record.timestamp_ms += 2 * 3'600'000;
  EXPECT_EQ(rig.Offer(record, 1).kind, Kind::kAccepted);
  ASSERT_TRUE(rig.Until([&] { return rig.Cause() != nullptr; }));
  EXPECT_EQ(rig.Cause()->outcome, Outcome::kRecord);
  EXPECT_STREQ(rig.Cause()->code, "INVALID_TIMESTAMP");
}

TEST_F(RealBroker, AFrozenBrokerLosesNothing) {
  cluster_->CreateTopic(topic_, 4);
  Rig rig(ConfigFor(brokers_));
  OfferNumbers(rig, 1, 2000);
  Control("pause");
  OfferNumbers(rig, 2001, 6000);
  rig.Until([] { return false; }, seconds(8));
  EXPECT_LT(rig.Count(Outcome::kAcknowledged), 6000u);
  Control("resume");
  ASSERT_TRUE(rig.Drain(seconds(60)));
  EXPECT_TRUE(rig.EachReportedOnce(6000));
  EXPECT_EQ(rig.Count(Outcome::kAcknowledged), 6000u);
  ExpectNumbers(6000);
}

TEST_F(RealBroker, AKilledBrokerLosesNothing) {
  cluster_->CreateTopic(topic_, 4);
  Rig rig(ConfigFor(brokers_));
  OfferNumbers(rig, 1, 5000);
  Control("kill");
  OfferNumbers(rig, 5001, 10'000);
  ASSERT_TRUE(rig.Until([&] { return rig.Find(ProducerEvent::Kind::kAllDown); }));
  rig.events.clear();
  Control("start");
  ASSERT_TRUE(rig.Drain(seconds(60)));
  EXPECT_TRUE(rig.EachReportedOnce(10'000));
  EXPECT_EQ(rig.Count(Outcome::kAcknowledged), 10'000u);
  EXPECT_NE(rig.Find(ProducerEvent::Kind::kConnected), nullptr);
  ExpectNumbers(10'000);
}

}  // namespace
}  // namespace postrider::kafka
