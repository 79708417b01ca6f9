#include "kafka/admin.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "absl/strings/numbers.h"
#include "base/check.h"
#include "kafka/patience.h"

namespace postrider::kafka {
namespace {

constexpr int kTimeoutMs = 10'000;
constexpr std::chrono::seconds kBetweenProbes(1);
constexpr char kLimitKey[] = "max.message.bytes";

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

// An entry for each name that was asked for. A request that failed gives its error to all; a name that a broker left
// out is asked for again.
template <typename Answer>
class Answers {
 public:
  Answers(const std::vector<std::string>& names, rd_kafka_resp_err_t error)
      : failed_(error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    for (const std::string& name : names) {
      Answer& answer = list_.emplace_back();
      answer.name = name;
      answer.error = failed_ ? error : RD_KAFKA_RESP_ERR__RETRY;
    }
  }
  bool failed() const { return failed_; }
  const std::vector<Answer>& list() const { return list_; }
  void Put(Answer answer) {
    const auto it =
        std::find_if(list_.begin(), list_.end(), [&](const Answer& other) { return other.name == answer.name; });
    if (it != list_.end()) *it = std::move(answer);
  }

 private:
  const bool failed_;
  std::vector<Answer> list_;
};

Answers<TopicDescription> ReadDescriptions(rd_kafka_event_t* event, const std::vector<std::string>& names) {
  Answers<TopicDescription> answers(names, rd_kafka_event_error(event));
  if (answers.failed()) return answers;
  size_t count = 0;
  const auto* topics = rd_kafka_DescribeTopics_result_topics(rd_kafka_event_DescribeTopics_result(event), &count);
  for (size_t i = 0; i < count; ++i) {
    if (topics[i]) answers.Put(ReadDescription(topics[i]));
  }
  return answers;
}

Answers<TopicCreation> ReadCreations(rd_kafka_event_t* event, const std::vector<std::string>& names) {
  Answers<TopicCreation> answers(names, rd_kafka_event_error(event));
  if (answers.failed()) return answers;
  size_t count = 0;
  const auto* topics = rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event), &count);
  for (size_t i = 0; i < count; ++i) {
    const char* text = rd_kafka_topic_result_error_string(topics[i]);
    answers.Put({.name = rd_kafka_topic_result_name(topics[i]),
                 .error = rd_kafka_topic_result_error(topics[i]),
                 .text = text ? text : ""});
  }
  return answers;
}

Answers<TopicLimit> ReadLimits(rd_kafka_event_t* event, const std::vector<std::string>& names) {
  Answers<TopicLimit> answers(names, rd_kafka_event_error(event));
  if (answers.failed()) return answers;
  size_t count = 0;
  const auto* resources =
      rd_kafka_DescribeConfigs_result_resources(rd_kafka_event_DescribeConfigs_result(event), &count);
  for (size_t i = 0; i < count; ++i) answers.Put(ReadLimit(resources[i]));
  return answers;
}

}  // namespace

rd_kafka_AdminOptions_t* Admin::NewOptions(rd_kafka_admin_op_t operation, Names names) {
  rd_kafka_AdminOptions_t* options = rd_kafka_AdminOptions_new(client_, operation);
  std::array<char, 256> error;
  rd_kafka_AdminOptions_set_request_timeout(options, kTimeoutMs, error.data(), error.size());
  auto request = std::make_unique<Names>(std::move(names));
  rd_kafka_AdminOptions_set_opaque(options, request.get());
  requests_.emplace(request.get(), std::move(request));
  return options;
}

Admin::Names Admin::TakeNames(rd_kafka_event_t* event) {
  const auto node = requests_.extract(rd_kafka_event_opaque(event));
  POSTRIDER_CHECK(!node.empty());
  return *node.mapped();
}

void Admin::Describe(const std::vector<std::string>& names) {
  const Options options(NewOptions(RD_KAFKA_ADMIN_OP_DESCRIBETOPICS, names), rd_kafka_AdminOptions_destroy);
  // Without it a missing right to write shows only when a record has been sent.
  if (rd_kafka_error_t* error = rd_kafka_AdminOptions_set_include_authorized_operations(options.get(), 1)) {
    rd_kafka_error_destroy(error);
  }
  std::vector<const char*> list;
  list.reserve(names.size());
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
  resources.reserve(names.size());
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
  switch (rd_kafka_event_type(event)) {
    case RD_KAFKA_EVENT_DESCRIBETOPICS_RESULT:
      table.TakeDescriptions(ReadDescriptions(event, TakeNames(event)).list(), now);
      break;
    case RD_KAFKA_EVENT_CREATETOPICS_RESULT:
      table.TakeCreations(ReadCreations(event, TakeNames(event)).list(), now);
      break;
    case RD_KAFKA_EVENT_DESCRIBECONFIGS_RESULT:
      table.TakeLimits(ReadLimits(event, TakeNames(event)).list(), now);
      break;
    case RD_KAFKA_EVENT_DESCRIBECLUSTER_RESULT:
      TakeNames(event);
      probing_ = false;
      break;
    default:
      return false;
  }
  return rd_kafka_event_error(event) == RD_KAFKA_RESP_ERR_NO_ERROR;
}

}  // namespace postrider::kafka
