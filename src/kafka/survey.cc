#include "kafka/survey.h"

#include <librdkafka/rdkafka.h>
#include <rapidjson/document.h>
#include <rapidjson/pointer.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/fault.h"
#include "kafka/client.h"
#include "kafka/contact.h"
#include "kafka/outcome.h"
#include "kafka/patience.h"
#include "kafka/topic.h"

namespace postrider::kafka {
namespace {

using std::chrono::seconds;

constexpr seconds kAnswerWithin(10);
constexpr seconds kAllDownWithin(3);     // all brokers away for so long: away
constexpr seconds kProducerIdWithin(2);  // after the first answer: without idempotence there is none
constexpr int kSliceMs = 50;

std::string PropertyOf(const config::Producer& config, std::string_view name, std::string_view fallback) {
  std::string value(fallback);
  for (const auto& [key, secret] : config.properties) {
    if (key != name) continue;
    if (auto read = secret.Read(); read.ok()) value = *std::move(read);
  }
  return value;
}

bool Allows(const rd_kafka_AclOperation_t* operations, size_t count, rd_kafka_AclOperation_t wanted) {
  return std::any_of(operations, operations + count, [wanted](rd_kafka_AclOperation_t operation) {
    return operation == wanted || operation == RD_KAFKA_ACL_OPERATION_ALL;
  });
}

// librdkafka's STATISTICS.md, "eos".
bool HasProducerId(const char* statistics) {
  rapidjson::Document document;
  document.Parse(statistics);
  const rapidjson::Value* state = rapidjson::Pointer("/eos/idemp_state").Get(document);
  return state != nullptr && state->IsString() && std::string_view(state->GetString()) == "Assigned";
}

// One client and its questions, one after the other.
class Questions {
 public:
  Questions(Client& client, const Wakeup* stop) : client_(client), queue_(NewQueue(client.handle())), stop_(stop) {}

  // The first answer of the cluster; an error where it is away or refuses us.
  absl::Status AskCluster(ClusterFacts& facts) {
    const Options options = NewOptions(client_.handle(), RD_KAFKA_ADMIN_OP_DESCRIBECLUSTER, kAnswerWithin);
    WantOperations(options.get());
    rd_kafka_DescribeCluster(client_.handle(), options.get(), queue_.get());
    const auto answer = Await();
    if (!answer.ok()) return answer.status();
    const auto* cluster = rd_kafka_event_DescribeCluster_result((*answer).get());
    size_t count = 0;
    const rd_kafka_Node_t** nodes = rd_kafka_DescribeCluster_result_nodes(cluster, &count);
    facts.brokers = static_cast<int>(count);
    if (count > 0) a_broker_ = rd_kafka_Node_id(nodes[0]);
    if (const char* id = rd_kafka_DescribeCluster_result_cluster_id(cluster)) facts.cluster_id = id;
    const auto* operations = rd_kafka_DescribeCluster_result_authorized_operations(cluster, &count);
    if (operations != nullptr) facts.may_create = Allows(operations, count, RD_KAFKA_ACL_OPERATION_CREATE);
    return absl::OkStatus();
  }

  absl::Status AskTopics(const std::vector<std::string>& names, std::vector<TopicFacts>& topics) {
    std::vector<const char*> list;
    list.reserve(names.size());
    for (const std::string& name : names) list.push_back(name.c_str());
    const Options options = NewOptions(client_.handle(), RD_KAFKA_ADMIN_OP_DESCRIBETOPICS, kAnswerWithin);
    WantOperations(options.get());
    rd_kafka_TopicCollection_t* collection = rd_kafka_TopicCollection_of_topic_names(list.data(), list.size());
    rd_kafka_DescribeTopics(client_.handle(), collection, options.get(), queue_.get());
    rd_kafka_TopicCollection_destroy(collection);
    const auto answer = Await();
    if (!answer.ok()) return answer.status();
    size_t count = 0;
    const auto* described =
        rd_kafka_DescribeTopics_result_topics(rd_kafka_event_DescribeTopics_result((*answer).get()), &count);
    for (size_t i = 0; i < count; ++i) {
      if (TopicFacts* topic = Find(topics, rd_kafka_TopicDescription_name(described[i]))) Take(described[i], *topic);
    }
    return absl::OkStatus();
  }

