#include "config/environment.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "base/fault.h"
#include "base/nearest_name.h"
#include "config/key_index.h"
#include "config/text.h"

namespace postrider::config {
namespace {

constexpr std::string_view kPrefix = "POSTRIDER_";

// Kubernetes gives every container such variables for a service that is called postrider.
bool IsOfKubernetes(std::string_view variable) {
  return variable.starts_with("POSTRIDER_SERVICE_") || variable == "POSTRIDER_PORT" ||
         variable.starts_with("POSTRIDER_PORT_");
}

using Candidates = std::map<std::string, std::set<std::string, std::less<>>>;

// Which keys each variable may mean, as things stand.
Candidates CandidatesFor(const Settings& settings) {
  Candidates candidates;
  for (const std::string& key : KeyIndex(settings).ConcreteKeys()) candidates[VariableOf(key)].insert(key);
  for (const Setting& setting : settings.all()) candidates[VariableOf(setting.key)].insert(setting.key);
  return candidates;
}

void Put(Settings& settings, const std::string& key, const std::pair<std::string, std::string>& variable) {
  Setting setting;
  setting.key = key;
  setting.raw = setting.value = variable.second;
  setting.origin = {.kind = Origin::Kind::kEnvironment, .name = variable.first};
  settings.Put(std::move(setting));
}

std::string UnknownVariable(const std::string& variable, const Candidates& candidates) {
  std::vector<std::string_view> known;
  for (const auto& [name, keys] : candidates) known.push_back(name);
  std::sort(known.begin(), known.end());
  std::string text = Cat("environment ", variable, " is no known key and is ignored");
  const std::string_view nearest = NearestName(variable, known);
  if (!nearest.empty()) Append(text, "; did you mean ", nearest, "?");
  return text;
}

}  // namespace

std::string VariableOf(std::string_view key) {
  ConsumePrefix(key, "postrider.");
  std::string variable(kPrefix);
  for (const char c : key) variable.push_back(absl::ascii_isalnum(c) ? absl::ascii_toupper(c) : '_');
  return variable;
}

absl::Status ApplyEnvironment(const std::vector<std::pair<std::string, std::string>>& environment, Settings& settings,
                              std::vector<std::string>& warnings) {
  std::vector<std::pair<std::string, std::string>> open;
  for (const auto& variable : environment) {
    if (variable.first.starts_with(kPrefix) && !IsOfKubernetes(variable.first)) open.push_back(variable);
  }
  // A variable may define an alias (POSTRIDER_TRANSFORMS) or its type, which others need: go on while one more is
  // understood.
  for (bool progress = true; progress && !open.empty();) {
    const Candidates candidates = CandidatesFor(settings);
    progress = false;
    std::vector<std::pair<std::string, std::string>> left;
    for (auto& variable : open) {
      const auto found = candidates.find(variable.first);
      if (found == candidates.end()) {
        left.push_back(variable);
        continue;
      }
      if (found->second.size() > 1)
        return MakeFault(Fault::kConfiguration,
                         Cat("environment ", variable.first, " could be any of the keys ",
                             absl::StrJoin(found->second, ", "), ": set the key in a file or with --set"));
      Put(settings, *found->second.begin(), variable);
      progress = true;
    }
    open = std::move(left);
  }
  if (open.empty()) return absl::OkStatus();
  const Candidates candidates = CandidatesFor(settings);
  for (const auto& variable : open) warnings.push_back(UnknownVariable(variable.first, candidates));
  return absl::OkStatus();
}

}  // namespace postrider::config
