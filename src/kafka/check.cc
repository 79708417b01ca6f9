#include "kafka/check.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/text.h"

namespace postrider::kafka {
namespace {

using Presence = TopicFacts::Presence;

constexpr Fault kRefuses = Fault::kKafkaRefuses;

std::string Tool(const ClusterFacts& facts, std::string_view script, std::string_view words) {
  return absl::StrCat(View(script), " --bootstrap-server ", facts.bootstrap, " ", View(words));
}

std::string Quoted(const std::string& topic) {
  return absl::StrCat("\"", topic, "\"");
}

std::string GrantCommand(const ClusterFacts& facts, std::string_view words) {
  return Tool(
      facts, "kafka-acls.sh",
      absl::StrCat("--add --allow-principal User:", facts.user.empty() ? "NAME" : facts.user, " ", View(words)));
}

std::string AlterCommand(const ClusterFacts& facts, const std::string& topic, std::string_view setting) {
  return Tool(facts, "kafka-configs.sh", absl::StrCat("--alter --topic ", topic, " --add-config ", View(setting)));
}

std::string Brokers(int count) {
  return absl::StrCat(count, count == 1 ? " broker" : " brokers");
}

std::string FactorKey(const config::TopicGroup& group) {
  return group.name == "errors.deadletterqueue" ? "errors.deadletterqueue.topic.replication.factor"
                                                : absl::StrCat("topic.creation.", group.name, ".replication.factor");
}

// What `run` would tell of a cluster that it cannot use.
Finding CheckReached(const ClusterFacts& facts) {
  if (facts.reached.ok()) {
    return Pass("kafka", absl::StrCat("cluster ", facts.cluster_id, " answers at ", facts.bootstrap, " (",
                                      facts.protocol, "), with ", Brokers(facts.brokers)));
  }
  std::string remedy;
  const std::string_view text = MessageOf(facts.reached);
  const auto says = [text](std::string_view words) { return text.find(words) != text.npos; };
  if (says("CLUSTER_AUTHORIZATION_FAILED")) {
    remedy = GrantCommand(facts, "--operation IdempotentWrite --cluster");
  } else if (says("sasl.jaas.config")) {
    remedy = "producer.sasl.jaas.config=...";
  } else if (says("ssl.truststore")) {
    remedy = "producer.ssl.truststore.location=...";
  } else if (says("ssl.keystore")) {
    remedy = "producer.ssl.keystore.location=...";
  } else if (FaultOf(facts.reached) == Fault::kPassing) {
    remedy = "bootstrap.servers=HOST:PORT";
  }
  return Failure("kafka", facts.reached, kRefuses, remedy);
}

// One topic, with all that is known of the cluster.
class TopicCheck {
 public:
  TopicCheck(const config::Producer& config, const TopicRules& rules, const ClusterFacts& facts, const TopicUse& use,
             const TopicFacts& topic)
      : config_(config), rules_(rules), facts_(facts), use_(use), topic_(topic) {}

  Findings Check() {
    switch (topic_.presence) {
      case Presence::kThere:
        CheckThere();
        break;
      case Presence::kMissing:
        CheckMissing();
        break;
      case Presence::kForbidden:
        Fail(absl::StrCat("Kafka's ACLs do not let us see topic ", name(), ": grant DESCRIBE and WRITE on it"),
             Grant());
        break;
      case Presence::kUnknown:
        Warn(absl::StrCat("topic ", name(), " cannot be looked up: ", topic_.error));
        break;
    }
    return std::move(findings_);
  }

 private:
  std::string name() const { return Quoted(topic_.name); }
  std::string Grant() const {
    return GrantCommand(facts_, absl::StrCat("--operation Write --operation Describe --topic ", topic_.name));
  }
  void Fail(std::string_view text, std::string_view remedy) {
    findings_.push_back(use_.needed ? Failure(use_.finding, kRefuses, text, remedy)
                                    : Warning(use_.finding, text, remedy));
  }
  void Warn(std::string_view text, std::string_view remedy = "") {
    findings_.push_back(Warning(use_.finding, text, remedy));
  }

  void CheckThere() {
    if (!topic_.may_write)
      return Fail(
          absl::StrCat("Kafka's ACLs do not let us write to topic ", name(), ": grant DESCRIBE and WRITE on it"),
          Grant());
    CheckReplicas();
    if (topic_.max_message_bytes && *topic_.max_message_bytes < config_.max_request_size_bytes) {
      Warn(absl::StrCat("topic ", name(), " takes records up to ", *topic_.max_message_bytes,
                        " bytes, and max.request.size lets ", config_.max_request_size_bytes,
                        " through: an event between the two is held"),
           AlterCommand(facts_, topic_.name, absl::StrCat("max.message.bytes=", config_.max_request_size_bytes)));
    }
    if (findings_.empty()) {
      findings_.push_back(Pass(
          use_.finding, absl::StrCat("topic ", name(), " has ", topic_.partitions,
                                     topic_.partitions == 1 ? " partition" : " partitions", ", and may be written")));
    }
  }

