#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/java_regex.h"
#include "config/parts.h"
#include "config/text.h"

namespace postrider::config {
namespace {

constexpr std::string_view kPlacement = "table.fields.additional.placement";

// Java's String.split: empty parts at the end vanish, those before stay.
std::vector<std::string_view> JavaSplit(std::string_view text, char separator) {
  std::vector<std::string_view> parts = Split(text, separator);
  while (!parts.empty() && parts.back().empty()) parts.pop_back();
  return parts;
}

std::optional<FieldPlacement> PlacementOf(std::string_view word) {
  if (EqualsIgnoreCase(word, "header")) return FieldPlacement::kHeader;
  if (EqualsIgnoreCase(word, "envelope")) return FieldPlacement::kEnvelope;
  if (EqualsIgnoreCase(word, "partition")) return FieldPlacement::kPartition;
  return std::nullopt;
}

// Debezium's AdditionalFieldsValidator and EventRouterConfigDefinition.parseAdditionalFieldsConfig.
void ParsePlacement(Draft& draft, const std::string& key, std::vector<AdditionalField>& fields) {
  if (draft.Find(key) == nullptr) return;
  std::set<std::string> envelope = {"payload"};
  const std::string text = draft.Raw(key);
  const std::vector<std::string_view> items = JavaSplit(text, ',');
  if (items.empty()) draft.Refuse(key, "allowed is column:placement or column:placement:alias, with commas");
  for (const std::string_view item : items) {
    std::vector<std::string_view> parts = JavaSplit(item, ':');
    for (std::string_view& part : parts) part = Trim(part);
    if (parts.size() < 2 || parts.size() > 3 || parts.front().empty())
      return draft.Refuse(key, Cat(draft.Quoted(key, item), " is not column:placement or column:placement:alias"));
    const std::optional<FieldPlacement> placement = PlacementOf(parts[1]);
    if (!placement)
      return draft.Refuse(
          key, Cat(draft.Quoted(key, parts[1]), " is no placement: allowed are header, envelope and partition"));
    const std::string alias(parts.size() == 3 ? parts[2] : parts[0]);
    if (*placement == FieldPlacement::kEnvelope && !envelope.insert(alias).second)
      return draft.Refuse(
          key, Cat("the envelope would have two fields called ", draft.Quoted(key, alias), ": give one an alias"));
    fields.push_back({std::string(parts[0]), *placement, alias});
  }
}

std::optional<std::string> Optional(const Draft& draft, const std::string& key) {
  std::string text = draft.Text(key);
  if (text.empty()) return std::nullopt;
  return text;
}

void CheckReplacement(Draft& draft, const std::string& prefix, const Router& router) {
  const absl::StatusOr<JavaRegex> regex = JavaRegex::Compile(router.route_topic_regex);
  if (!regex.ok()) return;  // refused already, or a default that is right
  const absl::Status status = regex->CheckReplacement(router.route_topic_replacement);
  if (!status.ok())
    draft.Refuse(Cat(prefix, "route.topic.replacement"), Cat("does not fit route.topic.regex: ", status.message()));
}

bool MissingIsError(const Draft& draft, const std::string& prefix) {
  const std::string name = Cat(prefix, "table.field.additional.missing");
  const std::string older = Cat(prefix, "table.fields.additional.error.on.missing");
  if (draft.Find(name) == nullptr && draft.Find(older) != nullptr) return draft.Flag(older);
  return draft.Choice<bool>(name, {{"error", true}, {"ignore", false}});
}

bool SkipsUpdates(Draft& draft) {
  constexpr std::string_view kKey = "skipped.operations";
  bool updates = false;
  for (const std::string& item : draft.List(kKey)) {
    const std::string operation = ToLower(item);
    if (operation == "c") {
      draft.Refuse(kKey, "with c in it no inserted row would be published");
    } else if (operation != "u" && operation != "d" && operation != "t" && operation != "none") {
      draft.Refuse(kKey, "allowed are u, d and t with commas, or none");
    }
    updates = updates || operation == "u";
  }
  return updates;
}

}  // namespace

void MakeRouter(Draft& draft, Router& router) {
  router.skip_updates = SkipsUpdates(draft);
  MakeTransforms(draft, router);
  if (router.alias.empty()) return;
  const std::string prefix = Cat("transforms.", router.alias, ".");
  const auto key = [&prefix](std::string_view name) { return Cat(prefix, name); };
  router.event_id = draft.Text(key("table.field.event.id"));
  router.event_key = draft.Text(key("table.field.event.key"));
  router.event_payload = draft.Text(key("table.field.event.payload"));
  router.event_timestamp = Optional(draft, key("table.field.event.timestamp"));
  router.event_schema_version = Optional(draft, key("table.field.event.schema.version"));
  ParsePlacement(draft, key(kPlacement), router.additional_fields);
  router.additional_missing_is_error = MissingIsError(draft, prefix);
  router.route_by_field = draft.Text(key("route.by.field"));
  router.route_topic_regex = draft.Raw(key("route.topic.regex"));
  router.route_topic_replacement = draft.Raw(key("route.topic.replacement"));
  CheckReplacement(draft, prefix, router);
  router.tombstone_on_empty_payload = draft.Flag(key("route.tombstone.on.empty.payload"));
  router.expand_json_payload = draft.Flag(key("table.expand.json.payload"));
  router.expand_null_as_optional_bytes =
      draft.Choice<bool>(key("table.json.payload.null.behavior"), {{"ignore", false}, {"optional_bytes", true}});
  router.invalid_operation = draft.Choice<InvalidOperation>(
      key("table.op.invalid.behavior"),
      {{"warn", InvalidOperation::kWarn}, {"error", InvalidOperation::kError}, {"fatal", InvalidOperation::kFatal}});
  router.tracing_headers = draft.Flag("postrider.tracing.headers");
  if (router.tracing_headers) router.tracing_context_field = Optional(draft, key("tracing.span.context.field"));
}

}  // namespace postrider::config
