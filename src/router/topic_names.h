// The topic that a value of the routing column leads to, for `postrider check` and `setup`: what the Event Router makes
// of it, and what the transforms behind it make of that.
//
// A record has only the header `id` here, so a predicate that looks for another header may say otherwise of a real one.
// One thread at a time. Tested by tests/unit/router/topic_names_test.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "config/config.h"
#include "router/chain.h"
#include "router/topic.h"

namespace postrider::router {

class TopicNames {
 public:
  // A fault kConfiguration, as Router::Make gives it.
  static absl::StatusOr<TopicNames> Make(const config::Config& config);

  // nullopt: a Filter drops such events. FailedPrecondition, with the reason: there is no topic of that name.
  absl::StatusOr<std::optional<std::string>> Resolve(std::string_view route);

 private:
  TopicNames(TopicRoute route, Chain behind) : route_(std::move(route)), behind_(std::move(behind)) {}

  TopicRoute route_;
  Chain behind_;
};

}  // namespace postrider::router
