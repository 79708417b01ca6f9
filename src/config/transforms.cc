#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/java_regex.h"
#include "config/classes.h"
#include "config/parts.h"
#include "config/text.h"

namespace postrider::config {
namespace {

constexpr std::string_view kContextHeaders = "__debezium.context.";

// One entry of `transforms`, or of `predicates`.
struct Entry {
  std::string alias;
  const ClassSpec* spec = nullptr;
};

std::string SimpleNames(ClassKind kind) {
  std::vector<std::string> names;
  for (const ClassSpec& spec : Classes())
    if (spec.kind == kind) names.emplace_back(spec.name.substr(spec.name.rfind('.') + 1));
  return absl::StrJoin(names, ", ");
}

// A key that its class cannot do without; false where it is missing, which is then refused at the class. Empty text is
// a value.
bool Require(Draft& draft, const std::string& type_key, const std::string& key, std::string_view allowed) {
  if (draft.settings().Find(key) != nullptr) return draft.Find(key) != nullptr;
  draft.RefuseKey(type_key, Cat("is ", draft.Text(type_key), ", and ", key, " is missing: allowed is ", allowed));
  return false;
}

void CheckHeaderName(Draft& draft, const std::string& key, std::string_view name) {
  if (Trim(name).empty()) {
    draft.Refuse(key, "allowed is the name of a header");
  } else if (name.starts_with(kContextHeaders) && draft.settings().Find("extended.headers.enabled") == nullptr) {
    draft.Refuse(key,
                 "Debezium adds that header where extended.headers.enabled is not written, and Postrider does not: "
                 "write extended.headers.enabled=true or false");
  }
}

void ReadPredicate(Draft& draft, const ClassSpec& spec, const std::string& prefix, Predicate& predicate) {
  predicate.kind = PredicateKindOf(spec);
  const std::string type_key = Cat(prefix, "type"), pattern_key = Cat(prefix, "pattern"),
                    name_key = Cat(prefix, "name");
  switch (predicate.kind) {
    case Predicate::Kind::kTopicNameMatches:
      if (!Require(draft, type_key, pattern_key, "a Java regular expression")) return;
      predicate.pattern = draft.Raw(pattern_key);
      if (Trim(predicate.pattern).empty()) draft.Refuse(pattern_key, "allowed is a Java regular expression");
      return;
    case Predicate::Kind::kHasHeaderKey:
      if (!Require(draft, type_key, name_key, "the name of a header")) return;
      predicate.header = draft.Raw(name_key);
      CheckHeaderName(draft, name_key, predicate.header);
      return;
    case Predicate::Kind::kRecordIsTombstone:
      return;
  }
}

// transforms.<alias>.predicate and .negate.
std::optional<Predicate> PredicateOf(Draft& draft, const std::string& prefix) {
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
  const std::string type_key = Cat("predicates.", name, ".type");
  if (draft.settings().Find(type_key) == nullptr) {
    draft.RefuseKey(name_key, Cat("names ", name, ", but ", type_key, " is missing"));
    return std::nullopt;
  }
  const ClassSpec* spec = FindClass(ClassKind::kPredicate, draft.Text(type_key));
  if (spec == nullptr) {
    if (draft.Find(type_key) != nullptr)
      draft.Refuse(type_key, Cat("not supported; Postrider knows ", SimpleNames(ClassKind::kPredicate)));
    return std::nullopt;
  }
  Predicate predicate{.negate = negate};
  ReadPredicate(draft, *spec, Cat("predicates.", name, "."), predicate);
  return predicate;
}

void ReadRegexRouter(Draft& draft, const std::string& prefix, Transform& transform) {
  const std::string type_key = Cat(prefix, "type"), regex_key = Cat(prefix, "regex"),
                    replacement_key = Cat(prefix, "replacement");
  if (!Require(draft, type_key, regex_key, "a Java regular expression") ||
      !Require(draft, type_key, replacement_key, "a replacement as Java's Matcher takes it"))
    return;
  transform.regex = draft.Raw(regex_key);
  transform.replacement = draft.Raw(replacement_key);
  const absl::StatusOr<JavaRegex> regex = JavaRegex::Compile(transform.regex);
  if (!regex.ok()) return;  // refused already
  const absl::Status status = regex->CheckReplacement(transform.replacement);
  if (!status.ok()) draft.Refuse(replacement_key, Cat("does not fit ", regex_key, ": ", status.message()));
}

void ReadInsertHeader(Draft& draft, const std::string& prefix, Transform& transform) {
  const std::string type_key = Cat(prefix, "type"), header_key = Cat(prefix, "header"),
                    literal_key = Cat(prefix, "value.literal");
  if (!Require(draft, type_key, header_key, "the name of a header") ||
      !Require(draft, type_key, literal_key, "a text, a number, true, false, a date, a time or null"))
    return;
  transform.header = draft.Raw(header_key);
  transform.literal = draft.Raw(literal_key);
  transform.literal_origin = draft.Where(literal_key);
  if (const std::string_view text = Trim(transform.literal); text.starts_with('[') || text.starts_with('{')) {
    draft.Refuse(literal_key,
                 "Connect looks for a list or map in it, which is not supported: allowed is a text that begins with "
                 "neither [ nor {, a number, true, false, a date, a time or null");
  }
}

void ReadDropHeaders(Draft& draft, const std::string& prefix, Transform& transform) {
  const std::string headers_key = Cat(prefix, "headers");
  constexpr std::string_view kAllowed = "names of headers with commas";
  if (!Require(draft, Cat(prefix, "type"), headers_key, kAllowed)) return;
  const std::string text = draft.Raw(headers_key);
  for (const std::string_view name : Split(text, ',')) {
    if (Trim(name).empty()) return draft.Refuse(headers_key, Cat("one of them is empty: allowed are ", kAllowed));
    transform.headers.emplace_back(Trim(name));
  }
}

void CheckFilter(Draft& draft, const std::string& prefix) {
  const std::string key = Cat(prefix, "predicate");
  const Setting* predicate = draft.settings().Find(key);
  if (predicate != nullptr && !Trim(predicate->value).empty()) return;
  draft.RefuseKey(Cat(prefix, "type"),
                  Cat("is a Filter without a predicate, which would drop every record: set ", key));
}

Transform ReadTransform(Draft& draft, const Entry& entry) {
  const std::string prefix = Cat("transforms.", entry.alias, ".");
  Transform transform{
      .kind = TransformKindOf(*entry.spec), .alias = entry.alias, .predicate = PredicateOf(draft, prefix)};
  switch (transform.kind) {
    case Transform::Kind::kRegexRouter:
      ReadRegexRouter(draft, prefix, transform);
      break;
    case Transform::Kind::kInsertHeader:
      ReadInsertHeader(draft, prefix, transform);
      break;
    case Transform::Kind::kDropHeaders:
      ReadDropHeaders(draft, prefix, transform);
      break;
    case Transform::Kind::kFilter:
      CheckFilter(draft, prefix);
      break;
  }
  return transform;
}

// What `transforms` lists, without what was refused.
std::vector<Entry> EntriesOf(Draft& draft, const std::vector<std::string>& aliases) {
  std::vector<Entry> entries;
  std::set<std::string> seen;
  for (const std::string& alias : aliases) {
    const std::string type_key = Cat("transforms.", alias, ".type");
    const std::string type = draft.Text(type_key);
    const ClassSpec* spec = FindClass(ClassKind::kTransform, type);
    if (!seen.insert(alias).second) {
      draft.RefuseKey("transforms", Cat("names ", alias, " twice: give each transform an alias of its own"));
    } else if (type.empty()) {
      draft.RefuseKey("transforms", Cat("names ", alias, ", but ", type_key, " is missing"));
    } else if (spec == nullptr) {
      draft.Refuse(type_key,
                   Cat("a transform that is not supported; Postrider runs ", SimpleNames(ClassKind::kTransform)));
    } else {
      entries.push_back({alias, spec});
    }
  }
  return entries;
}

bool IsRouter(const Entry& entry) {
  return entry.spec->name == kEventRouterClass;
}

}  // namespace

void MakeTransforms(Draft& draft, Router& router) {
  const std::vector<std::string> aliases = draft.List("transforms");
  const std::vector<Entry> entries = EntriesOf(draft, aliases);
  std::vector<std::string> routers;
  for (const Entry& entry : entries)
    if (IsRouter(entry)) routers.push_back(entry.alias);
  if (routers.size() > 1) {
    draft.RefuseKey("transforms",
                    Cat("names more than one EventRouter (", absl::StrJoin(routers, ", "), "): keep one"));
  } else if (aliases.empty()) {
    draft.RefuseAll(
        Cat("no EventRouter is configured: set transforms=outbox and transforms.outbox.type=", kEventRouterClass));
  } else if (routers.empty() && entries.size() == aliases.size()) {
    draft.RefuseKey("transforms", Cat("names no EventRouter: add one, with its type ", kEventRouterClass));
  }
  std::vector<Transform>* side = &router.before;
  for (const Entry& entry : entries) {
    if (!IsRouter(entry)) {
      side->push_back(ReadTransform(draft, entry));
    } else if (routers.size() == 1) {
      router.alias = entry.alias;
      router.predicate = PredicateOf(draft, Cat("transforms.", entry.alias, "."));
      side = &router.behind;
    }
  }
}

}  // namespace postrider::config
