// A real Kafka, seen by a test: made and changed through librdkafka's Admin API, read back partition by partition.
// Blocking calls; a failure is a failed expectation.
#pragma once

#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rig.h"

namespace postrider::kafka {

using Properties = std::vector<std::pair<std::string, std::string>>;

struct Received {
  int32_t partition = 0;
  std::optional<std::string> key, value;
  std::vector<std::pair<std::string, std::optional<std::string>>> headers;
  int64_t timestamp_ms = 0;
};

class RealCluster {
 public:
  explicit RealCluster(const std::string& brokers, const Properties& login = {}) : brokers_(brokers), login_(login) {
    client_ = Make(RD_KAFKA_PRODUCER, {});
    queue_ = rd_kafka_queue_new(client_);
  }
  ~RealCluster() {
    rd_kafka_queue_destroy(queue_);
    rd_kafka_destroy(client_);
  }
  RealCluster(const RealCluster&) = delete;
  RealCluster& operator=(const RealCluster&) = delete;

  void CreateTopic(const std::string& name, int partitions, const Properties& settings = {}) {
    char error[256] = "";
    rd_kafka_NewTopic_t* topic = rd_kafka_NewTopic_new(name.c_str(), partitions, 1, error, sizeof error);
    for (const auto& [key, value] : settings) rd_kafka_NewTopic_set_config(topic, key.c_str(), value.c_str());
    rd_kafka_CreateTopics(client_, &topic, 1, nullptr, queue_);
    rd_kafka_NewTopic_destroy(topic);
    rd_kafka_event_t* event = Await();
    size_t count = 0;
    const auto** results = rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event), &count);
    EXPECT_TRUE(count == 1 && rd_kafka_topic_result_error(results[0]) == RD_KAFKA_RESP_ERR_NO_ERROR) << name;
    rd_kafka_event_destroy(event);
  }

  void DeleteTopic(const std::string& name) {
    rd_kafka_DeleteTopic_t* topic = rd_kafka_DeleteTopic_new(name.c_str());
    rd_kafka_DeleteTopics(client_, &topic, 1, nullptr, queue_);
    rd_kafka_DeleteTopic_destroy(topic);
    rd_kafka_event_destroy(Await());
  }

  void SetPartitions(const std::string& name, size_t partitions) {
    char error[256] = "";
    rd_kafka_NewPartitions_t* more = rd_kafka_NewPartitions_new(name.c_str(), partitions, error, sizeof error);
    rd_kafka_CreatePartitions(client_, &more, 1, nullptr, queue_);
    rd_kafka_NewPartitions_destroy(more);
    rd_kafka_event_destroy(Await());
  }

  void Set(const std::string& name, const std::string& key, const std::string& value) {
    rd_kafka_ConfigResource_t* resource = rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, name.c_str());
    rd_kafka_error_t* error = rd_kafka_ConfigResource_add_incremental_config(
        resource, key.c_str(), RD_KAFKA_ALTER_CONFIG_OP_TYPE_SET, value.c_str());
    EXPECT_EQ(error, nullptr);
    rd_kafka_IncrementalAlterConfigs(client_, &resource, 1, nullptr, queue_);
    rd_kafka_ConfigResource_destroy(resource);
    rd_kafka_event_destroy(Await());
  }

  std::string Get(const std::string& name, const std::string& key) {
    rd_kafka_ConfigResource_t* resource = rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, name.c_str());
    rd_kafka_DescribeConfigs(client_, &resource, 1, nullptr, queue_);
    rd_kafka_ConfigResource_destroy(resource);
    rd_kafka_event_t* event = Await();
    size_t count = 0;
    const auto** resources =
        rd_kafka_DescribeConfigs_result_resources(rd_kafka_event_DescribeConfigs_result(event), &count);
    const auto** entries = rd_kafka_ConfigResource_configs(resources[0], &count);
    std::string found;
    for (size_t i = 0; i < count; ++i) {
      if (rd_kafka_ConfigEntry_name(entries[i]) == key) found = rd_kafka_ConfigEntry_value(entries[i]);
    }
    rd_kafka_event_destroy(event);
    return found;
  }

  void Allow(const std::string& user, const std::string& topic, rd_kafka_AclOperation_t operation) {
    char error[256] = "";
    rd_kafka_AclBinding_t* acl = rd_kafka_AclBinding_new(
        RD_KAFKA_RESOURCE_TOPIC, topic.c_str(), RD_KAFKA_RESOURCE_PATTERN_LITERAL, ("User:" + user).c_str(), "*",
        operation, RD_KAFKA_ACL_PERMISSION_TYPE_ALLOW, error, sizeof error);
    rd_kafka_CreateAcls(client_, &acl, 1, nullptr, queue_);
    rd_kafka_AclBinding_destroy(acl);
    rd_kafka_event_destroy(Await());
  }

  int PartitionCount(const std::string& topic) {
    const rd_kafka_metadata_t* metadata = nullptr;
    rd_kafka_topic_t* handle = rd_kafka_topic_new(client_, topic.c_str(), nullptr);
    EXPECT_EQ(rd_kafka_metadata(client_, 0, handle, &metadata, 10'000), RD_KAFKA_RESP_ERR_NO_ERROR);
    const int count = metadata->topics[0].partition_cnt;
    rd_kafka_metadata_destroy(metadata);
    rd_kafka_topic_destroy(handle);
    return count;
  }

  // Everything in the topic, in order of each partition.
  std::vector<Received> ReadAll(const std::string& topic) {
    rd_kafka_t* consumer = Make(RD_KAFKA_CONSUMER, {{"group.id", "test"},
                                                    {"enable.partition.eof", "true"},
                                                    {"enable.auto.commit", "false"},
                                                    {"check.crcs", "true"}});
    rd_kafka_poll_set_consumer(consumer);
    int open = PartitionCount(topic);
    rd_kafka_topic_partition_list_t* all = rd_kafka_topic_partition_list_new(open);
    for (int32_t i = 0; i < open; ++i) rd_kafka_topic_partition_list_add(all, topic.c_str(), i)->offset = 0;
    rd_kafka_assign(consumer, all);
    rd_kafka_topic_partition_list_destroy(all);
    std::vector<Received> received;
    const auto deadline = Clock::now() + seconds(30);
    while (open > 0 && Clock::now() < deadline) {
      rd_kafka_message_t* message = rd_kafka_consumer_poll(consumer, 1000);
      if (!message) continue;
      if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) --open;
      if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) received.push_back(Read(*message));
      rd_kafka_message_destroy(message);
    }
    EXPECT_EQ(open, 0);
    rd_kafka_destroy(consumer);
    return received;
  }

 private:
  rd_kafka_t* Make(rd_kafka_type_t type, const Properties& more) {
    char error[512] = "";
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", brokers_.c_str(), error, sizeof error);
    for (const auto& [name, value] : login_) rd_kafka_conf_set(conf, name.c_str(), value.c_str(), error, sizeof error);
    for (const auto& [name, value] : more) rd_kafka_conf_set(conf, name.c_str(), value.c_str(), error, sizeof error);
    rd_kafka_t* client = rd_kafka_new(type, conf, error, sizeof error);
    EXPECT_NE(client, nullptr) << error;
    return client;
  }

  rd_kafka_event_t* Await() {
    rd_kafka_event_t* event = rd_kafka_queue_poll(queue_, 30'000);
    EXPECT_TRUE(event && rd_kafka_event_error(event) == RD_KAFKA_RESP_ERR_NO_ERROR);
    return event;
  }

  static std::optional<std::string> Bytes(const void* data, size_t size) {
    if (!data) return std::nullopt;
    return std::string(static_cast<const char*>(data), size);
  }

  static Received Read(const rd_kafka_message_t& message) {
    Received received{.partition = message.partition,
                      .key = Bytes(message.key, message.key_len),
                      .value = Bytes(message.payload, message.len),
                      .headers = {},
                      .timestamp_ms = rd_kafka_message_timestamp(&message, nullptr)};
    rd_kafka_headers_t* headers = nullptr;
    const char* name = nullptr;
    const void* value = nullptr;
    size_t size = 0;
    if (rd_kafka_message_headers(&message, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR) {
      for (size_t i = 0; rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR; ++i) {
        received.headers.emplace_back(name, Bytes(value, size));
      }
    }
    return received;
  }

  const std::string brokers_;
  const Properties login_;
  rd_kafka_t* client_;
  rd_kafka_queue_t* queue_;
};

}  // namespace postrider::kafka
