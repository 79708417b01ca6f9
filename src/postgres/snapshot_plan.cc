#include "postgres/snapshot_plan.h"

#include <algorithm>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/table_filter.h"
#include "base/text.h"
#include "postgres/catalog.h"
#include "postgres/quote.h"

namespace postrider::postgres {
namespace {

// regclass and its kin print the whole name, as in the stream.
constexpr char kEmptyPath[] = "SET LOCAL search_path = '';";
// A statement of the user's is read as the user's session would.
constexpr char kUsersPath[] = "SET LOCAL search_path TO DEFAULT;";

std::string ColumnsSql(const Connection& query, const std::vector<Table>& tables, const std::string& publication) {
  std::vector<uint32_t> oids;
  oids.reserve(tables.size());
  for (const Table& table : tables) oids.push_back(table.oid);
  const int version = query.server_version();
  // Column lists and row filters came with 15, published generated columns with 18.
  const std::string filter = version >= 150000 ? "p.rowfilter" : "NULL";
  std::string published = "a.attgenerated = ''";
  if (version >= 150000) absl::StrAppend(&published, " AND (p.attnames IS NULL OR a.attname = ANY (p.attnames))");
  if (version >= 180000)
    published = "CASE WHEN p.attnames IS NULL THEN a.attgenerated = '' ELSE a.attname = ANY (p.attnames) END";
  return absl::StrCat(
      "SELECT a.attrelid, a.attname, a.atttypid, a.atttypmod, ", filter,
      " FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid"
      " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_catalog.pg_publication_tables p ON "
      "p.pubname = ",
      QuoteLiteral(publication), " AND p.schemaname = n.nspname AND p.tablename = c.relname WHERE a.attrelid = ANY (",
      OidArray(oids), ") AND a.attnum > 0 AND NOT a.attisdropped AND ", published, " ORDER BY a.attrelid, a.attnum");
}

// The user's SELECT for a table, without the semicolon that no statement inside another can have; nullptr where there
// is none.
const std::string* Override(const config::Snapshot& snapshot, const Table& table) {
  const std::string name = absl::StrCat(table.schema, ".", table.name);
  const std::string root = absl::StrCat(table.root_schema, ".", table.root_name);
  for (const auto& [key, select] : snapshot.select_overrides)
    if (key == name || key == root) return &select;
  return nullptr;
}

std::string Nested(std::string_view select) {
  absl::string_view trimmed = absl::StripAsciiWhitespace(View(select));
  while (absl::EndsWith(trimmed, ";")) trimmed = absl::StripAsciiWhitespace(trimmed.substr(0, trimmed.size() - 1));
  // A comment at its end must not take the parenthesis with it.
  return absl::StrCat("(", trimmed, "\n)");
}

absl::StatusOr<std::vector<std::string>> ColumnsOf(Connection& query, const std::string& select,
                                                   const std::string& table) {
  const auto results =
      query.Execute(absl::StrCat(kUsersPath, "SELECT * FROM ", Nested(select), " AS q LIMIT 0;", kEmptyPath),
                    {.doing = "the statement of snapshot.select.statement.overrides"});
  if (!results.ok()) {
    const std::string sqlstate = SqlstateOf(results.status());
    if (!absl::StartsWith(sqlstate, "42") || sqlstate == "42501") return results.status();
    return MakeFault(Fault::kConfiguration,
                     absl::StrCat("snapshot.select.statement.overrides.", table, ": ", results.status().message()));
  }
  const Result& row = results->at(1);
  std::vector<std::string> names;
  names.reserve(static_cast<size_t>(row.columns()));
  for (int column = 0; column < row.columns(); ++column) names.push_back(row.ColumnName(column));
  return names;
}

}  // namespace

absl::StatusOr<std::vector<Table>> SnapshotTables(const config::Snapshot& snapshot,
                                                  const std::vector<Table>& captured) {
  if (snapshot.include_collection_list.empty()) return captured;
  const absl::StatusOr<TableFilter> filter = TableFilter::Make(snapshot.include_collection_list, "", "", "");
  if (!filter.ok()) {
    return MakeFault(Fault::kConfiguration,
                     absl::StrCat("snapshot.include.collection.list: ", filter.status().message()));
  }
  std::vector<Table> tables;
  for (const Table& table : captured) {
    if (filter->Matches(table.schema, table.name) || filter->Matches(table.root_schema, table.root_name))
      tables.push_back(table);
  }
  return tables;
}

absl::StatusOr<std::vector<SnapshotTable>> PlanSnapshot(Connection& query, const config::Config& config,
                                                        const std::vector<Table>& tables) {
  const auto results = query.Execute(absl::StrCat(kEmptyPath, ColumnsSql(query, tables, config.publication.name)),
                                     {.doing = "reading the catalogue"});
  if (!results.ok()) return results.status();
  const Result& rows = results->at(1);
  std::map<uint32_t, SnapshotTable> planned;
  std::map<uint32_t, std::string> filters;
  for (int row = 0; row < rows.rows(); ++row) {
    const auto oid = static_cast<uint32_t>(rows.Integer(row, 0));
    planned[oid].columns.push_back(
        {rows.Text(row, 1), static_cast<uint32_t>(rows.Integer(row, 2)), static_cast<int32_t>(rows.Integer(row, 3))});
    filters[oid] = rows.Text(row, 4);
  }
  std::vector<SnapshotTable> plan;
  for (const Table& table : tables) {
    SnapshotTable snapshot = std::move(planned[table.oid]);
    if (snapshot.columns.empty()) continue;
    snapshot.oid = table.oid;
    snapshot.schema = table.schema;
    snapshot.name = table.name;
    if (const std::string* select = Override(config.snapshot, table)) {
      const auto given = ColumnsOf(query, *select, absl::StrCat(table.schema, ".", table.name));
      if (!given.ok()) return given.status();
      snapshot.sql = CopySelectSql(*select, snapshot.columns, *given);
    } else {
      snapshot.sql = CopyTableSql(table, snapshot.columns, filters[table.oid]);
    }
    plan.push_back(std::move(snapshot));
  }
  return plan;
}

std::string CopyTableSql(const Table& table, const std::vector<SnapshotColumn>& columns,
                         const std::string& row_filter) {
  const std::string list = absl::StrJoin(columns, ", ", [](std::string* out, const SnapshotColumn& column) {
    absl::StrAppend(out, QuoteIdentifier(column.name));
  });
  return absl::StrCat(kEmptyPath, "COPY (SELECT ", list, " FROM ", table.kind == 'p' ? "" : "ONLY ",
                      QuoteTable(table.schema, table.name),
                      row_filter.empty() ? "" : absl::StrCat(" WHERE ", row_filter), ") TO STDOUT");
}

std::string CopySelectSql(const std::string& select, const std::vector<SnapshotColumn>& columns,
                          const std::vector<std::string>& given) {
  const std::string list = absl::StrJoin(columns, ", ", [&](std::string* out, const SnapshotColumn& column) {
    const bool is_given = std::find(given.begin(), given.end(), column.name) != given.end();
    absl::StrAppend(out, is_given ? absl::StrCat("q.", QuoteIdentifier(column.name)) : "NULL");
  });
  return absl::StrCat(kUsersPath, "COPY (SELECT ", list, " FROM ", Nested(select), " AS q) TO STDOUT");
}

}  // namespace postrider::postgres
