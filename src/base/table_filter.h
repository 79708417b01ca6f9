// Which tables are captured: Debezium's schema/table include and exclude lists.
//
// Comma lists of Java regular expressions; `\,` is a comma; each trimmed, case-insensitive, matched against the whole
// of "schema.table" (or "schema"). Include wins over exclude. pg_catalog, information_schema, temporary schemas and
// PostGIS' spatial_ref_sys never match. Source: Debezium's Strings.RegExSplitter, Selectors and
// PostgresConnectorConfig. Thread-safe once made. Tested by tests/unit/base/table_filter_test.cc.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/java_regex.h"

namespace postrider {

class TableFilter {
 public:
  // InvalidArgument naming the list and the expression.
  static absl::StatusOr<TableFilter> Make(std::string_view table_include, std::string_view table_exclude,
                                          std::string_view schema_include, std::string_view schema_exclude);

  // A name that cannot be matched at all (not UTF-8, an expression without end) matches no expression.
  bool Matches(std::string_view schema, std::string_view table) const;
  // True when neither table.include.list nor any other list was given.
  bool empty() const;

 private:
  std::vector<JavaRegex> table_include_, table_exclude_, schema_include_, schema_exclude_;
};

}  // namespace postrider
