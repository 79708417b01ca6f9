// Kafka Connect's config providers: `${env:NAME}`, `${file:PATH:KEY}`, `${directory:PATH:FILE}` in values.
//
// Known under the aliases that `config.providers` names; where it is not written, as env, file and directory. One pass:
// what a placeholder gave is not looked through again. Immutable once made, so any thread may resolve. Resolve reads
// files: it may block. An error names alias, variable, path or key, never a value. Sources: ConfigTransformer,
// FileConfigProvider, DirectoryConfigProvider, EnvVarConfigProvider of Kafka 4.3; unlike them, what cannot be resolved
// is an error, not left as text, and one newline at the end of a directory's file is dropped. Tested by
// tests/unit/config/placeholders_test.cc.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "config/secret.h"
#include "config/settings.h"

namespace postrider::config {

enum class ProviderKind { kEnvironment, kFile, kDirectory };

// Given as the text of class or short name in `config.providers.<alias>.class`; nullopt where it is none of the three.
std::optional<ProviderKind> ProviderKindOf(std::string_view class_name);

class Placeholders {
 public:
  using Environment = std::map<std::string, std::string, std::less<>>;

  // With the default aliases.
  explicit Placeholders(Environment environment);
  // Only these aliases.
  Placeholders(Environment environment, std::map<std::string, ProviderKind, std::less<>> aliases);

  // True when `text` holds `${alias:...}`; `${name}` without a colon is none (a regular expression's group).
  static bool In(std::string_view text);
  // NotFound or InvalidArgument: "${env:X}: the environment has no variable X".
  absl::StatusOr<std::string> Resolve(std::string_view text) const;

 private:
  absl::StatusOr<std::string> LookUp(std::string_view alias, std::string_view path, std::string_view key) const;

  Environment environment_;
  std::map<std::string, ProviderKind, std::less<>> aliases_;
};

// The content of a file that holds one secret: without the newline at its end. "PATH does not exist".
absl::StatusOr<std::string> ReadSecretFile(const std::string& path);

}  // namespace postrider::config
