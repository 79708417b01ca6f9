#include "router/topic_names.h"

#include <utility>

#include "connect/converter.h"

namespace postrider::router {

absl::StatusOr<TopicNames> TopicNames::Make(const config::Config& config) {
  const config::Router& options = config.router;
  absl::StatusOr<TopicRoute> route = TopicRoute::OfRouter(options);
  if (!route.ok()) return route.status();
  const connect::Converter converter(config.converters.header);
  absl::StatusOr<Chain> behind = Chain::Make(options.behind, converter);
  if (!behind.ok()) return behind.status();
  return TopicNames(*std::move(route), *std::move(behind));
}

absl::StatusOr<std::optional<std::string>> TopicNames::Resolve(std::string_view route) {
  const TopicRoute::Target& target = route_.Resolve(route);
  if (!target.failure.empty()) return absl::FailedPreconditionError(target.failure);
  const Header id{.key = "id", .value = ""};
  Record record{.topic = target.topic, .key = "", .value = "", .headers = {&id, 1}};
  const absl::StatusOr<bool> kept = behind_.Apply(record, /*value_is_null=*/false);
  if (!kept.ok()) return kept.status();
  if (!*kept) return std::optional<std::string>();
  if (!IsTopicName(record.topic)) return absl::FailedPreconditionError(TopicRefusal(record.topic));
  return std::optional<std::string>(record.topic);
}

}  // namespace postrider::router
