// What the facts of a cluster mean for a relay. Pure. Tested by tests/unit/kafka/check_test.cc.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/finding.h"
#include "config/config.h"
#include "kafka/survey.h"
#include "kafka/topic_rules.h"

namespace postrider::kafka {

// A topic that the relay is to write, and as what.
struct TopicUse {
  std::string name;
  std::string finding = "topic";  // the finding's name: "dead_letter_topic", "heartbeat_topic"
  bool needed = true;             // false: the relay goes on without it, so nothing about it is more than a warning
};

// Whether the cluster is reached, then each topic, in the order of `topics`; `facts` were read for the same ones.
Findings CheckCluster(const config::Producer& config, const TopicRules& rules, const std::vector<TopicUse>& topics,
                      const ClusterFacts& facts);

// ---- shared with topic_setup.cc

// One topic; the cluster was reached.
Findings CheckTopic(const config::Producer& config, const TopicRules& rules, const TopicUse& use,
                    const ClusterFacts& facts, const TopicFacts& topic);
// Whether a group asks for more replicas than there are brokers.
bool HasTooManyReplicas(const config::TopicGroup& group, const ClusterFacts& facts);

// "kafka-topics.sh --bootstrap-server ... --create --if-not-exists --topic ..."; by a group, or by the broker's
// defaults.
std::string CreateTopicCommand(const ClusterFacts& facts, const std::string& topic, const config::TopicGroup* group);

}  // namespace postrider::kafka
