// The publication, the tables, and the rights to them.
#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "postgres/checks.h"
#include "postgres/publication.h"
#include "postgres/quote.h"

namespace postrider::postgres {
namespace {

using Mode = config::PublicationAutocreate;

std::string Named(const config::Config& config) {
  return absl::StrCat("publication ", QuoteIdentifier(config.publication.name));
}

std::string DottedName(const TableAccess& table) {
  return absl::StrCat(table.schema, ".", table.name);
}

std::string PublishSql(const config::Config& config, std::string_view option) {
  return absl::StrCat("ALTER PUBLICATION ", QuoteIdentifier(config.publication.name), " SET (", View(option), ")");
}

// What mends a list that matches no table, or only those that never reach the stream.
std::string TableRemedy(const config::Config& config, const TableFilter& filter, const DatabaseFacts& facts) {
  const auto unlogged = UnloggedTables(config, filter, facts.tables.tables);
  if (!unlogged.empty()) {
    return absl::StrCat("ALTER TABLE ", QuoteTable(unlogged.front().schema, unlogged.front().name), " SET LOGGED");
  }
  const std::string near = NearestTable(config.tables, facts.tables.tables);
  return near.empty() ? "" : absl::StrCat("table.include.list=", near);
}

bool MayMake(const config::Config& config, const DatabaseFacts& facts) {
  if (facts.superuser) return true;
  if (config.publication.autocreate == Mode::kAllTables || !facts.may_create) return false;
  return std::all_of(facts.access.begin(), facts.access.end(), [](const TableAccess& table) { return table.owned; });
}

Finding CheckMissing(const config::Config& config, const TableFilter& filter, const DatabaseFacts& facts) {
  const std::string missing =
      absl::StrCat(Named(config), " does not exist in database ", QuoteIdentifier(config.database.dbname));
  const absl::StatusOr<std::string> sql = CreatePublicationSql(config, filter, facts.tables.tables);
  if (!sql.ok()) {
    return Failure("publication", sql.status(), Fault::kConfiguration, TableRemedy(config, filter, facts));
  }
  if (config.publication.autocreate == Mode::kDisabled) {
    return Failure(
        "publication", Fault::kPublication,
        absl::StrCat(missing, ", and publication.autocreate.mode is disabled: an owner of the table makes it"), *sql);
  }
  if (!MayMake(config, facts)) {
    return Failure("publication", Fault::kDatabaseRefuses,
                   absl::StrCat(missing, ", and user ", QuoteIdentifier(config.database.user), " may not make it: ",
                                config.publication.autocreate == Mode::kAllTables
                                    ? "a superuser does"
                                    : "an owner of the table who may CREATE in the database does"),
                   *sql);
  }
  if (config.publication.autocreate == Mode::kNoTables) {
    return Failure("publication", Fault::kPublication,
                   absl::StrCat(missing, ", and publication.autocreate.mode=no_tables makes one without any table"),
                   "publication.autocreate.mode=filtered");
  }
  return Pass("publication", absl::StrCat(missing, "; the first start makes it: ", *sql));
}

// Why an existing publication gives the relay nothing.
Finding CheckEmpty(const config::Config& config, const TableFilter& filter, const DatabaseFacts& facts,
                   const absl::Status& status) {
  std::string remedy;
  const std::set<uint32_t> published(facts.tables.published.begin(), facts.tables.published.end());
  const auto wanted = WantedTables(config, filter, facts.tables.tables);
  if (!facts.tables.publication->inserts) {
    remedy = PublishSql(config, "publish = 'insert'");
  } else if (FaultOf(status) == Fault::kConfiguration) {
    remedy = TableRemedy(config, filter, facts);
  } else {
    const bool leaves = std::any_of(facts.tables.tables.begin(), facts.tables.tables.end(), [&](const auto& table) {
      return table.oid != table.root_oid && published.contains(table.oid) &&
             filter.Matches(table.root_schema, table.root_name);
    });
    remedy = leaves ? PublishSql(config, "publish_via_partition_root = true") : AddTablesSql(config, wanted);
  }
  return Failure("publication", status, Fault::kPublication, remedy);
}

std::string Describe(const DatabaseFacts& facts) {
  return absl::StrJoin(facts.access, ", ", [](std::string* out, const TableAccess& table) {
    absl::StrAppend(out, DottedName(table), table.column_list ? " (not all of its columns)" : "",
                    table.row_filter.empty() ? "" : " (only rows that its row filter lets through)");
  });
}

// A slot decodes with the catalogue of its own time.
Finding CheckAge(const config::Config& config, const DatabaseFacts& facts) {
  if (facts.server.slot->holder)
    return Pass("publication_age", "the slot is being read, so the publication was there in time");
  // No remedy: each gives events up, and where it was only altered nothing is wrong.
  if (facts.publication_may_be_younger) {
    return Warning("publication_age",
                   absl::StrCat(Named(config),
                                " was made or altered after the place where the slot stands; if it was "
                                "made there, `run` ends with exit code 5 at the first change written "
                                "before, and says how to go on"));
  }
  return Pass("publication_age", absl::StrCat(Named(config), " is older than the place where the slot stands"));
}

}  // namespace

Findings CheckPublication(const config::Config& config, const TableFilter& filter, const DatabaseFacts& facts) {
  if (!facts.tables.publication) return {CheckMissing(config, filter, facts)};
  Findings findings;
  if (const auto captured = CapturedTables(config, filter, facts.tables); !captured.ok()) {
    findings.push_back(CheckEmpty(config, filter, facts, captured.status()));
  } else {
    findings.push_back(Pass("publication", absl::StrCat(Named(config), " publishes the inserts of ", Describe(facts))));
  }
  if (facts.tables.publication->all_tables) {
    findings.push_back(
        Warning("publication_all_tables", absl::StrCat(Named(config),
                                                       " is FOR ALL TABLES: each row that any table gets is sent "
                                                       "to the relay, which ignores it")));
  }
  if (facts.server.slot) findings.push_back(CheckAge(config, facts));
  return findings;
}

Findings CheckTableKinds(const config::Config& config, const TableFilter& filter, const DatabaseFacts& facts) {
  Findings findings;
  // Where nothing else is captured the publication's finding has said it.
  for (const CandidateTable& table : UnloggedTables(config, filter, facts.tables.tables)) {
    if (facts.captured.empty()) break;
    findings.push_back(Warning("table_unlogged",
                               absl::StrCat("table ", table.schema, ".", table.name,
                                            " is unlogged or temporary, and its rows never reach the stream"),
                               absl::StrCat("ALTER TABLE ", QuoteTable(table.schema, table.name), " SET LOGGED")));
  }
  if (!facts.tables.publication) return findings;
  const std::vector<std::string> unpublished = UnpublishedTables(config, filter, facts.tables);
  if (!unpublished.empty() && CapturedTables(config, filter, facts.tables).ok()) {
    std::vector<CandidateTable> missing = WantedTables(config, filter, facts.tables.tables);
    std::erase_if(missing, [&](const CandidateTable& table) {
      return std::find(unpublished.begin(), unpublished.end(), absl::StrCat(table.schema, ".", table.name)) ==
             unpublished.end();
    });
    findings.push_back(Warning("table_unpublished",
                               absl::StrCat("tables that the lists match are not in the publication, so their rows are "
                                            "not published: ",
                                            absl::StrJoin(unpublished, ", ")),
                               AddTablesSql(config, missing)));
  }
  if (!facts.tables.publication->updates && !facts.publishes_deletes) return findings;
  for (const TableAccess& table : facts.access) {
    if (table.identity) continue;
    findings.push_back(
        Warning("replica_identity",
                absl::StrCat(Named(config), " publishes updates or deletes, and table ", DottedName(table),
                             " has no replica identity, so the application's own UPDATE or DELETE of it fails"),
                config.publication.publish_updates
                    ? absl::StrCat("ALTER TABLE ", QuoteTable(table.schema, table.name), " REPLICA IDENTITY FULL")
                    : PublishSql(config, "publish = 'insert'")));
  }
  return findings;
}

bool BeginsWithSnapshot(const config::Config& config, const DatabaseFacts& facts) {
  return !facts.server.slot && config.snapshot.mode != config::SnapshotMode::kNoData;
}

std::string ReadGrantSql(const DatabaseFacts& facts, const TableAccess& table) {
  const std::string role = QuoteIdentifier(facts.target.user);
  return absl::StrCat("GRANT USAGE ON SCHEMA ", QuoteIdentifier(table.schema), " TO ", role, "; GRANT SELECT ON ",
                      QuoteTable(table.schema, table.name), " TO ", role);
}

Findings CheckRights(const config::Config& config, const DatabaseFacts& facts) {
  Findings findings;
  const std::string role = QuoteIdentifier(facts.target.user);
  for (const TableAccess& table : facts.access) {
    if (!BeginsWithSnapshot(config, facts)) break;
    if (!table.readable) {
      findings.push_back(Failure("rights", Fault::kDatabaseRefuses,
                                 absl::StrCat("user ", role, " may not read table ", DottedName(table),
                                              ", which the snapshot of the first start has to (snapshot.mode=no_data "
                                              "goes without)"),
                                 ReadGrantSql(facts, table)));
    } else if (table.row_security) {
      findings.push_back(Failure("rights", Fault::kDatabaseRefuses,
                                 absl::StrCat("row-level security hides rows of table ", DottedName(table),
                                              " from user ", role, ", so the snapshot of the first start fails"),
                                 absl::StrCat("ALTER ROLE ", role, " BYPASSRLS")));
    }
  }
  if (findings.empty()) findings.push_back(Pass("rights", absl::StrCat("user ", role, " may read what it has to")));
  if (facts.report.sees_transactions) {
    findings.push_back(Pass("pg_monitor", "the watcher sees the transactions of other roles"));
  } else {
    findings.push_back(Warning("pg_monitor",
                               "the watcher does not see the transactions of other roles, so it cannot name the one "
                               "that keeps WAL back; nothing else needs it",
                               absl::StrCat("GRANT pg_monitor TO ", role)));
  }
  return findings;
}

}  // namespace postrider::postgres
