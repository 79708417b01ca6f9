#include "config/key_index.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/nearest_name.h"
#include "config/classes.h"
#include "config/text.h"

namespace postrider::config {
namespace {

std::string ExactId(Scope scope, std::string_view name) {
  return Cat(static_cast<int>(scope), ":", name);
}

bool IsWildcard(const KeySpec& spec) {
  return spec.name.ends_with("*");
}

std::vector<std::string> ListOf(const Settings& settings, std::string_view key) {
  const Setting* setting = settings.Find(key);
  return setting == nullptr ? std::vector<std::string>() : SplitList(setting->value);
}

// The row for keys of a class that is refused as a whole.
const KeySpec& ForeignKey() {
  static const KeySpec* const spec = [] {
    auto* row = new KeySpec;
    row->section = Section::kConnect;
    row->scope = Scope::kTransform;
    row->name = "*";
    row->outcome = KeyOutcome::kMeaningless;
    row->note = "of a class that is not used here";
    return row;
  }();
  return *spec;
}

// The scope of a class's own keys.
Scope ScopeOfTransform(const ClassSpec& spec) {
  if (spec.name == kEventRouterClass) return Scope::kEventRouter;
  switch (TransformKindOf(spec)) {
    case Transform::Kind::kRegexRouter:
      return Scope::kRegexRouter;
    case Transform::Kind::kInsertHeader:
      return Scope::kInsertHeader;
    case Transform::Kind::kDropHeaders:
      return Scope::kDropHeaders;
    case Transform::Kind::kFilter:
      return Scope::kTransform;
  }
  return Scope::kTransform;
}

Scope ScopeOfPredicate(const ClassSpec& spec) {
  switch (PredicateKindOf(spec)) {
    case Predicate::Kind::kTopicNameMatches:
      return Scope::kTopicNameMatches;
    case Predicate::Kind::kHasHeaderKey:
      return Scope::kHasHeaderKey;
    case Predicate::Kind::kRecordIsTombstone:
      return Scope::kPredicate;
  }
  return Scope::kPredicate;
}

}  // namespace

bool IsSecurityName(std::string_view name) {
  return name.starts_with("security.") || name.starts_with("sasl.") || name.starts_with("ssl.");
}

KeyIndex::KeyIndex(const Settings& settings) {
  for (const KeySpec& spec : Keys()) {
    if (IsWildcard(spec)) {
      wildcards_.push_back(&spec);
    } else {
      exact_.emplace(ExactId(spec.scope, spec.name), &spec);
    }
  }
  std::stable_sort(wildcards_.begin(), wildcards_.end(),
                   [](const KeySpec* a, const KeySpec* b) { return a->name.size() > b->name.size(); });

  places_ = {{"producer.override.", {Scope::kProducer}}, {"producer.", {Scope::kProducer}},
             {"key.converter.", {Scope::kConverter}},    {"value.converter.", {Scope::kConverter}},
             {"header.converter.", {Scope::kConverter}}, {"topic.creation.default.", {Scope::kTopicCreation}}};
  // Keys of an alias: those that every class of its kind has, and its own class's.
  const auto add_aliases = [&](std::string_view list, Scope common, ClassKind kind, Scope (*own)(const ClassSpec&)) {
    for (const std::string& alias : ListOf(settings, list)) {
      Place place{Cat(list, ".", alias, "."), {common}};
      const Setting* type = settings.Find(Cat(place.prefix, "type"));
      const ClassSpec* spec = type == nullptr ? nullptr : FindClass(kind, Trim(type->value));
      if (spec != nullptr) {
        place.scopes.push_back(own(*spec));
      } else {
        place.foreign = type != nullptr;
      }
      places_.push_back(std::move(place));
    }
  };
  add_aliases("transforms", Scope::kTransform, ClassKind::kTransform, ScopeOfTransform);
  add_aliases("predicates", Scope::kPredicate, ClassKind::kPredicate, ScopeOfPredicate);
  for (const std::string& group : ListOf(settings, "topic.creation.groups"))
    places_.push_back({Cat("topic.creation.", group, "."), {Scope::kTopicCreation}});
  for (const std::string& alias : ListOf(settings, "config.providers"))
    places_.push_back({Cat("config.providers.", alias, "."), {Scope::kConfigProvider}});
  std::stable_sort(places_.begin(), places_.end(),
                   [](const Place& a, const Place& b) { return a.prefix.size() > b.prefix.size(); });
}

const KeySpec* KeyIndex::FindIn(Scope scope, std::string_view name) const {
  const auto exact = exact_.find(ExactId(scope, name));
  if (exact != exact_.end()) return exact->second;
  for (const KeySpec* spec : wildcards_) {
    const std::string_view stem = std::string_view(spec->name).substr(0, spec->name.size() - 1);
    if (spec->scope == scope && name.size() > stem.size() && name.starts_with(stem)) return spec;
  }
  return nullptr;
}

const KeyIndex::Place* KeyIndex::PlaceOf(std::string_view key) const {
  for (const Place& place : places_)
    if (key.starts_with(place.prefix)) return &place;
  return nullptr;
}

KeyIndex::Match KeyIndex::Find(std::string_view key) const {
  if (const KeySpec* spec = FindIn(Scope::kTop, key)) return {spec, "", std::string(key)};
  if (const Place* place = PlaceOf(key)) {
    const std::string name(key.substr(place->prefix.size()));
    for (const Scope scope : place->scopes)
      if (const KeySpec* spec = FindIn(scope, name)) return {spec, place->prefix, name};
    return {place->foreign ? &ForeignKey() : nullptr, place->prefix, name};
  }
  return {IsSecurityName(key) ? FindIn(Scope::kProducer, key) : nullptr, "", std::string(key)};
}

std::optional<std::string> KeyIndex::Suggest(std::string_view key) const {
  const Place* place = PlaceOf(key);
  const std::string prefix = place == nullptr ? "" : place->prefix;
  const std::string_view name = key.substr(prefix.size());
  // The right name in the wrong place first: `route.by.field` without its prefix.
  for (const Place& other : places_) {
    for (const Scope scope : other.scopes)
      if (exact_.contains(ExactId(scope, name))) return Cat(other.prefix, name);
  }
  std::vector<std::string_view> known;
  for (const auto& [id, spec] : exact_) {
    const bool here = place == nullptr ? spec->scope == Scope::kTop
                                       : std::count(place->scopes.begin(), place->scopes.end(), spec->scope) > 0;
    if (here) known.push_back(spec->name);
  }
  std::sort(known.begin(), known.end());
  const std::string_view nearest = NearestName(name, known);
  if (nearest.empty()) return std::nullopt;
  return Cat(prefix, nearest);
}

std::vector<std::string> KeyIndex::ConcreteKeys() const {
  std::vector<std::string> keys;
  for (const KeySpec& spec : Keys()) {
    if (IsWildcard(spec)) continue;
    if (spec.scope == Scope::kTop || (spec.scope == Scope::kProducer && IsSecurityName(spec.name)))
      keys.push_back(spec.name);
    for (const Place& place : places_) {
      if (std::count(place.scopes.begin(), place.scopes.end(), spec.scope) > 0)
        keys.push_back(Cat(place.prefix, spec.name));
    }
  }
  return keys;
}

}  // namespace postrider::config
