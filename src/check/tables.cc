#include "check/tables.h"

#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/nearest_name.h"
#include "postgres/relation_bytes.h"
#include "router/router.h"

namespace postrider::check {
namespace {

constexpr char kName[] = "columns";

// The key of the first column that is not there, with the name that is nearest to it.
std::string ColumnRemedy(const config::Router& router, const Table& table) {
  const std::pair<const char*, std::string> wanted[] = {
      {"table.field.event.payload", router.event_payload},
      {"table.field.event.id", router.event_id},
      {"table.field.event.key", router.event_key},
      {"route.by.field", router.route_by_field},
      {"table.field.event.timestamp", router.event_timestamp.value_or("")},
      {"table.field.event.schema.version", router.event_schema_version.value_or("")}};
  std::vector<std::string_view> names;
  for (const TableColumn& column : table.columns) names.emplace_back(column.name);
  for (const auto& [key, column] : wanted) {
    if (column.empty() || table.FindColumn(column) != nullptr) continue;
    const std::string_view near = NearestName(column, names);
    return absl::StrCat("transforms.", router.alias, ".", key, "=", near.empty() ? "COLUMN" : View(near));
  }
  return "";
}

Finding CheckTable(const config::Config& config, const Table& table, router::Router& router) {
  const std::string name = absl::StrCat("table ", table.schema, ".", table.name);
  std::string bytes;
  const decoder::Relation relation = postgres::RelationOf(table, bytes);
  if (!router.Wants(relation)) {
    return Warning("table_not_routed",
                   absl::StrCat(name,
                                " is captured, and a predicate or a filter keeps it from the Event Router: its "
                                "rows are ignored"),
                   absl::StrCat("transforms.", config.router.alias, ".predicate, or table.include.list without it"));
  }
  if (absl::Status status = router.SetRelation(relation, &table); !status.ok())
    return Failure(kName, status, Fault::kConfiguration, ColumnRemedy(config.router, table));
  return Pass(kName, absl::StrCat(name, " has every column that the configuration names, of a type that fits"));
}

}  // namespace

Findings CheckTables(const config::Config& config, const std::vector<Table>& tables) {
  const auto router = router::Router::Make(config);
  if (!router.ok()) return {Failure(kName, router.status(), Fault::kConfiguration)};
  Findings findings;
  for (const Table& table : tables) findings.push_back(CheckTable(config, table, **router));
  return findings;
}

}  // namespace postrider::check
