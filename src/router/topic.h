// The name of a topic: Kafka's RegexRouter over a text, as the EventRouter uses it on the route column and as a
// transform uses it on the topic.
//
// The pattern must match the whole text, else the text itself is the topic; then the first find() is replaced. Results
// are kept for texts seen before, up to a limit. One thread at a time. Tested by tests/unit/router/topic_test.cc.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/java_regex.h"
#include "config/config.h"
#include "router/memo.h"

namespace postrider::router {

class TopicRoute {
 public:
  struct Target {
    std::string topic;
    std::string failure;  // why there is no topic: the expression needs too many steps; empty: there is one
    std::string refusal;  // why Kafka cannot have such a topic, or `failure`; empty: it can
  };

  // `regex_key` and `replacement_key` are the keys in full, for messages. A fault kConfiguration that names the key.
  static absl::StatusOr<TopicRoute> Make(std::string regex_key, std::string_view regex, std::string replacement_key,
                                         std::string_view replacement);

  // The EventRouter's own: route.topic.regex and route.topic.replacement.
  static absl::StatusOr<TopicRoute> OfRouter(const config::Router& options);

  // Lives until the next call.
  const Target& Resolve(std::string_view text);

 private:
  TopicRoute(JavaRegex regex, std::string regex_key, std::string_view replacement, std::string replacement_key);
  Target Compute(std::string_view text) const;
  static Target Failure(std::string_view key, std::string_view text, const absl::Status& status);

  JavaRegex regex_;
  std::string regex_key_;
  std::string replacement_, replacement_key_;
  Memo<Target> targets_;
};

// [a-zA-Z0-9._-]{1,249}, not "." or ".." (org.apache.kafka.common.internals.Topic).
bool IsTopicName(std::string_view name);

// Why Kafka cannot have such a topic, as a sentence.
std::string TopicRefusal(std::string_view name);

}  // namespace postrider::router
