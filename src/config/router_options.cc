#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/java_regex.h"
#include "config/classes.h"
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

// The alias of the one EventRouter in `transforms`; empty where that was refused.
std::string RouterAlias(Draft& draft) {
  std::vector<std::string> routers;
  const std::vector<std::string> aliases = draft.List("transforms");
  for (const std::string& alias : aliases) {
    const std::string type_key = Cat("transforms.", alias, ".type");
    const std::string type = draft.Text(type_key);
    const ClassSpec* spec = FindClass(ClassKind::kTransform, type);
    if (type.empty()) {
      draft.RefuseKey("transforms", Cat("names ", alias, ", but ", type_key, " is missing"));
    } else if (spec == nullptr) {
      draft.Refuse(type_key, Cat("a transform that is not supported; Postrider runs ", kEventRouterClass));
    } else if (spec->outcome == KeyOutcome::kRefused) {
      draft.RefuseKey(type_key, Cat("is ", spec->name, ": ", spec->note));
    } else {
      routers.push_back(alias);
    }
  }
  if (routers.size() == 1) return routers.front();
  if (routers.size() > 1) {
    draft.RefuseKey("transforms",
                    Cat("names more than one EventRouter (", absl::StrJoin(routers, ", "), "): keep one"));
  } else if (aliases.empty()) {
    draft.RefuseAll(
        Cat("no EventRouter is configured: set transforms=outbox and transforms.outbox.type=", kEventRouterClass));
  }
  return "";
}

std::optional<TopicPredicate> PredicateOf(Draft& draft, const std::string& prefix) {
  const std::string name_key = Cat(prefix, "predicate"), negate_key = Cat(prefix, "negate");
  const std::string name = draft.Text(name_key);
  const bool negate = draft.Flag(negate_key);
  if (name.empty()) {
    if (negate) draft.RefuseKey(negate_key, Cat("has no meaning without ", name_key));
    return std::nullopt;
  }
  const std::vector<std::string> known = draft.List("predicates");
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    draft.Refuse(name_key, "`predicates` does not list it");
    return std::nullopt;
  }
  const std::string type_key = Cat("predicates.", name, ".type"), pattern_key = Cat("predicates.", name, ".pattern");
  const ClassSpec* spec = FindClass(ClassKind::kPredicate, draft.Text(type_key));
  if (draft.Find(type_key) == nullptr) {
    draft.RefuseKey(name_key, Cat("names ", name, ", but ", type_key, " is missing"));
  } else if (spec == nullptr) {
    draft.Refuse(type_key, Cat("not supported; Postrider knows ", kTopicNameMatchesClass));
  } else if (spec->outcome == KeyOutcome::kRefused) {
    draft.RefuseKey(type_key, Cat("is ", spec->name, ": ", spec->note));
  } else if (draft.Raw(pattern_key).empty()) {
    draft.RefuseKey(name_key, Cat("names ", name, ", but ", pattern_key, " is missing"));
  } else {
    return TopicPredicate{.pattern = draft.Raw(pattern_key), .negate = negate};
  }
  return std::nullopt;
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
  router.alias = RouterAlias(draft);
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
  router.predicate = PredicateOf(draft, prefix);
}

}  // namespace postrider::config
