#include "postgres/publication.h"

#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/log.h"
#include "base/nearest_name.h"
#include "base/text.h"
#include "postgres/quote.h"

namespace postrider::postgres {
namespace {

using Mode = config::PublicationAutocreate;

std::string DottedName(const CandidateTable& table) {
  return absl::StrCat(table.schema, ".", table.name);
}

std::vector<std::string> DottedNames(const std::vector<CandidateTable>& tables) {
  std::vector<std::string> names;
  names.reserve(tables.size());
  for (const CandidateTable& table : tables) names.push_back(DottedName(table));
  return names;
}

// Whether a list says which tables there are; exclude lists alone only say which there are not.
bool NamesTables(const config::TableSelection& selection) {
  return !selection.table_include_list.empty() || !selection.schema_include_list.empty();
}

bool IsOutbox(const CandidateTable& table) {
  return absl::EqualsIgnoreCase(table.name, "outbox") || absl::EqualsIgnoreCase(table.root_name, "outbox");
}

bool Matches(const TableFilter& filter, const CandidateTable& table) {
  return filter.Matches(table.schema, table.name) ||
         (table.root_oid != table.oid && filter.Matches(table.root_schema, table.root_name));
}

// What the lists ask for, published or not.
std::vector<CandidateTable> Wanted(const config::Config& config, const TableFilter& filter,
                                   const std::vector<CandidateTable>& tables) {
  std::vector<CandidateTable> wanted;
  for (const CandidateTable& table : tables) {
    if (table.persistence != 'p' || !Matches(filter, table)) continue;
    if (NamesTables(config.tables) || IsOutbox(table)) wanted.push_back(table);
  }
  return wanted;
}

// A partitioned table stands for its partitions.
void DropCovered(std::vector<CandidateTable>& tables) {
  std::set<uint32_t> oids;
  for (const CandidateTable& table : tables) oids.insert(table.oid);
  std::erase_if(tables, [&](const CandidateTable& table) {
    return table.root_oid != table.oid && oids.contains(table.root_oid);
  });
}

std::set<std::string> NearNames(const config::TableSelection& selection, const std::vector<CandidateTable>& tables) {
  const std::vector<std::string> names = DottedNames(tables);
  const std::vector<std::string_view> known(names.begin(), names.end());
  std::set<std::string> near;
  for (const absl::string_view item : absl::StrSplit(selection.table_include_list, ',')) {
    const std::string plain = absl::StrReplaceAll(item, {{"\\", ""}, {" ", ""}});
    const std::string_view name = NearestName(plain, known);
    if (!name.empty()) near.emplace(name);
  }
  return near;
}

// Nothing to capture: what the configuration asks for is not in the database.
absl::Status UnknownTable(const config::Config& config, const TableFilter& filter,
                          const std::vector<CandidateTable>& tables) {
  if (const std::vector<CandidateTable> unlogged = UnloggedTables(config, filter, tables); !unlogged.empty()) {
    const CandidateTable& table = unlogged.front();
    return MakeFault(Fault::kConfiguration,
                     absl::StrCat("table ", DottedName(table),
                                  " is unlogged or temporary, and its rows never reach the stream: ALTER TABLE ",
                                  QuoteTable(table.schema, table.name), " SET LOGGED"));
  }
  if (!NamesTables(config.tables)) {
    return MakeFault(
        Fault::kConfiguration,
        absl::StrCat("table.include.list is not set, and database ", QuoteIdentifier(config.database.dbname),
                     " has no table named outbox: set table.include.list=schema.table"));
  }
  const bool by_table = !config.tables.table_include_list.empty();
  const std::string near = absl::StrJoin(NearNames(config.tables, tables), " or ");
  return MakeFault(Fault::kConfiguration,
                   absl::StrCat("no table of database ", QuoteIdentifier(config.database.dbname), " matches ",
                                by_table ? "table.include.list=" : "schema.include.list=",
                                by_table ? config.tables.table_include_list : config.tables.schema_include_list,
                                near.empty() ? "" : absl::StrCat(" (did you mean ", near, "?)"),
                                ": make the table, or correct the list"));
}

std::string TableList(const std::vector<CandidateTable>& tables) {
  return absl::StrJoin(tables, ", ", [](std::string* out, const CandidateTable& table) {
    absl::StrAppend(out, View(QuoteTable(table.schema, table.name)));
  });
}

// True where the stream has to name partitioned tables rather than their partitions.
bool ViaRoot(const config::Config& config, const TableFilter& filter, const std::vector<CandidateTable>& listed,
             const std::vector<CandidateTable>& tables) {
  if (config.publication.via_partition_root) return true;
  return std::any_of(listed.begin(), listed.end(), [&](const CandidateTable& table) {
    if (table.kind != 'p') return false;
    int partitions = 0;
    for (const CandidateTable& leaf : tables) {
      if (leaf.root_oid != table.oid || leaf.kind == 'p') continue;
      ++partitions;
      if (!filter.Matches(leaf.schema, leaf.name)) return true;
    }
    return partitions == 0;
  });
}

absl::Status NoInserts(const config::Config& config) {
  const std::string name = QuoteIdentifier(config.publication.name);
  return MakeFault(Fault::kPublication,
                   absl::StrCat("publication ", name, " does not publish inserts; its owner runs: ALTER PUBLICATION ",
                                name, " SET (publish = 'insert')"));
}

// A partition that stands in the stream under its own name, while the lists know only the table above it, would be left
// out without a word.
absl::Status CheckNames(const config::Config& config, const TableFilter& filter,
                        const std::vector<CandidateTable>& captured) {
  for (const CandidateTable& table : captured) {
    if (filter.Matches(table.schema, table.name)) continue;
    const std::string name = QuoteIdentifier(config.publication.name);
    return MakeFault(
        Fault::kPublication,
        absl::StrCat("publication ", name, " sends the rows of ", table.root_schema, ".", table.root_name,
                     " under the name of their partition, ", DottedName(table),
                     ", which table.include.list does not match; its owner runs: ALTER PUBLICATION ", name,
                     " SET (publish_via_partition_root = true), where it holds the partitioned table itself; or name "
                     "the partitions in the list"));
  }
  return absl::OkStatus();
}

// Tables that the lists match and the publication leaves out.
std::vector<CandidateTable> Unpublished(const config::Config& config, const TableFilter& filter,
                                        const TableState& state) {
  if (!NamesTables(config.tables)) return {};
  // A table counts as published with its root, and a partitioned one with any of its partitions.
  std::set<uint32_t> covered;
  for (const CandidateTable& table : state.tables) {
    if (std::find(state.published.begin(), state.published.end(), table.oid) == state.published.end()) continue;
    covered.insert(table.oid);
    covered.insert(table.root_oid);
  }
  std::vector<CandidateTable> unpublished = Wanted(config, filter, state.tables);
  std::erase_if(unpublished, [&](const CandidateTable& table) {
    return covered.contains(table.oid) || covered.contains(table.root_oid);
  });
  return unpublished;
}

}  // namespace

absl::StatusOr<std::string> CreatePublicationSql(const config::Config& config, const TableFilter& filter,
                                                 const std::vector<CandidateTable>& tables) {
  const std::string create = absl::StrCat("CREATE PUBLICATION ", QuoteIdentifier(config.publication.name));
  const std::string_view root = config.publication.via_partition_root ? ", publish_via_partition_root = true" : "";
  if (config.publication.autocreate == Mode::kAllTables) {
    return absl::StrCat(create, " FOR ALL TABLES WITH (publish = 'insert'", View(root), ")");
  }
  if (config.publication.autocreate == Mode::kNoTables) {
    return absl::StrCat(create, " WITH (publish = 'insert'", View(root), ")");
  }
  const std::vector<CandidateTable> listed = WantedTables(config, filter, tables);
  if (listed.empty()) return UnknownTable(config, filter, tables);
  const bool updates =
      config.publication.publish_updates &&
      std::all_of(listed.begin(), listed.end(), [](const CandidateTable& table) { return table.identity; });
  return absl::StrCat(create, " FOR TABLE ", TableList(listed), " WITH (publish = '",
                      updates ? "insert, update" : "insert", "'",
                      ViaRoot(config, filter, listed, tables) ? ", publish_via_partition_root = true" : "", ")");
}

absl::Status MakePublication(Connection& connection, const config::Config& config, const TableFilter& filter,
                             const TableState& state, bool in_recovery, bool may_create) {
  if (state.publication) return absl::OkStatus();
  const std::string missing = absl::StrCat("publication ", QuoteIdentifier(config.publication.name),
                                           " does not exist in database ", QuoteIdentifier(config.database.dbname));
  const absl::StatusOr<std::string> sql = CreatePublicationSql(config, filter, state.tables);
  if (config.publication.autocreate == Mode::kDisabled) {
    return MakeFault(Fault::kPublication, absl::StrCat(missing, " and publication.autocreate.mode is disabled: ",
                                                       sql.ok() ? absl::StrCat("an owner of the table runs: ", *sql)
                                                                : std::string(sql.status().message())));
  }
  if (!may_create) {
    return MakeFault(Fault::kPublication,
                     absl::StrCat(missing,
                                  " any more: it was dropped while we ran; what was written meanwhile cannot be "
                                  "decoded. Make it anew, drop the slot, and start again"));
  }
  if (!sql.ok()) return sql.status();
  if (in_recovery)
    return MakeFault(Fault::kPassing, absl::StrCat(missing, ", and the server is a standby, where none can be made"));
  absl::Status made = connection.Execute(*sql, {.doing = "creating the publication"}).status();
  const std::string sqlstate = SqlstateOf(made);
  if (made.ok() || sqlstate == "42710") return absl::OkStatus();
  if (sqlstate != "42501") return made;
  const bool all = config.publication.autocreate == Mode::kAllTables;
  return MakeFault(
      Fault::kDatabaseRefuses,
      absl::StrCat(missing, " and user ", QuoteIdentifier(config.database.user), " may not make it: ",
                   all ? "a superuser runs: " : "an owner of the table who may CREATE in the database runs: ", *sql));
}

absl::StatusOr<std::vector<uint32_t>> CapturedTables(const config::Config& config, const TableFilter& filter,
                                                     const TableState& state) {
  const std::string name = QuoteIdentifier(config.publication.name);
  if (!state.publication->inserts) return NoInserts(config);
  const std::set<uint32_t> published(state.published.begin(), state.published.end());
  std::vector<CandidateTable> captured;
  for (const CandidateTable& table : state.tables) {
    if (!published.contains(table.oid) || !Matches(filter, table)) continue;
    if (NamesTables(config.tables) || !state.publication->all_tables || IsOutbox(table)) captured.push_back(table);
  }
  DropCovered(captured);
  if (captured.empty()) {
    const std::vector<CandidateTable> wanted = WantedTables(config, filter, state.tables);
    if (wanted.empty()) return UnknownTable(config, filter, state.tables);
    return MakeFault(
        Fault::kPublication,
        absl::StrCat("publication ", name, " does not hold the table; its owner runs: ", AddTablesSql(config, wanted)));
  }
  if (absl::Status status = CheckNames(config, filter, captured); !status.ok()) return status;
  std::vector<uint32_t> oids;
  oids.reserve(captured.size());
  for (const CandidateTable& table : captured) oids.push_back(table.oid);
  return oids;
}

std::vector<CandidateTable> WantedTables(const config::Config& config, const TableFilter& filter,
                                         const std::vector<CandidateTable>& tables) {
  std::vector<CandidateTable> wanted = Wanted(config, filter, tables);
  DropCovered(wanted);
  return wanted;
}

std::vector<CandidateTable> UnloggedTables(const config::Config& config, const TableFilter& filter,
                                           const std::vector<CandidateTable>& tables) {
  std::vector<CandidateTable> unlogged;
  for (const CandidateTable& table : tables) {
    if (table.persistence == 'p' || !Matches(filter, table)) continue;
    if (NamesTables(config.tables) || IsOutbox(table)) unlogged.push_back(table);
  }
  return unlogged;
}

std::string NearestTable(const config::TableSelection& selection, const std::vector<CandidateTable>& tables) {
  const std::set<std::string> near = NearNames(selection, tables);
  return near.empty() ? "" : *near.begin();
}

std::string AddTablesSql(const config::Config& config, const std::vector<CandidateTable>& tables) {
  return absl::StrCat("ALTER PUBLICATION ", QuoteIdentifier(config.publication.name), " ADD TABLE ", TableList(tables));
}

std::vector<std::string> UnpublishedTables(const config::Config& config, const TableFilter& filter,
                                           const TableState& state) {
  return DottedNames(Unpublished(config, filter, state));
}

absl::Status ExtendPublication(Connection& connection, const config::Config& config, const TableFilter& filter) {
  const absl::StatusOr<TableState> state = ReadTableState(connection);
  if (!state.ok()) return state.status();
  if (!state->publication) return absl::OkStatus();  // dropped: the stream itself says so
  if (!state->publication->inserts) return NoInserts(config);
  std::vector<CandidateTable> missing = Unpublished(config, filter, *state);
  if (missing.empty()) return absl::OkStatus();
  const std::string names = absl::StrJoin(DottedNames(missing), ",");
  DropCovered(missing);
  const std::string sql = AddTablesSql(config, missing);
  std::string why = "publication.autocreate.mode does not allow to add them";
  if (config.publication.autocreate == Mode::kFiltered) {
    // One transaction; it waits for no writer that has the table for long.
    const auto added = connection.Execute(
        absl::StrCat("SET LOCAL lock_timeout = 2000; ", sql, "; SELECT pg_catalog.pg_current_wal_lsn()"),
        {.doing = "adding tables to the publication"});
    if (added.ok()) {
      LogError("table_published", {{"publication", config.publication.name}, {"tables", names}},
               absl::StrCat("tables that table.include.list matches were not in the publication and have been added: "
                            "rows committed before ",
                            added->back().LsnAt(0, 0).ToString(), " were not published"));
      return absl::OkStatus();
    }
    if (SqlstateOf(added.status()).empty()) return added.status();
    why = MessageOf(added.status());
  }
  LogWarning("unpublished_table", {{"publication", config.publication.name}, {"tables", names}},
             absl::StrCat("tables that table.include.list matches are not in the publication, so their rows are not "
                          "published (",
                          why, "): an owner runs: ", sql));
  return absl::OkStatus();
}

}  // namespace postrider::postgres
