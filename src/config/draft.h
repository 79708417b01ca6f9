// The configuration while it is being made: settings to read, problems, warnings and remarks to collect.
//
// The parts that make a Config (config/parts.h) read every key through it. A value that the table of keys does not
// allow was refused before they see it (config/validate.h); they then get the default, so that one run finds every
// problem. Used at start, one thread. Tested by tests/unit/config/draft_test.cc.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/check.h"
#include "config/key_index.h"
#include "config/load.h"
#include "config/secret.h"
#include "config/secret_source.h"
#include "config/settings.h"
#include "config/text.h"

namespace postrider::config {

// Resolves a setting's raw text anew, from any thread.
using Resolve = std::function<absl::StatusOr<std::string>(const std::string&)>;

class Draft {
 public:
  // `resolver_of` tells how a setting's placeholders are resolved again later (Secret).
  Draft(Settings settings, std::function<Resolve(const Setting&)> resolver_of);

  const Settings& settings() const { return settings_; }
  Settings& settings() { return settings_; }
  const KeyIndex& index() const { return index_; }

  // ---- reading: the setting, or the table's default where it is absent or refused ----------------------------------
  // Null where the key is absent or refused.
  const Setting* Find(std::string_view key) const;
  // Given and not empty.
  bool Has(std::string_view key) const { return !Text(key).empty() && Find(key) != nullptr; }
  std::string Text(std::string_view key) const;  // without blanks at its ends
  std::string Raw(std::string_view key) const;   // as written
  bool Flag(std::string_view key) const;
  int64_t Number(std::string_view key) const;
  std::vector<std::string> List(std::string_view key) const;
  template <typename E>
  E Choice(std::string_view key, std::initializer_list<std::pair<std::string_view, E>> meanings) const {
    const std::string value = Text(key);
    for (const auto& [text, meaning] : meanings)
      if (EqualsIgnoreCase(text, value)) return meaning;
    POSTRIDER_CHECK(false);  // the table of keys lists a choice that its reader does not know
    return meanings.begin()->second;
  }
  // Empty where the key is absent. `read` makes something of the resolved text at each Read(), where given.
  Secret SecretOf(std::string_view key, Resolve read = nullptr) const;
  // What the Secrets of a secret key read through; null for another key, and for an absent one.
  std::shared_ptr<SecretSource> SourceOf(std::string_view key) const;

  // ---- findings ----------------------------------------------------------------------------------------------------
  // "FILE:LINE: KEY is 'VALUE': WHY", the value masked where it is secret. Later reads take the default.
  void Refuse(std::string_view key, std::string_view why);
  // The same without the value: "FILE:LINE: KEY WHY".
  void RefuseKey(std::string_view key, std::string_view why);
  // For what is missing: a whole sentence.
  void RefuseAll(std::string sentence) { problems_.push_back(std::move(sentence)); }
  void Warn(std::string sentence) { warnings_.push_back(std::move(sentence)); }
  // "FILE:LINE: KEY WHY"
  void WarnOf(std::string_view key, std::string_view why);
  void SetOutcome(std::string_view key, KeyOutcome outcome, std::string_view remark);
  // Appended where a key has several.
  void SetLibrdkafka(std::string_view key, std::string_view property_and_value);
  // A line of the report for what holds without a key.
  void ReportDefault(KeyReport line) { defaults_.push_back(std::move(line)); }

  // "connector.properties:12: slot.name"; the key alone where it is not given.
  std::string Where(std::string_view key) const;
  // A value as it may be shown: `***` for a secret, as written where it holds placeholders, cut where it is long.
  std::string Shown(const Setting& setting) const;
  bool IsSecret(std::string_view key) const;
  // A piece of a value for a message: "'piece'", or where the value came through a placeholder "a part of it".
  std::string Quoted(std::string_view key, std::string_view piece) const;

  const std::vector<KeyReport>& defaults() const { return defaults_; }
  const std::vector<std::string>& problems() const { return problems_; }
  std::vector<std::string>& warnings() { return warnings_; }

  struct Finding {
    std::optional<KeyOutcome> outcome;
    std::string remark;
    std::string librdkafka;
  };
  // What was said of a key so far; null where nothing was.
  const Finding* FindingOf(std::string_view key) const;

 private:
  std::string Default(std::string_view key) const;
  std::shared_ptr<SecretSource> MakeSource(const Setting& setting) const;

  Settings settings_;
  KeyIndex index_;
  std::function<Resolve(const Setting&)> resolver_of_;
  std::map<std::string, std::shared_ptr<SecretSource>, std::less<>> sources_;  // of secret keys
  std::vector<std::string> problems_, warnings_;
  std::vector<KeyReport> defaults_;
  std::map<std::string, Finding, std::less<>> findings_;
};

}  // namespace postrider::config
