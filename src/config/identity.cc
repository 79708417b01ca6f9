#include <algorithm>
#include <string>
#include <string_view>

#include "config/classes.h"
#include "config/parts.h"
#include "config/text.h"

namespace postrider::config {
namespace {

// Where a consumer would see the topic's prefix.
bool PrefixShows(const Draft& draft, const Config& config) {
  const std::vector<AdditionalField>& fields = config.router.additional_fields;
  const bool envelope = std::any_of(fields.begin(), fields.end(), [](const AdditionalField& field) {
    return field.placement == FieldPlacement::kEnvelope;
  });
  return envelope || config.extended_headers || config.router.predicate.has_value() || !config.router.before.empty() ||
         draft.Number("heartbeat.interval.ms") > 0;
}

}  // namespace

void MakeIdentity(Draft& draft, Config& config) {
  const std::string connector = draft.Text("connector.class");
  if (FindClass(ClassKind::kConnector, connector) == nullptr)
    draft.Refuse("connector.class",
                 "Postrider replaces io.debezium.connector.postgresql.PostgresConnector and no other");
  config.name = draft.Text("name");
  config.extended_headers = draft.Flag("extended.headers.enabled");
  config.topic_prefix = draft.Text("topic.prefix");
  if (!HasTopicCharacters(config.topic_prefix))
    draft.Refuse("topic.prefix", "allowed are letters, digits, '.', '_' and '-'");
  if (!config.topic_prefix.empty()) return;
  config.topic_prefix = config.slot.name;
  if (PrefixShows(draft, config))
    draft.Warn(Cat("topic.prefix is missing: the slot's name, ", config.slot.name,
                   ", stands for it in schema names, headers, heartbeats and the topic that a predicate sees"));
}

}  // namespace postrider::config
