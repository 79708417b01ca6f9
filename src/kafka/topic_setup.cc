#include "kafka/topic_setup.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/text.h"
#include "kafka/client.h"
#include "kafka/patience.h"

namespace postrider::kafka {
namespace {

constexpr std::chrono::seconds kAnswerWithin(15);

SetupStep Step(SetupStep::Kind kind, std::string text, std::string command = "", Fault fault = Fault::kPassing) {
  return {.kind = kind, .text = std::move(text), .command = std::move(command), .fault = fault, .shell = true};
}

// One topic; an error with the broker's sentence.
absl::Status Create(const config::Producer& config, const std::string& name, const config::TopicGroup& group,
                    const Wakeup* stop) {
  const auto client = Client::MakeForRecord(config, RD_KAFKA_PRODUCER);
  if (!client.ok()) return client.status();
  std::array<char, 256> error{};
  rd_kafka_NewTopic_t* topic =
      rd_kafka_NewTopic_new(name.c_str(), group.partitions, group.replication_factor, error.data(), error.size());
  if (topic == nullptr) return MakeFault(Fault::kConfiguration, error.data());
  for (const auto& [key, value] : group.properties) rd_kafka_NewTopic_set_config(topic, key.c_str(), value.c_str());
  const Queue queue = NewQueue((*client)->handle());
  rd_kafka_CreateTopics((*client)->handle(), &topic, 1, nullptr, queue.get());
  rd_kafka_NewTopic_destroy(topic);
  const Patience patience{.deadline = std::chrono::steady_clock::now() + kAnswerWithin, .stop = stop};
  const Event event = Await(queue.get(), patience);
  if (!event) return MakeFault(Fault::kKafkaRefuses, "the cluster does not answer");
  size_t count = 0;
  const auto* answer = rd_kafka_event_CreateTopics_result(event.get());
  const auto** results = rd_kafka_CreateTopics_result_topics(answer, &count);
  if (count != 1) return MakeFault(Fault::kKafkaRefuses, rd_kafka_event_error_string(event.get()));
  const rd_kafka_resp_err_t code = rd_kafka_topic_result_error(results[0]);
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR || code == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) return absl::OkStatus();
  const char* text = rd_kafka_topic_result_error_string(results[0]);
  return MakeFault(Fault::kKafkaRefuses, text == nullptr ? rd_kafka_err2str(code) : text);
}

SetupStep SetUpTopic(const config::Producer& config, const TopicRules& rules, const TopicUse& use,
                     const ClusterFacts& facts, const TopicFacts& topic, bool print, const Wakeup* stop) {
  using Presence = TopicFacts::Presence;
  const config::TopicGroup* group = rules.GroupFor(topic.name);
  const bool makeable = topic.presence == Presence::kMissing && group != nullptr && !HasTooManyReplicas(*group, facts);
  if (!makeable) {
    const Finding finding = CheckTopic(config, rules, use, facts, topic).front();
    if (finding.result == Finding::Result::kFail)
      return Step(SetupStep::Kind::kToDo, finding.text, finding.remedy, finding.fault);
    const bool there = topic.presence == Presence::kThere;
    return Step(there ? SetupStep::Kind::kThere : SetupStep::Kind::kNote, finding.text, finding.remedy);
  }
  const std::string name = absl::StrCat("topic \"", topic.name, "\"");
  const std::string command = CreateTopicCommand(facts, topic.name, group);
  if (print)
    return Step(SetupStep::Kind::kToDo, absl::StrCat(name, " is missing; its first event makes it too"), command);
  const absl::Status made = Create(config, topic.name, *group, stop);
  if (made.ok()) return Step(SetupStep::Kind::kMade, absl::StrCat(name, ", by the group ", group->name));
  return Step(SetupStep::Kind::kToDo, absl::StrCat(name, " could not be made: ", made.message()), command,
              FaultOf(made));
}

}  // namespace

SetupSteps SetUpTopics(const config::Producer& config, const TopicRules& rules, const std::vector<TopicUse>& topics,
                       const ClusterFacts& facts, bool print, const Wakeup* stop) {
  SetupSteps steps;
  if (!facts.reached.ok()) {
    const Finding kafka = CheckCluster(config, rules, topics, facts).front();
    steps.push_back(Step(SetupStep::Kind::kToDo, kafka.text, kafka.remedy, kafka.fault));
    return steps;
  }
  for (const TopicUse& use : topics) {
    const auto topic = std::find_if(facts.topics.begin(), facts.topics.end(),
                                    [&](const TopicFacts& candidate) { return candidate.name == use.name; });
    if (topic != facts.topics.end()) steps.push_back(SetUpTopic(config, rules, use, facts, *topic, print, stop));
  }
  return steps;
}

}  // namespace postrider::kafka