  // What may not be asked stays unknown.
  absl::Status AskTopicSettings(std::vector<TopicFacts>& topics) {
    std::vector<rd_kafka_ConfigResource_t*> resources;
    for (const TopicFacts& topic : topics) {
      if (topic.presence != TopicFacts::Presence::kThere) continue;
      resources.push_back(rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.name.c_str()));
    }
    if (resources.empty()) return absl::OkStatus();
    return AskSettings(resources, [&](const char* resource, std::string_view key, const char* value) {
      TopicFacts* topic = Find(topics, resource);
      int64_t number = 0;
      if (topic == nullptr || !absl::SimpleAtoi(value, &number)) return;
      if (key == "max.message.bytes") topic->max_message_bytes = number;
      if (key == "min.insync.replicas") topic->min_insync_replicas = static_cast<int>(number);
    });
  }

  absl::Status AskBrokerSettings(ClusterFacts& facts) {
    std::vector<rd_kafka_ConfigResource_t*> resources = {
        rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_BROKER, absl::StrCat(a_broker_).c_str())};
    return AskSettings(resources, [&](const char*, std::string_view key, const char* value) {
      int number = 0;
      if (key == "auto.create.topics.enable") facts.creates_topics = std::string_view(value) == "true";
      if (key == "default.replication.factor" && absl::SimpleAtoi(value, &number)) facts.default_replicas = number;
    });
  }

  // An idempotent producer asks for its id by itself; it has it, or is refused, a moment after the first answer.
  absl::Status AwaitProducerId() {
    while (refusal_.empty() && !has_producer_id_ &&
           std::chrono::steady_clock::now() < first_answer_ + kProducerIdWithin) {
      if (Serve(kSliceMs).ended) return absl::CancelledError("stopping");
    }
    return refusal_.empty() ? absl::OkStatus() : MakeFault(Fault::kKafkaRefuses, refusal_);
  }

 private:
  struct Served {
    bool ended = false;
  };

  static void WantOperations(rd_kafka_AdminOptions_t* options) {
    if (rd_kafka_error_t* error = rd_kafka_AdminOptions_set_include_authorized_operations(options, 1))
      rd_kafka_error_destroy(error);
  }

  // Errors and log lines of the client itself.
  Served Serve(int timeout_ms) {
    std::vector<ProducerEvent> events;
    while (const Event event = Poll(client_.queue(), timeout_ms)) {
      timeout_ms = 0;
      if (rd_kafka_event_type(event.get()) == RD_KAFKA_EVENT_ERROR) contact_.TakeError(event.get(), events);
      if (rd_kafka_event_type(event.get()) == RD_KAFKA_EVENT_LOG) contact_.TakeLogLine(event.get());
      if (rd_kafka_event_type(event.get()) == RD_KAFKA_EVENT_STATS)
        has_producer_id_ = HasProducerId(rd_kafka_event_stats(event.get()));
    }
    for (const ProducerEvent& event : events) {
      if (event.kind == ProducerEvent::Kind::kRefused || event.kind == ProducerEvent::Kind::kFatal)
        refusal_ = event.text;
      if (event.kind == ProducerEvent::Kind::kAllDown) away_ = event.text;
    }
    return {.ended = Patience{.deadline = TimePoint::max(), .stop = stop_}.ended()};
  }

