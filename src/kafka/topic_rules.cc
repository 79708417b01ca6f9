#include "kafka/topic_rules.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/fault.h"

namespace postrider::kafka {
namespace {

// What librdkafka lets through.
constexpr int kPartitionsMax = 100'000;
constexpr int kReplicasMax = 10'000;

bool IsCount(int number, int most) {
  return number == -1 || (number > 0 && number <= most);
}

// A comma list of expressions is one expression with alternatives.
absl::StatusOr<std::optional<JavaRegex>> CompileList(const std::string& list, const std::string& key) {
  std::vector<std::string> parts;
  for (absl::string_view part : absl::StrSplit(list, ',')) {
    part = absl::StripAsciiWhitespace(part);
    if (!part.empty()) parts.emplace_back(part);
  }
  if (parts.empty()) return std::optional<JavaRegex>();
  auto regex = JavaRegex::Compile(absl::StrJoin(parts, "|"));
  if (!regex.ok()) {
    return MakeFault(Fault::kConfiguration,
                     absl::StrCat(key, " is no regular expression that can be used: ", regex.status().message()));
  }
  return std::optional<JavaRegex>(*std::move(regex));
}

// An expression that runs into its match limit matches nothing: the topic falls to a later group.
bool Matches(const std::optional<JavaRegex>& regex, std::string_view topic) {
  return regex && regex->Matches(topic).value_or(false);
}

}  // namespace

absl::StatusOr<TopicRules> TopicRules::Make(const config::Producer& config) {
  TopicRules rules;
  if (!config.topic_creation_enable) return rules;
  for (const config::TopicGroup& group : config.topic_groups) {
    if (!IsCount(group.partitions, kPartitionsMax) || !IsCount(group.replication_factor, kReplicasMax)) {
      return MakeFault(Fault::kConfiguration,
                       absl::StrCat("topic.creation.", group.name,
                                    ": partitions and replication.factor are numbers above 0, or -1 for the "
                                    "broker's own"));
    }
    Rule rule{.group = group, .include = std::nullopt, .exclude = std::nullopt};
    if (group.name != "default") {
      const std::string prefix = absl::StrCat("topic.creation.", group.name);
      auto include = CompileList(group.include, absl::StrCat(prefix, ".include"));
      if (!include.ok()) return include.status();
      auto exclude = CompileList(group.exclude, absl::StrCat(prefix, ".exclude"));
      if (!exclude.ok()) return exclude.status();
      rule.include = *std::move(include);
      rule.exclude = *std::move(exclude);
    }
    rules.rules_.push_back(std::move(rule));
  }
  return rules;
}

const config::TopicGroup* TopicRules::GroupFor(std::string_view topic) const {
  for (const Rule& rule : rules_) {
    if (rule.group.name == "default") return &rule.group;
    if (Matches(rule.include, topic) && !Matches(rule.exclude, topic)) return &rule.group;
  }
  return nullptr;
}

}  // namespace postrider::kafka
