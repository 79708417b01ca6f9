#include "kafka/admin.h"

#include <array>
#include <memory>
#include <string_view>

#include "absl/strings/numbers.h"
#include "base/check.h"

namespace postrider::kafka {
namespace {

constexpr int kTimeoutMs = 10'000;
constexpr std::chrono::seconds kBetweenProbes(1);
constexpr char kLimitKey[] = "max.message.bytes";

using Options = std::unique_ptr<rd_kafka_AdminOptions_t, decltype(&rd_kafka_AdminOptions_destroy)>;

bool MayWrite(const rd_kafka_TopicDescription_t* topic) {
  size_t count = 0;
  const rd_kafka_AclOperation_t* operations = rd_kafka_TopicDescription_authorized_operations(topic, &count);
  if (!operations) return true;  // the broker is too old to say
  for (size_t i = 0; i < count; ++i) {
    if (operations[i] == RD_KAFKA_ACL_OPERATION_WRITE || operations[i] == RD_KAFKA_ACL_OPERATION_ALL) return true;
  }
  return false;
}

TopicDescription ReadDescription(const rd_kafka_TopicDescription_t* topic) {
  TopicDescription description{.name = rd_kafka_TopicDescription_name(topic)};
  description.error = rd_kafka_error_code(rd_kafka_TopicDescription_error(topic));
  if (description.error != RD_KAFKA_RESP_ERR_NO_ERROR) return description;
  size_t count = 0;
  const rd_kafka_TopicPartitionInfo_t** partitions = rd_kafka_TopicDescription_partitions(topic, &count);
  description.partitions = static_cast<int>(count);
  for (size_t i = 0; i < count; ++i) {
    if (!rd_kafka_TopicPartitionInfo_leader(partitions[i])) description.has_leaders = false;
  }
  description.may_write = MayWrite(topic);
  return description;
}

TopicLimit ReadLimit(const rd_kafka_ConfigResource_t* resource) {
  TopicLimit limit{.name = rd_kafka_ConfigResource_name(resource)};
  limit.error = rd_kafka_ConfigResource_error(resource);
  size_t count = 0;
  const rd_kafka_ConfigEntry_t** entries = rd_kafka_ConfigResource_configs(resource, &count);
  for (size_t i = 0; i < count; ++i) {
    if (std::string_view(rd_kafka_ConfigEntry_name(entries[i])) != kLimitKey) continue;
    const char* value = rd_kafka_ConfigEntry_value(entries[i]);
    size_t bytes = 0;
    if (value && absl::SimpleAtoi(value, &bytes)) limit.max_message_bytes = bytes;
  }
  return limit;
}

// The answers of a request that failed as a whole.
template <typename Answer>
std::vector<Answer> FailAll(const std::vector<std::string>& names, rd_kafka_resp_err_t error) {
  std::vector<Answer> answers;
  for (const std::string& name : names) {
    Answer answer;
    answer.name = name;
    answer.error = error;
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace

rd_kafka_AdminOptions_t* Admin::NewOptions(rd_kafka_admin_op_t operation, Names names) {
  rd_kafka_AdminOptions_t* options = rd_kafka_AdminOptions_new(client_, operation);
  std::array<char, 256> error;
  rd_kafka_AdminOptions_set_request_timeout(options, kTimeoutMs, error.data(), error.size());
  const uintptr_t request = ++last_request_;
  requests_.emplace(request, std::move(names));
  rd_kafka_AdminOptions_set_opaque(options, reinterpret_cast<void*>(request));
  return options;
}

Admin::Names Admin::TakeNames(rd_kafka_event_t* event) {
  const auto node = requests_.extract(reinterpret_cast<uintptr_t>(rd_kafka_event_opaque(event)));
  POSTRIDER_CHECK(!node.empty());
  return node.mapped();
}

void Admin::Describe(const std::vector<std::string>& names) {
  const Options options(NewOptions(RD_KAFKA_ADMIN_OP_DESCRIBETOPICS, names), rd_kafka_AdminOptions_destroy);
  // Without it a missing right to write shows only when a record has been sent.
  if (rd_kafka_error_t* error = rd_kafka_AdminOptions_set_include_authorized_operations(options.get(), 1)) {
    rd_kafka_error_destroy(error);
  }
  std::vector<const char*> list;
  for (const std::string& name : names) list.push_back(name.c_str());
  rd_kafka_TopicCollection_t* topics = rd_kafka_TopicCollection_of_topic_names(list.data(), list.size());
  rd_kafka_DescribeTopics(client_, topics, options.get(), queue_);
  rd_kafka_TopicCollection_destroy(topics);
}

void Admin::Create(const std::vector<std::pair<std::string, const config::TopicGroup*>>& topics) {
  Names names;
  std::vector<rd_kafka_NewTopic_t*> list;
  std::array<char, 256> error;
  for (const auto& [name, group] : topics) {
    names.push_back(name);
    rd_kafka_NewTopic_t* topic =
        rd_kafka_NewTopic_new(name.c_str(), group->partitions, group->replication_factor, error.data(), error.size());
    POSTRIDER_CHECK(topic != nullptr);  // only for numbers that config/ does not let through
    for (const auto& [key, value] : group->properties) rd_kafka_NewTopic_set_config(topic, key.c_str(), value.c_str());
    list.push_back(topic);
  }
  const Options options(NewOptions(RD_KAFKA_ADMIN_OP_CREATETOPICS, std::move(names)), rd_kafka_AdminOptions_destroy);
  rd_kafka_CreateTopics(client_, list.data(), list.size(), options.get(), queue_);
  rd_kafka_NewTopic_destroy_array(list.data(), list.size());
}

void Admin::AskLimits(const std::vector<std::string>& names) {
  std::vector<rd_kafka_ConfigResource_t*> resources;
  for (const std::string& name : names) {
    rd_kafka_ConfigResource_t* resource = rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, name.c_str());
    rd_kafka_ConfigResource_set_config(resource, kLimitKey, "");  // this one only
    resources.push_back(resource);
  }
  const Options options(NewOptions(RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, names), rd_kafka_AdminOptions_destroy);
  rd_kafka_DescribeConfigs(client_, resources.data(), resources.size(), options.get(), queue_);
  rd_kafka_ConfigResource_destroy_array(resources.data(), resources.size());
}

void Admin::Probe(TimePoint now) {
  if (probing_ || now < next_probe_) return;
  probing_ = true;
  next_probe_ = now + kBetweenProbes;
  const Options options(NewOptions(RD_KAFKA_ADMIN_OP_DESCRIBECLUSTER, {}), rd_kafka_AdminOptions_destroy);
  rd_kafka_DescribeCluster(client_, options.get(), queue_);
}

bool Admin::Take(rd_kafka_event_t* event, TopicTable& table, TimePoint now) {
  const rd_kafka_resp_err_t error = rd_kafka_event_error(event);
  const bool answered = error == RD_KAFKA_RESP_ERR_NO_ERROR;
  switch (rd_kafka_event_type(event)) {
    case RD_KAFKA_EVENT_DESCRIBETOPICS_RESULT: {
      std::vector<TopicDescription> answers = FailAll<TopicDescription>(TakeNames(event), error);
      if (answered) {
        size_t count = 0;
        const auto* topics = rd_kafka_DescribeTopics_result_topics(rd_kafka_event_DescribeTopics_result(event), &count);
        answers.clear();
        for (size_t i = 0; i < count; ++i) answers.push_back(ReadDescription(topics[i]));
      }
      table.TakeDescriptions(answers, now);
      return answered;
    }
    case RD_KAFKA_EVENT_CREATETOPICS_RESULT: {
      std::vector<TopicCreation> answers = FailAll<TopicCreation>(TakeNames(event), error);
      if (answered) {
        size_t count = 0;
        const auto* topics = rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event), &count);
        answers.clear();
        for (size_t i = 0; i < count; ++i) {
          const char* text = rd_kafka_topic_result_error_string(topics[i]);
          answers.push_back({.name = rd_kafka_topic_result_name(topics[i]),
                             .error = rd_kafka_topic_result_error(topics[i]),
                             .text = text ? text : ""});
        }
      }
      table.TakeCreations(answers, now);
      return answered;
    }
    case RD_KAFKA_EVENT_DESCRIBECONFIGS_RESULT: {
      std::vector<TopicLimit> answers = FailAll<TopicLimit>(TakeNames(event), error);
      if (answered) {
        size_t count = 0;
        const auto* resources =
            rd_kafka_DescribeConfigs_result_resources(rd_kafka_event_DescribeConfigs_result(event), &count);
        answers.clear();
        for (size_t i = 0; i < count; ++i) answers.push_back(ReadLimit(resources[i]));
      }
      table.TakeLimits(answers, now);
      return answered;
    }
    case RD_KAFKA_EVENT_DESCRIBECLUSTER_RESULT:
      TakeNames(event);
      probing_ = false;
      return answered;
    default:
      return false;
  }
}

}  // namespace postrider::kafka
