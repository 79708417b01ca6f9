#include "base/table_filter.h"

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/regex_list.h"
#include "base/text.h"

namespace postrider {
namespace {

absl::StatusOr<std::vector<JavaRegex>> CompileList(std::string_view key, std::string_view list) {
  std::vector<JavaRegex> expressions;
  for (const std::string& expression : SplitRegexList(list)) {
    auto compiled = JavaRegex::Compile(expression, {.case_insensitive = true});
    if (!compiled.ok())
      return absl::InvalidArgumentError(
          absl::StrCat(View(key), ": the expression '", expression, "': ", compiled.status().message()));
    expressions.push_back(*std::move(compiled));
  }
  return expressions;
}

// A name that cannot be matched (not UTF-8, an expression without end) counts as one that does not match.
bool AnyMatches(const std::vector<JavaRegex>& expressions, std::string_view name) {
  return std::any_of(expressions.begin(), expressions.end(),
                     [&](const JavaRegex& expression) { return expression.Matches(name).value_or(false); });
}

// Include wins where both are given; where neither is, everything passes.
bool Passes(const std::vector<JavaRegex>& include, const std::vector<JavaRegex>& exclude, std::string_view name) {
  if (!include.empty()) return AnyMatches(include, name);
  return !AnyMatches(exclude, name);
}

// What Debezium's table.ignore.builtin, which is on by default, leaves out (PostgresConnectorConfig).
bool IsBuiltIn(std::string_view schema, std::string_view table) {
  return absl::EqualsIgnoreCase(View(schema), "pg_catalog") ||
         absl::EqualsIgnoreCase(View(schema), "information_schema") || absl::StartsWith(View(schema), "pg_temp") ||
         absl::EqualsIgnoreCase(View(table), "spatial_ref_sys");
}

}  // namespace

absl::StatusOr<TableFilter> TableFilter::Make(std::string_view table_include, std::string_view table_exclude,
                                              std::string_view schema_include, std::string_view schema_exclude) {
  TableFilter filter;
  struct List {
    std::string_view key;
    std::string_view text;
    std::vector<JavaRegex>* expressions;
  };
  for (const List& list : {List{"table.include.list", table_include, &filter.table_include_},
                           List{"table.exclude.list", table_exclude, &filter.table_exclude_},
                           List{"schema.include.list", schema_include, &filter.schema_include_},
                           List{"schema.exclude.list", schema_exclude, &filter.schema_exclude_}}) {
    auto compiled = CompileList(list.key, list.text);
    if (!compiled.ok()) return compiled.status();
    *list.expressions = *std::move(compiled);
  }
  return filter;
}

bool TableFilter::Matches(std::string_view schema, std::string_view table) const {
  if (IsBuiltIn(schema, table)) return false;
  return Passes(schema_include_, schema_exclude_, schema) &&
         Passes(table_include_, table_exclude_, absl::StrCat(View(schema), ".", View(table)));
}

bool TableFilter::empty() const {
  return table_include_.empty() && table_exclude_.empty() && schema_include_.empty() && schema_exclude_.empty();
}

}  // namespace postrider
