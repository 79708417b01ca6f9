// topic.creation.*: which group of settings makes a missing topic.
//
// As Kafka Connect does it (org.apache.kafka.connect.util.TopicCreation and TopicCreationGroup): groups are tried in
// order; a topic belongs to the first whose `include` matches its whole name and whose `exclude` does not; the group
// `default` takes the rest. Without groups, or with topic.creation.enable=false, none matches and the broker is left to
// make the topic. Immutable once made. Tested by tests/unit/kafka/topic_rules_test.cc.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/java_regex.h"
#include "config/config.h"

namespace postrider::kafka {

class TopicRules {
 public:
  // A fault kConfiguration that names the key where an expression cannot be compiled.
  static absl::StatusOr<TopicRules> Make(const config::Producer& config);

  // The group that makes `topic`, owned by the rules; nullptr: none of ours.
  const config::TopicGroup* GroupFor(std::string_view topic) const;

 private:
  struct Rule {
    config::TopicGroup group;
    std::optional<JavaRegex> include, exclude;  // nullopt: nothing matches
  };
  std::vector<Rule> rules_;
};

}  // namespace postrider::kafka