  absl::StatusOr<Event> Await() {
    const TimePoint started = std::chrono::steady_clock::now();
    while (true) {
      Event event = Poll(queue_.get(), kSliceMs);
      if (Serve(0).ended) return absl::CancelledError("stopping");
      if (!refusal_.empty()) return MakeFault(Fault::kKafkaRefuses, refusal_);
      const auto waited = std::chrono::steady_clock::now() - started;
      if (!event && !away_.empty() && waited > kAllDownWithin) return MakeFault(Fault::kPassing, away_);
      if (!event) continue;
      const rd_kafka_resp_err_t error = rd_kafka_event_error(event.get());
      if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
        if (first_answer_ == TimePoint()) first_answer_ = std::chrono::steady_clock::now();
        return event;
      }
      const std::string text = away_.empty() ? rd_kafka_event_error_string(event.get()) : away_;
      return MakeFault(IsRefusal(error) ? Fault::kKafkaRefuses : Fault::kPassing, text);
    }
  }

  template <typename Take>
  absl::Status AskSettings(std::vector<rd_kafka_ConfigResource_t*>& resources, Take take) {
    const Options options = NewOptions(client_.handle(), RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, kAnswerWithin);
    rd_kafka_DescribeConfigs(client_.handle(), resources.data(), resources.size(), options.get(), queue_.get());
    rd_kafka_ConfigResource_destroy_array(resources.data(), resources.size());
    const auto answer = Await();
    if (!answer.ok()) return FaultOf(answer.status()) == Fault::kKafkaRefuses ? answer.status() : absl::OkStatus();
    size_t count = 0;
    const auto** answered =
        rd_kafka_DescribeConfigs_result_resources(rd_kafka_event_DescribeConfigs_result((*answer).get()), &count);
    for (size_t i = 0; i < count; ++i) {
      if (rd_kafka_ConfigResource_error(answered[i]) != RD_KAFKA_RESP_ERR_NO_ERROR) continue;
      size_t entries_count = 0;
      const auto** entries = rd_kafka_ConfigResource_configs(answered[i], &entries_count);
      for (size_t k = 0; k < entries_count; ++k) {
        const char* value = rd_kafka_ConfigEntry_value(entries[k]);
        if (value != nullptr)
          take(rd_kafka_ConfigResource_name(answered[i]), rd_kafka_ConfigEntry_name(entries[k]), value);
      }
    }
    return absl::OkStatus();
  }

  static TopicFacts* Find(std::vector<TopicFacts>& topics, std::string_view name) {
    const auto found =
        std::find_if(topics.begin(), topics.end(), [name](const TopicFacts& topic) { return topic.name == name; });
    return found == topics.end() ? nullptr : &*found;
  }

  static void Take(const rd_kafka_TopicDescription_t* description, TopicFacts& topic) {
    using Presence = TopicFacts::Presence;
    const rd_kafka_resp_err_t error = rd_kafka_error_code(rd_kafka_TopicDescription_error(description));
    size_t count = 0;
    const rd_kafka_TopicPartitionInfo_t** partitions = rd_kafka_TopicDescription_partitions(description, &count);
    topic.presence = error == RD_KAFKA_RESP_ERR_NO_ERROR && count > 0        ? Presence::kThere
                     : error == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED ? Presence::kForbidden
                     : IsUnknownTopic(error)                                 ? Presence::kMissing
                                                                             : Presence::kUnknown;
    if (topic.presence == Presence::kUnknown) topic.error = rd_kafka_err2str(error);
    if (topic.presence != Presence::kThere) return;
    topic.partitions = static_cast<int>(count);
    for (size_t i = 0; i < count; ++i) {
      size_t replicas = 0;
      rd_kafka_TopicPartitionInfo_replicas(partitions[i], &replicas);
      topic.replicas = i == 0 ? static_cast<int>(replicas) : std::min(topic.replicas, static_cast<int>(replicas));
      if (rd_kafka_TopicPartitionInfo_leader(partitions[i]) == nullptr) topic.has_leaders = false;
    }
    const auto* operations = rd_kafka_TopicDescription_authorized_operations(description, &count);
    if (operations != nullptr) topic.may_write = Allows(operations, count, RD_KAFKA_ACL_OPERATION_WRITE);
  }

  Client& client_;
  const Queue queue_;
  const Wakeup* const stop_;
  Contact contact_;
  std::string refusal_, away_;
  bool has_producer_id_ = false;
  TimePoint first_answer_;
  int32_t a_broker_ = 0;
};

absl::Status Ask(Questions& questions, const std::vector<std::string>& topics, ClusterFacts& facts) {
  if (absl::Status status = questions.AskCluster(facts); !status.ok()) return status;
  if (!topics.empty()) {
    for (const std::string& name : topics) facts.topics.emplace_back().name = name;
    if (absl::Status status = questions.AskTopics(topics, facts.topics); !status.ok()) return status;
    if (absl::Status status = questions.AskTopicSettings(facts.topics); !status.ok()) return status;
  }
  if (absl::Status status = questions.AskBrokerSettings(facts); !status.ok()) return status;
  return questions.AwaitProducerId();
}

}  // namespace

ClusterFacts ReadCluster(const config::Producer& config, const std::vector<std::string>& topics, const Wakeup* stop) {
  ClusterFacts facts;
  facts.bootstrap = PropertyOf(config, "bootstrap.servers", "");
  facts.protocol = PropertyOf(config, "security.protocol", "PLAINTEXT");
  facts.user = PropertyOf(config, "sasl.username", "");
  facts.wants_creation = PropertyOf(config, "allow.auto.create.topics", "true") == "true";
  const auto client = Client::MakeForSurvey(config);
  if (!client.ok()) {
    facts.reached = client.status();
    return facts;
  }
  Questions questions(**client, stop);
  facts.reached = Ask(questions, topics, facts);
  return facts;
}

}  // namespace postrider::kafka
