// The topic of a route: Kafka's RegexRouter over the route column's text, as the EventRouter uses it.
//
// The pattern must match the whole text, else the text itself is the topic; then the first find() is replaced. Results
// are kept for texts seen before, up to a limit. One thread at a time. Tested by tests/unit/router/topic_test.cc.
#pragma once

#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "base/java_regex.h"
#include "config/config.h"

namespace postrider::router {

class TopicRoute {
 public:
  static constexpr size_t kKeptMax = 4096;

  struct Target {
    std::string topic;
    std::string refusal;  // why Kafka cannot have such a topic; empty: it can
  };

  // A fault kConfiguration that names the key.
  static absl::StatusOr<TopicRoute> Make(const config::Router& config);

  // Lives until the next call.
  const Target& Resolve(std::string_view route);

 private:
  TopicRoute(JavaRegex regex, std::string replacement)
      : regex_(std::move(regex)), replacement_(std::move(replacement)) {}
  Target Compute(std::string_view route) const;

  JavaRegex regex_;
  std::string replacement_;
  absl::flat_hash_map<std::string, Target> targets_;
};

// [a-zA-Z0-9._-]{1,249}, not "." or ".." (org.apache.kafka.common.internals.Topic).
bool IsTopicName(std::string_view name);

}  // namespace postrider::router
