#include "router/bypass.h"

#include "connect/converter.h"
#include "router/topic.h"

namespace postrider::router {

absl::StatusOr<Bypass> Bypass::Make(const config::Config& config) {
  const connect::Converter converter(config.converters.header);
  absl::StatusOr<Chain> before = Chain::Make(config.router.before, converter);
  if (!before.ok()) return before.status();
  absl::StatusOr<Chain> behind = Chain::Make(config.router.behind, converter);
  if (!behind.ok()) return behind.status();
  return Bypass(*std::move(before), *std::move(behind));
}

absl::StatusOr<bool> Bypass::Apply(Record& record, bool value_is_null) {
  for (Chain* chain : {&before_, &behind_}) {
    absl::StatusOr<bool> kept = chain->Apply(record, value_is_null);
    if (!kept.ok() || !*kept) return kept;
  }
  if (!IsTopicName(record.topic)) return absl::FailedPreconditionError(TopicRefusal(record.topic));
  return true;
}

}  // namespace postrider::router
