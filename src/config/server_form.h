// Debezium Server's form of a configuration: application.properties with `debezium.source.*`, `debezium.format.*`,
// `debezium.transforms.*`, `debezium.sink.kafka.producer.*`, and the DEBEZIUM_* variables that stand for them.
//
// Its keys become Connect's, with Debezium Server's own defaults: JsonConverter for key, value and header. Differences
// that stay: partition and timestamp of a record, which Debezium Server drops, are honoured. Used at start, one thread;
// ServerExpressions may resolve from any. Source: Debezium Server reference, "Configuration"; SmallRye Config,
// "Property Expressions". Tested by tests/unit/config/server_form_test.cc.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "config/properties.h"
#include "config/settings.h"

namespace postrider::config {

// True where a key of the file begins with debezium.source. or debezium.sink.
bool IsServerForm(const std::vector<Entry>& entries);

// The settings that the entries of such a file (number `file`, called `name`) stand for, in the order to Put them.
std::vector<Setting> FromServerForm(const std::vector<Entry>& entries, const std::string& name, int file);

// The same for variables: DEBEZIUM_SOURCE_DATABASE_HOSTNAME is debezium.source.database.hostname.
std::vector<Setting> FromServerEnvironment(const std::vector<std::pair<std::string, std::string>>& environment);

// What Debezium Server takes where its format keys are absent.
void PutServerDefaults(const std::string& name, int file, Settings& settings);

// `${NAME}` and `${NAME:default}`, NAME being a variable or a key of the file; `$$` is a dollar sign. Immutable once
// made.
class ServerExpressions {
 public:
  using Names = std::map<std::string, std::string, std::less<>>;
  ServerExpressions(Names environment, Names entries)
      : environment_(std::move(environment)), entries_(std::move(entries)) {}

  static bool In(std::string_view text) { return text.find('$') != std::string_view::npos; }
  // NotFound: "${X}: neither the environment nor the file has X".
  absl::StatusOr<std::string> Resolve(std::string_view text) const;

 private:
  // `lookups_left` bounds what expressions within expressions can multiply to.
  absl::StatusOr<std::string> Resolve(std::string_view text, int depth, int& lookups_left) const;
  absl::StatusOr<std::string> LookUp(std::string_view expression, int depth, int& lookups_left) const;

  Names environment_, entries_;
};

}  // namespace postrider::config
