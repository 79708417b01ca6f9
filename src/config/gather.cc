#include "config/gather.h"

#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "base/fault.h"
#include "config/environment.h"
#include "config/placeholders.h"
#include "config/server_form.h"
#include "config/source_file.h"
#include "config/text.h"

namespace postrider::config {
namespace {

using Names = std::map<std::string, std::string, std::less<>>;

// What was seen of Debezium Server's form; `file` is the last such file.
struct ServerFiles {
  int file = -1;
  std::string name;
  Names entries;
};

void WarnOfRepeats(const std::string& name, const std::vector<Entry>& entries, std::vector<std::string>& warnings) {
  std::map<std::string, int, std::less<>> lines;
  for (const Entry& entry : entries) {
    const auto [seen, first] = lines.try_emplace(entry.key, entry.line);
    if (first) continue;
    const Origin origin{.kind = Origin::Kind::kFile, .line = entry.line, .name = name};
    warnings.push_back(Cat(origin.ToString(), ": ", entry.key, " is given a second time; the one in line ",
                           seen->second, " does not count"));
    seen->second = entry.line;
  }
}

// A worker's file after its connector's is not what connect-standalone means by the two: the worker's converters would
// win.
void WarnOfWorkerLast(const Settings& settings, const Setting& setting, std::vector<std::string>& warnings) {
  const Setting* connector = settings.Find("connector.class");
  const Setting* before = settings.Find(setting.key);
  const bool is_converter =
      setting.key == "key.converter" || setting.key == "value.converter" || setting.key == "header.converter";
  if (!is_converter || connector == nullptr || before == nullptr || before->origin.file != connector->origin.file ||
      setting.origin.file == connector->origin.file)
    return;
  warnings.push_back(Cat(setting.origin.ToString(), ": ", setting.key, " overrides the connector's own in ",
                         before->origin.ToString(), ": where this is a worker's file, name it first"));
}

absl::Status AddFile(const std::string& name, int file, Gathered& gathered, ServerFiles& server) {
  absl::StatusOr<std::vector<Entry>> entries = ReadSourceFile(name);
  if (!entries.ok()) return entries.status();
  WarnOfRepeats(name, *entries, gathered.warnings);
  if (IsServerForm(*entries)) {
    for (Setting& setting : FromServerForm(*entries, name, file)) gathered.settings.Put(std::move(setting));
    for (const Entry& entry : *entries) server.entries[entry.key] = entry.value;
    server.file = file;
    server.name = name;
    return absl::OkStatus();
  }
  for (Entry& entry : *entries) {
    Setting setting;
    setting.key = std::move(entry.key);
    setting.raw = setting.value = std::move(entry.value);
    setting.origin = {.kind = Origin::Kind::kFile, .file = file, .line = entry.line, .name = name};
    WarnOfWorkerLast(gathered.settings, setting, gathered.warnings);
    gathered.settings.Put(std::move(setting));
  }
  return absl::OkStatus();
}

absl::Status AddOverrides(const std::vector<std::pair<std::string, std::string>>& overrides, Settings& settings) {
  for (const auto& [key, value] : overrides) {
    if (key.empty()) return MakeFault(Fault::kConfiguration, "--set has no key: write --set key=value");
    Setting setting;
    setting.key = key;
    setting.raw = setting.value = value;
    setting.origin = {.kind = Origin::Kind::kSet};
    settings.Put(std::move(setting));
  }
  return absl::OkStatus();
}

Placeholders MakePlaceholders(const Settings& settings, Names environment) {
  const Setting* providers = settings.Find("config.providers");
  if (providers == nullptr) return Placeholders(std::move(environment));
  constexpr std::pair<std::string_view, ProviderKind> kByName[] = {
      {"env", ProviderKind::kEnvironment}, {"file", ProviderKind::kFile}, {"directory", ProviderKind::kDirectory}};
  std::map<std::string, ProviderKind, std::less<>> aliases;
  for (const std::string& alias : SplitList(providers->raw)) {
    const Setting* class_name = settings.Find(Cat("config.providers.", alias, ".class"));
    if (class_name != nullptr) {
      if (const auto kind = ProviderKindOf(Trim(class_name->raw))) aliases[alias] = *kind;
      continue;
    }
    for (const auto& [name, kind] : kByName)
      if (alias == name) aliases[alias] = kind;
  }
  return {std::move(environment), std::move(aliases)};
}

void ResolveAll(Gathered& gathered) {
  for (Setting& setting : gathered.settings.all()) {
    setting.has_placeholder = setting.server_form ? ServerExpressions::In(setting.raw) : Placeholders::In(setting.raw);
    if (!setting.has_placeholder) continue;
    absl::StatusOr<std::string> value = gathered.resolver_of(setting)(setting.raw);
    if (value.ok()) {
      setting.value = *std::move(value);
    } else {
      gathered.unresolved.emplace_back(setting.key, value.status().message());
    }
  }
}

}  // namespace

absl::StatusOr<Gathered> Gather(const Sources& sources) {
  Gathered gathered;
  ServerFiles server;
  for (size_t i = 0; i < sources.files.size(); ++i) {
    absl::Status status = AddFile(sources.files[i], static_cast<int>(i), gathered, server);
    if (!status.ok()) return status;
  }
  if (server.file >= 0) {
    for (Setting& setting : FromServerEnvironment(sources.environment)) gathered.settings.Put(std::move(setting));
    PutServerDefaults(server.name, server.file, gathered.settings);
  }
  absl::Status status = ApplyEnvironment(sources.environment, gathered.settings, gathered.warnings);
  if (!status.ok()) return status;
  status = AddOverrides(sources.overrides, gathered.settings);
  if (!status.ok()) return status;

  const Names environment(sources.environment.begin(), sources.environment.end());
  auto expressions = std::make_shared<const ServerExpressions>(environment, std::move(server.entries));
  auto placeholders = std::make_shared<const Placeholders>(MakePlaceholders(gathered.settings, environment));
  gathered.resolver_of = [expressions, placeholders](const Setting& setting) -> Resolve {
    if (setting.server_form) return [expressions](const std::string& raw) { return expressions->Resolve(raw); };
    return [placeholders](const std::string& raw) { return placeholders->Resolve(raw); };
  };
  ResolveAll(gathered);
  return gathered;
}

}  // namespace postrider::config
