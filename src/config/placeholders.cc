#include "config/placeholders.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_join.h"
#include "config/source_file.h"
#include "config/text.h"

namespace postrider::config {
namespace {

// One `${alias:path:key}` or `${alias:key}`. Views into the text that it was found in.
struct Placeholder {
  size_t begin = 0, end = 0;
  std::string_view alias, path, key;
};

// Connect's pattern: \$\{([^}]*?):(([^}]*?):)?([^}]*?)\} . So the alias ends at the first colon and the path at the
// next.
std::optional<Placeholder> FindNext(std::string_view text, size_t from) {
  for (size_t begin = text.find("${", from); begin != std::string_view::npos; begin = text.find("${", begin + 2)) {
    const size_t close = text.find('}', begin);
    if (close == std::string_view::npos) return std::nullopt;
    const std::string_view inner = text.substr(begin + 2, close - begin - 2);
    const size_t alias_end = inner.find(':');
    if (alias_end == std::string_view::npos) continue;
    Placeholder found{.begin = begin, .end = close + 1, .alias = inner.substr(0, alias_end), .path = {}, .key = {}};
    const std::string_view rest = inner.substr(alias_end + 1);
    const size_t path_end = rest.find(':');
    if (path_end != std::string_view::npos) found.path = rest.substr(0, path_end);
    found.key = path_end == std::string_view::npos ? rest : rest.substr(path_end + 1);
    return found;
  }
  return std::nullopt;
}

absl::StatusOr<std::string> ReadFileKey(const std::string& path, std::string_view key) {
  absl::StatusOr<std::string> text = ReadSmallFile(path);
  if (!text.ok()) return absl::Status(text.status().code(), Cat(path, " ", text.status().message()));
  absl::StatusOr<std::vector<Entry>> entries = ParseProperties(*text);
  if (!entries.ok()) return absl::Status(entries.status().code(), Cat(path, ", ", entries.status().message()));
  // The last one counts, as in Java's Properties.
  const auto found = std::find_if(entries->rbegin(), entries->rend(), [key](const Entry& e) { return e.key == key; });
  if (found == entries->rend()) return absl::NotFoundError(Cat(path, " has no key ", key));
  return found->value;
}

}  // namespace

std::optional<ProviderKind> ProviderKindOf(std::string_view class_name) {
  const size_t dot = class_name.rfind('.');
  const std::string_view simple = dot == std::string_view::npos ? class_name : class_name.substr(dot + 1);
  const std::string_view package = dot == std::string_view::npos ? std::string_view() : class_name.substr(0, dot);
  const bool kafka = package.empty() || package == "org.apache.kafka.common.config.provider";
  if (kafka && simple == "FileConfigProvider") return ProviderKind::kFile;
  if (kafka && simple == "DirectoryConfigProvider") return ProviderKind::kDirectory;
  // Strimzi's is older than Kafka's and means the same.
  if ((kafka || package == "io.strimzi.kafka") && simple == "EnvVarConfigProvider") return ProviderKind::kEnvironment;
  return std::nullopt;
}

absl::StatusOr<std::string> ReadSecretFile(const std::string& path) {
  absl::StatusOr<std::string> text = ReadSmallFile(path);
  if (!text.ok()) return absl::Status(text.status().code(), Cat(path, " ", text.status().message()));
  std::string_view value = *text;
  if (ConsumeSuffix(value, "\n")) ConsumeSuffix(value, "\r");
  if (value.find('\0') != std::string_view::npos) return absl::InvalidArgumentError(Cat(path, " holds a NUL"));
  return std::string(value);
}

Placeholders::Placeholders(Environment environment)
    : Placeholders(std::move(environment), {{"env", ProviderKind::kEnvironment},
                                            {"file", ProviderKind::kFile},
                                            {"directory", ProviderKind::kDirectory}}) {}

Placeholders::Placeholders(Environment environment, std::map<std::string, ProviderKind, std::less<>> aliases)
    : environment_(std::move(environment)), aliases_(std::move(aliases)) {}

bool Placeholders::In(std::string_view text) {
  return FindNext(text, 0).has_value();
}

absl::StatusOr<std::string> Placeholders::LookUp(std::string_view alias, std::string_view path,
                                                 std::string_view key) const {
  const auto provider = aliases_.find(alias);
  if (provider == aliases_.end()) {
    std::vector<std::string> names;
    for (const auto& [name, kind] : aliases_) names.push_back(name);
    std::sort(names.begin(), names.end());
    return absl::InvalidArgumentError(Cat("no config provider is called ", alias, "; there is ",
                                          names.empty() ? "none" : absl::StrJoin(names, ", ")));
  }
  switch (provider->second) {
    case ProviderKind::kEnvironment: {
      if (!path.empty()) return absl::InvalidArgumentError("an environment variable has no path: write ${env:NAME}");
      const auto variable = environment_.find(key);
      if (variable == environment_.end()) return absl::NotFoundError(Cat("the environment has no variable ", key));
      return variable->second;
    }
    case ProviderKind::kFile:
      if (path.empty()) return absl::InvalidArgumentError("a path is missing: write ${file:PATH:KEY}");
      return ReadFileKey(std::string(path), key);
    case ProviderKind::kDirectory:
      if (path.empty() || key.empty() || Contains(key, "/"))
        return absl::InvalidArgumentError("write ${directory:PATH:FILE}, FILE being a name in PATH");
      return ReadSecretFile(Cat(path, "/", key));
  }
  return absl::InternalError("unknown kind of config provider");
}

absl::StatusOr<std::string> Placeholders::Resolve(std::string_view text) const {
  std::string out;
  size_t copied = 0;
  for (std::optional<Placeholder> next = FindNext(text, 0); next; next = FindNext(text, next->end)) {
    absl::StatusOr<std::string> value = LookUp(next->alias, next->path, next->key);
    if (!value.ok()) {
      const std::string_view written = text.substr(next->begin, next->end - next->begin);
      return absl::Status(value.status().code(), Cat(written, ": ", value.status().message()));
    }
    Append(out, text.substr(copied, next->begin - copied), *value);
    copied = next->end;
  }
  Append(out, text.substr(copied));
  return out;
}

}  // namespace postrider::config
