#include "config/validate.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "absl/strings/str_join.h"
#include "base/java_regex.h"
#include "base/regex_list.h"
#include "config/text.h"

namespace postrider::config {
namespace {

void CheckRegex(Draft& draft, const Setting& setting, const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns) {
    const absl::StatusOr<JavaRegex> regex = JavaRegex::Compile(pattern);
    if (regex.ok()) continue;
    draft.Refuse(setting.key, Cat("not a regular expression: ", regex.status().message()));
    return;
  }
}

void CheckChoice(Draft& draft, const Setting& setting, const KeySpec& spec) {
  const std::string_view value = Trim(setting.value);
  const auto same = [value](std::string_view choice) { return EqualsIgnoreCase(choice, value); };
  if (std::any_of(spec.choices.begin(), spec.choices.end(), same)) return;
  for (const auto& [refused, reason] : spec.not_choices) {
    if (!same(refused)) continue;
    draft.Refuse(setting.key, Cat("not supported: ", reason, "; allowed is ", Allowed(spec)));
    return;
  }
  draft.Refuse(setting.key, Cat("allowed is ", Allowed(spec)));
}

void CheckValue(Draft& draft, const Setting& setting, const KeySpec& spec) {
  switch (spec.type) {
    case ValueType::kFlag:
      if (!ParseFlag(setting.value)) draft.Refuse(setting.key, Cat("allowed is ", Allowed(spec)));
      return;
    case ValueType::kNumber: {
      const std::optional<int64_t> number = ParseNumber(setting.value);
      if (!number || *number < spec.min || *number > spec.max)
        draft.Refuse(setting.key, Cat("allowed is ", Allowed(spec)));
      return;
    }
    case ValueType::kChoice:
      CheckChoice(draft, setting, spec);
      return;
    case ValueType::kRegex:
      CheckRegex(draft, setting, {setting.value});
      return;
    case ValueType::kRegexList:
      CheckRegex(draft, setting, SplitRegexList(setting.value));
      return;
    case ValueType::kText:
    case ValueType::kRaw:
    case ValueType::kList:
      return;
  }
}

void CheckUnknown(Draft& draft, const Setting& setting) {
  std::string remark = "unknown key, ignored";
  if (const std::optional<std::string> meant = draft.index().Suggest(setting.key))
    Append(remark, "; did you mean ", *meant, "?");
  draft.SetOutcome(setting.key, KeyOutcome::kUnknown, remark);
  draft.Warn(Cat(draft.Where(setting.key), ": ", remark));
}

void CheckSetting(Draft& draft, const Setting& setting) {
  const KeySpec* spec = draft.index().Find(setting.key).spec;
  if (spec == nullptr) return CheckUnknown(draft, setting);
  const std::string_view value = Trim(setting.value);
  switch (spec->outcome) {
    case KeyOutcome::kHonoured:
      return CheckValue(draft, setting, *spec);
    case KeyOutcome::kRefused:
      if (!value.empty()) draft.RefuseKey(setting.key, Cat("is not supported: ", spec->note));
      return;
    case KeyOutcome::kMeaningless:
      if (spec->loud && !value.empty() && !EqualsIgnoreCase(value, spec->fallback))
        draft.WarnOf(setting.key, Cat("has no effect: ", spec->note));
      return;
    case KeyOutcome::kUnknown:
      return;
  }
}

}  // namespace

std::string Allowed(const KeySpec& spec) {
  switch (spec.type) {
    case ValueType::kFlag:
      return "true or false";
    case ValueType::kNumber:
      if (spec.max == std::numeric_limits<int64_t>::max()) return Cat("a whole number from ", spec.min);
      return Cat("a whole number from ", spec.min, " to ", spec.max);
    case ValueType::kChoice:
      return spec.choices.size() == 1 ? spec.choices.front() : Cat("one of ", absl::StrJoin(spec.choices, ", "));
    case ValueType::kRegex:
      return "a Java regular expression";
    case ValueType::kRegexList:
      return "Java regular expressions with commas";
    case ValueType::kList:
      return "names with commas";
    case ValueType::kText:
    case ValueType::kRaw:
      return "text";
  }
  return "text";
}

void Validate(Draft& draft) {
  for (const Setting& setting : draft.settings().all()) {
    if (!setting.refused) CheckSetting(draft, setting);
  }
}

}  // namespace postrider::config
