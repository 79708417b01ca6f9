#include "kafka/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "absl/status/status.h"
#include "base/fault.h"
#include "mock_cluster.h"

namespace postrider::kafka {
namespace {

using testing::HasSubstr;

config::Producer With(const std::vector<std::pair<const char*, const char*>>& properties) {
  config::Producer config;
  config.properties.emplace_back("bootstrap.servers", config::Secret::Plain("127.0.0.1:1"));
  for (const auto& [name, value] : properties) config.properties.emplace_back(name, config::Secret::Plain(value));
  return config;
}

std::string Effective(const Client& client, const char* name) {
  char value[256] = "";
  size_t size = sizeof value;
  rd_kafka_conf_get(rd_kafka_conf(client.handle()), name, value, &size);
  return value;
}

void ExpectFault(const config::Producer& config, const char* text) {
  const Wakeup bell;
  const auto client = Client::Make(config, {}, &bell);
  ASSERT_FALSE(client.ok());
  EXPECT_EQ(FaultOf(client.status()), Fault::kConfiguration);
  EXPECT_THAT(std::string(client.status().message()), HasSubstr(text));
  EXPECT_THAT(std::string(client.status().message()), testing::Not(HasSubstr("hunter2")));
}

TEST(Client, WhatHoldsWithoutAWord) {
  const Wakeup bell;
  const auto client = Client::Make(With({}), {}, &bell);
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_EQ(Effective(**client, "enable.idempotence"), "true");
  EXPECT_EQ(Effective(**client, "enable.gapless.guarantee"), "true");
  EXPECT_EQ(Effective(**client, "acks"), "-1");
  EXPECT_EQ(Effective(**client, "message.timeout.ms"), "2147483647");
  EXPECT_EQ(Effective(**client, "partitioner"), "murmur2_random");
  EXPECT_FALSE((*client)->compressed());
  EXPECT_TRUE((*client)->broker_creates_topics());
  EXPECT_EQ((*client)->batch_bytes(), 1'000'000u);
}

TEST(Client, TheConfigurationIsObeyed) {
  const Wakeup bell;
  const auto client = Client::Make(With({{"enable.idempotence", "false"},
                                         {"acks", "1"},
                                         {"compression.type", "lz4"},
                                         {"batch.size", "16384"},
                                         {"allow.auto.create.topics", "false"}}),
                                   {.single_record_batches = true}, &bell);
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_EQ(Effective(**client, "enable.gapless.guarantee"), "false");
  EXPECT_EQ(Effective(**client, "acks"), "1");
  EXPECT_EQ(Effective(**client, "batch.num.messages"), "1");
  EXPECT_TRUE((*client)->compressed());
  EXPECT_FALSE((*client)->broker_creates_topics());
  EXPECT_EQ((*client)->batch_bytes(), 16'384u);
}

TEST(Client, APropertyThatIsRefusedIsNamedAndASecretIsNot) {
  ExpectFault(With({{"linger.ms", "soon"}}), "linger.ms");
  ExpectFault(With({{"no.such.property", "1"}}), "no.such.property");
  ExpectFault(With({{"sasl.oauthbearer.method", "hunter2"}}), "sasl.oauthbearer.method");
  ExpectFault(With({{"security.protocol", "ssl"}, {"ssl.key.pem", "hunter2"}}), "ssl.key.pem");
}

TEST(Client, ASecretThatCannotBeReadIsNamed) {
  config::Producer config = With({});
  config.properties.emplace_back(
      "sasl.password", config::Secret("${file:/secrets:kafka}", [](const std::string&) -> absl::StatusOr<std::string> {
        return absl::NotFoundError("/secrets is not there");
      }));
  ExpectFault(config, "sasl.password: the value cannot be read: /secrets is not there");
}

TEST(Client, SecretsAreReadAnewEachTime) {
  int reads = 0;
  config::Producer config = With({});
  config.properties.emplace_back("sasl.password",
                                 config::Secret("${...}", [&reads](const std::string&) -> absl::StatusOr<std::string> {
                                   return "hunter" + std::to_string(++reads);
                                 }));
  const Wakeup bell;
  EXPECT_TRUE(Client::Make(config, {}, &bell).ok());
  EXPECT_TRUE(Client::Make(config, {}, &bell).ok());
  EXPECT_EQ(reads, 2);
}

bool Rings(const Wakeup& bell, int wait_ms) {
  pollfd waiting{.fd = bell.fd(), .events = POLLIN, .revents = 0};
  const bool rings = poll(&waiting, 1, wait_ms) == 1;
  bell.Clear();
  return rings;
}

TEST(Client, TheQueueRingsTheBellUntilSilenced) {
  MockCluster cluster;
  const Wakeup bell;
  config::Producer config;
  config.properties.emplace_back("bootstrap.servers", config::Secret::Plain(cluster.brokers()));
  const auto client = Client::Make(config, {}, &bell);
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_TRUE(Rings(bell, 0));
  const auto ask = [&client] {
    while (rd_kafka_event_t* event = rd_kafka_queue_poll((*client)->queue(), 0)) rd_kafka_event_destroy(event);
    rd_kafka_DescribeCluster((*client)->handle(), nullptr, (*client)->queue());
  };
  ask();
  EXPECT_TRUE(Rings(bell, 5000));
  (*client)->Silence();
  ask();
  EXPECT_FALSE(Rings(bell, 300));
}

// Java's producer chooses the partition of a keyed record by murmur2: the same key must stay where Debezium put it.
TEST(Client, KeysGoWhereJavaPutsThem) {
  struct Vector {
    const char* key;
    int32_t partitions;
    int32_t partition;
  };
  // From public reports of producers that differed, recomputed with org.apache.kafka.common.utils.Utils.murmur2.
  const Vector vectors[] = {{"TT0124", 15, 10},
                            {"fd7af248-ce5c-46a5-93d7-1c0c9005b99d", 32, 26},
                            {"354afe16-939a-4ea8-8e17-8bb0840b6886", 10, 4},
                            {"f562ac3b-2224-4e25-a0ab-56094e10c239", 10, 5},
                            {"1", 3, 0}};
  for (const auto& [key, partitions, partition] : vectors) {
    EXPECT_EQ(rd_kafka_msg_partitioner_murmur2_random(nullptr, key, std::string_view(key).size(), partitions, nullptr,
                                                      nullptr),
              partition)
        << key;
  }
  // An empty key is hashed like any other: 0x106e08d9.
  EXPECT_EQ(rd_kafka_msg_partitioner_murmur2_random(nullptr, "", 0, 1000, nullptr, nullptr), 0x106e08d9 % 1000);
}

}  // namespace
}  // namespace postrider::kafka
