#include "config/keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "config/text.h"
#include "config/validate.h"

namespace postrider::config {
namespace {

TEST(Keys, EachIsThereOnce) {
  std::set<std::pair<Scope, std::string>> seen;
  for (const KeySpec& spec : Keys()) EXPECT_TRUE(seen.emplace(spec.scope, spec.name).second) << DocumentedKey(spec);
}

TEST(Keys, DefaultsAreAllowed) {
  for (const KeySpec& spec : Keys()) {
    if (spec.fallback.empty()) continue;
    switch (spec.type) {
      case ValueType::kFlag:
        EXPECT_TRUE(ParseFlag(spec.fallback)) << DocumentedKey(spec);
        break;
      case ValueType::kNumber: {
        const std::optional<int64_t> number = ParseNumber(spec.fallback);
        ASSERT_TRUE(number) << DocumentedKey(spec);
        EXPECT_TRUE(*number >= spec.min && *number <= spec.max) << DocumentedKey(spec);
        break;
      }
      case ValueType::kChoice:
        EXPECT_TRUE(std::count(spec.choices.begin(), spec.choices.end(), spec.fallback)) << DocumentedKey(spec);
        break;
      case ValueType::kText:
      case ValueType::kRaw:
      case ValueType::kList:
      case ValueType::kRegex:
      case ValueType::kRegexList:
        break;
    }
  }
}

TEST(Keys, WhatIsNotHonouredSaysWhy) {
  for (const KeySpec& spec : Keys()) {
    EXPECT_TRUE(spec.outcome == KeyOutcome::kHonoured || !spec.note.empty()) << DocumentedKey(spec);
    for (const auto& [value, reason] : spec.not_choices)
      EXPECT_FALSE(reason.empty()) << DocumentedKey(spec) << "=" << value;
  }
}

TEST(Keys, WildcardsStandAtTheEnd) {
  for (const KeySpec& spec : Keys()) {
    const size_t star = spec.name.find('*');
    EXPECT_TRUE(star == std::string::npos || star + 1 == spec.name.size()) << DocumentedKey(spec);
  }
}

TEST(Keys, PasswordsAndTheirLikeAreSecret) {
  for (const KeySpec& spec : Keys()) {
    const bool sounds = spec.name.ends_with("password") || spec.name.ends_with("secret") ||
                        spec.name.ends_with("jaas.config") || spec.name == "ssl.keystore.key";
    EXPECT_TRUE(spec.secret || !sounds) << DocumentedKey(spec);
  }
}

// The names that a team's file may hold, as the sources' own definitions list them.
TEST(Keys, HoldsWhatDebeziumAndKafkaDefine) {
  std::set<std::string> top, producer, router;
  std::vector<std::string> top_stems, producer_stems;
  for (const KeySpec& spec : Keys()) {
    const bool wildcard = spec.name.ends_with('*');
    const std::string stem = spec.name.substr(0, spec.name.size() - (wildcard ? 1 : 0));
    if (spec.scope == Scope::kTop) wildcard ? top_stems.push_back(stem) : (void)top.insert(spec.name);
    if (spec.scope == Scope::kProducer) wildcard ? producer_stems.push_back(stem) : (void)producer.insert(spec.name);
    if (spec.scope == Scope::kEventRouter) router.insert(spec.name);
  }
  const auto has = [](const std::set<std::string>& names, const std::vector<std::string>& stems,
                      std::string_view name) {
    if (names.contains(std::string(name))) return true;
    return std::any_of(stems.begin(), stems.end(), [name](const std::string& stem) { return name.starts_with(stem); });
  };
#include "defined_keys.inc"
  for (const std::string_view name : kConnectorKeys) EXPECT_TRUE(has(top, top_stems, name)) << name;
  for (const std::string_view name : kConnectKeys)
    EXPECT_TRUE(has(top, top_stems, name) || has(producer, producer_stems, name)) << name;
  for (const std::string_view name : kProducerKeys) EXPECT_TRUE(has(producer, producer_stems, name)) << name;
  for (const std::string_view name : kRouterKeys) EXPECT_TRUE(has(router, {}, name)) << name;
}

}  // namespace
}  // namespace postrider::config
