#include "config/draft.h"

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "config/text.h"

namespace postrider::config {
namespace {

constexpr size_t kShownBytesMax = 200;
constexpr std::string_view kMask = "***";

// Names that hold a secret as a rule, for keys that the table does not know.
bool SoundsSecret(std::string_view key) {
  const std::string lower = ToLower(key);
  for (const std::string_view word :
       {"pass", "pwd", "secret", "token", "credential", "jaas", "private", "auth", "connectionstring"})
    if (Contains(lower, word)) return true;
  return lower.ends_with(".key");
}

// Fit for a line of a terminal: control characters as escapes, long text cut.
std::string OneLine(std::string_view text) {
  std::string line;
  for (const char c : text.substr(0, kShownBytesMax)) {
    if (c == '\n') {
      line += "\\n";
    } else if (c == '\t') {
      line += "\\t";
    } else {
      line.push_back(absl::ascii_iscntrl(static_cast<unsigned char>(c)) ? '?' : c);
    }
  }
  if (text.size() > kShownBytesMax) line += "...";
  return line;
}

}  // namespace

Draft::Draft(Settings settings, std::function<Resolve(const Setting&)> resolver_of)
    : settings_(std::move(settings)), index_(settings_), resolver_of_(std::move(resolver_of)) {
  for (const Setting& setting : settings_.all())
    if (IsSecret(setting.key)) sources_.emplace(setting.key, MakeSource(setting));
}

const Setting* Draft::Find(std::string_view key) const {
  const Setting* setting = settings_.Find(key);
  return setting == nullptr || setting->refused ? nullptr : setting;
}

std::string Draft::Default(std::string_view key) const {
  const KeyIndex::Match match = index_.Find(key);
  return match.spec == nullptr ? "" : match.spec->fallback;
}

std::string Draft::Raw(std::string_view key) const {
  const Setting* setting = Find(key);
  return setting == nullptr ? Default(key) : setting->value;
}

std::string Draft::Text(std::string_view key) const {
  return std::string(Trim(Raw(key)));
}

bool Draft::Flag(std::string_view key) const {
  return ParseFlag(Raw(key)).value_or(false);
}

int64_t Draft::Number(std::string_view key) const {
  return ParseNumber(Raw(key)).value_or(0);
}

std::vector<std::string> Draft::List(std::string_view key) const {
  return SplitList(Raw(key));
}

std::shared_ptr<SecretSource> Draft::MakeSource(const Setting& setting) const {
  if (!setting.has_placeholder) return std::make_shared<SecretSource>(setting.value, nullptr);
  return std::make_shared<SecretSource>(setting.raw, resolver_of_(setting));
}

std::shared_ptr<SecretSource> Draft::SourceOf(std::string_view key) const {
  const auto found = sources_.find(key);
  return found == sources_.end() ? nullptr : found->second;
}

Secret Draft::SecretOf(std::string_view key, Resolve read) const {
  const Setting* setting = Find(key);
  if (setting == nullptr || setting->value.empty()) return {};
  std::shared_ptr<SecretSource> source = SourceOf(key);
  if (source == nullptr) source = MakeSource(*setting);
  return {setting->raw,
          [source = std::move(source), read = std::move(read)](const std::string&) -> absl::StatusOr<std::string> {
            absl::StatusOr<std::string> text = source->Read();
            if (!text.ok() || read == nullptr) return text;
            return read(*text);
          }};
}

bool Draft::IsSecret(std::string_view key) const {
  const KeySpec* spec = index_.Find(key).spec;
  if (spec != nullptr) return spec->secret || (spec->name.ends_with("*") && SoundsSecret(key));
  if (SoundsSecret(key)) return true;
  // A mistyped secret: `database.pasword`.
  const std::optional<std::string> meant = index_.Suggest(key);
  const KeySpec* meant_spec = meant ? index_.Find(*meant).spec : nullptr;
  return meant_spec != nullptr && meant_spec->secret;
}

std::string Draft::Shown(const Setting& setting) const {
  if (IsSecret(setting.key)) {
    // A placeholder alone tells where the secret is, not what it is; a Debezium Server file may have a default in it.
    const bool placeholder_alone = setting.has_placeholder && !setting.server_form && setting.raw.starts_with("${") &&
                                   setting.raw.find('}') + 1 == setting.raw.size();
    if (placeholder_alone) return setting.raw;
    return std::string(setting.raw.empty() ? "" : kMask);
  }
  return OneLine(setting.has_placeholder ? setting.raw : setting.value);
}

std::string Draft::Quoted(std::string_view key, std::string_view piece) const {
  const Setting* setting = settings_.Find(key);
  if (setting != nullptr && (setting->has_placeholder || IsSecret(key))) return "a part of it";
  return Cat("'", OneLine(piece), "'");
}

std::string Draft::Where(std::string_view key) const {
  const Setting* setting = settings_.Find(key);
  if (setting == nullptr) return std::string(key);
  return Cat(setting->origin.ToString(), ": ", setting->name());
}

void Draft::Refuse(std::string_view key, std::string_view why) {
  const Setting* setting = settings_.Find(key);
  RefuseKey(key, setting == nullptr ? std::string(why) : Cat("is '", Shown(*setting), "': ", why));
}

void Draft::RefuseKey(std::string_view key, std::string_view why) {
  problems_.push_back(Cat(Where(key), " ", why));
  if (Setting* setting = settings_.Find(key)) setting->refused = true;
  SetOutcome(key, KeyOutcome::kRefused, why);
}

void Draft::WarnOf(std::string_view key, std::string_view why) {
  Warn(Cat(Where(key), " ", why));
}

void Draft::SetOutcome(std::string_view key, KeyOutcome outcome, std::string_view remark) {
  Finding& finding = findings_[std::string(key)];
  // A refusal is the last word.
  if (finding.outcome == KeyOutcome::kRefused) return;
  finding.outcome = outcome;
  finding.remark = remark;
}

void Draft::SetLibrdkafka(std::string_view key, std::string_view property_and_value) {
  std::string& text = findings_[std::string(key)].librdkafka;
  Append(text, text.empty() ? "" : " ", property_and_value);
}

const Draft::Finding* Draft::FindingOf(std::string_view key) const {
  const auto found = findings_.find(key);
  return found == findings_.end() ? nullptr : &found->second;
}

}  // namespace postrider::config