  void CheckReplicas() {
    const int in_sync = topic_.min_insync_replicas.value_or(1);
    if (in_sync > topic_.replicas) {
      return Fail(absl::StrCat("topic ", name(), " wants min.insync.replicas=", in_sync, " and has ", topic_.replicas,
                               ": no record is ever acknowledged"),
                  AlterCommand(facts_, topic_.name, absl::StrCat("min.insync.replicas=", topic_.replicas)));
    }
    if (!topic_.has_leaders)
      Warn(absl::StrCat("topic ", name(), " has a partition without a leader: its records wait for the broker"));
    if (topic_.replicas == 1) {
      return Warn(absl::StrCat("topic ", name(), " has one replica: what is acknowledged is lost with its broker"));
    }
    if (in_sync == 1) {
      Warn(
          absl::StrCat("topic ", name(), " has min.insync.replicas=1: what is acknowledged may be on one broker alone"),
          AlterCommand(facts_, topic_.name, "min.insync.replicas=2"));
    }
  }

  void CheckMissing() {
    const config::TopicGroup* group = rules_.GroupFor(topic_.name);
    const std::string command = CreateTopicCommand(facts_, topic_.name, group);
    if (group != nullptr && HasTooManyReplicas(*group, facts_)) {
      const std::string key = FactorKey(*group);
      return Fail(absl::StrCat("topic ", name(), " does not exist, and cannot be made: ", key, "=",
                               group->replication_factor, ", and there are ", Brokers(facts_.brokers)),
                  absl::StrCat(key, "=", facts_.brokers));
    }
    if (group != nullptr && facts_.may_create.value_or(true)) {
      findings_.push_back(Pass(use_.finding, absl::StrCat("topic ", name(),
                                                          " does not exist; its first event makes it, "
                                                          "as topic.creation.",
                                                          group->name, ".* says")));
      return;
    }
    if (facts_.wants_creation && facts_.creates_topics.value_or(false)) {
      findings_.push_back(Pass(use_.finding, absl::StrCat("topic ", name(),
                                                          " does not exist; the broker makes it with "
                                                          "its first event")));
      return;
    }
    if (group != nullptr) {
      return Warn(absl::StrCat("topic ", name(),
                               " does not exist, and the ACLs do not let us make any topic; one on its "
                               "own name may"),
                  command);
    }
    if (facts_.wants_creation && !facts_.creates_topics) {
      return Warn(absl::StrCat("topic ", name(), " does not exist, and whether the broker makes it cannot be seen"),
                  command);
    }
    Fail(absl::StrCat("topic ", name(),
                      " does not exist, and nobody makes it: topic.creation.* has no group for it, and ",
                      facts_.wants_creation ? "auto.create.topics.enable is off on the broker"
                                            : "allow.auto.create.topics is false"),
         command);
  }

  const config::Producer& config_;
  const TopicRules& rules_;
  const ClusterFacts& facts_;
  const TopicUse& use_;
  const TopicFacts& topic_;
  Findings findings_;
};

}  // namespace

std::string CreateTopicCommand(const ClusterFacts& facts, const std::string& topic, const config::TopicGroup* group) {
  std::string words = absl::StrCat("--create --if-not-exists --topic ", topic);
  if (group == nullptr) return Tool(facts, "kafka-topics.sh", words);
  if (group->partitions > 0) absl::StrAppend(&words, " --partitions ", group->partitions);
  if (group->replication_factor > 0) absl::StrAppend(&words, " --replication-factor ", group->replication_factor);
  for (const auto& [key, value] : group->properties) absl::StrAppend(&words, " --config ", key, "=", value);
  return Tool(facts, "kafka-topics.sh", words);
}

Findings CheckTopic(const config::Producer& config, const TopicRules& rules, const TopicUse& use,
                    const ClusterFacts& facts, const TopicFacts& topic) {
  return TopicCheck(config, rules, facts, use, topic).Check();
}

bool HasTooManyReplicas(const config::TopicGroup& group, const ClusterFacts& facts) {
  return group.replication_factor > facts.brokers;
}

Findings CheckCluster(const config::Producer& config, const TopicRules& rules, const std::vector<TopicUse>& topics,
                      const ClusterFacts& facts) {
  Findings findings = {CheckReached(facts)};
  if (!facts.reached.ok()) return findings;
  if (topics.empty())
    findings.push_back(Pass("topic", "no row tells of a topic: they are looked at with their first event"));
  for (const TopicUse& use : topics) {
    for (const TopicFacts& topic : facts.topics) {
      if (topic.name == use.name) Append(findings, CheckTopic(config, rules, use, facts, topic));
    }
  }
  return findings;
}

}  // namespace postrider::kafka
