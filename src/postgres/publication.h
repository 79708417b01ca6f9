// The publication: which tables it has to hold, and whether it does. Publication first, slot second; an existing
// publication is not altered or made anew at a start, because the server decodes with the catalogue as it was when a
// row was written. While the stream runs, a table that the lists match and that is missing is added
// (ExtendPublication).
//
// Which tables are captured, and so stand in the stream:
//   - those that the include and exclude lists match, by their own name or by that of the partitioned table above them,
//   and that
//     are published;
//   - where no list names a table or schema: all that an existing publication lists. For a publication that is to be
//   made, or that
//     holds all tables, the permanent tables named `outbox` in any schema. Never all tables.
// A publication that is made has publish_via_partition_root where publish.via.partition.root asks for it, and where a
// partitioned table is captured but not each of its partitions: otherwise the stream would name partitions that nobody
// asked for. It publishes updates only where table.op.invalid.behavior has to see them, and only where every table has
// a replica identity: without one the application's own UPDATE would fail.
//
// The functions are pure, but for MakePublication and ExtendPublication. Tested by
// tests/unit/postgres/publication_test.cc.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/table_filter.h"
#include "config/config.h"
#include "postgres/connection.h"
#include "postgres/server_state.h"

namespace postrider::postgres {

// The CREATE PUBLICATION for what the configuration asks, or why there can be none (a fault kConfiguration that names
// the list and the names nearest to it).
absl::StatusOr<std::string> CreatePublicationSql(const config::Config& config, const TableFilter& filter,
                                                 const std::vector<CandidateTable>& tables);

// Makes a publication that is missing, if publication.autocreate.mode allows. A fault kPublication or kDatabaseRefuses
// with the statement for an owner to run. `may_create` is false once this process has seen a publication: then one that
// is missing was dropped.
absl::Status MakePublication(Connection& connection, const config::Config& config, const TableFilter& filter,
                             const TableState& state, bool in_recovery, bool may_create);

// The captured tables of an existing publication, by oid in the order of schema and name. A fault kPublication where it
// publishes no inserts or holds none of the tables, kConfiguration where no such table exists.
absl::StatusOr<std::vector<uint32_t>> CapturedTables(const config::Config& config, const TableFilter& filter,
                                                     const TableState& state);

// What the lists ask for, published or not; a partitioned table stands for its partitions.
std::vector<CandidateTable> WantedTables(const config::Config& config, const TableFilter& filter,
                                         const std::vector<CandidateTable>& tables);
// The same among tables that are unlogged or temporary: their rows never reach the stream.
std::vector<CandidateTable> UnloggedTables(const config::Config& config, const TableFilter& filter,
                                           const std::vector<CandidateTable>& tables);
// The name in the database that is nearest to what table.include.list asks for; empty where there is none.
std::string NearestTable(const config::TableSelection& selection, const std::vector<CandidateTable>& tables);
std::string AddTablesSql(const config::Config& config, const std::vector<CandidateTable>& tables);

// Tables that the lists match and the publication leaves out, as "schema.table": their rows are not in the stream.
std::vector<std::string> UnpublishedTables(const config::Config& config, const TableFilter& filter,
                                           const TableState& state);

// Compares lists and publication. What is missing is added where publication.autocreate.mode is filtered and the rights
// allow, with an ERROR line, since rows before that were not published; else a WARNING has the statement. A fault
// kPublication where it publishes no inserts any more.
absl::Status ExtendPublication(Connection& connection, const config::Config& config, const TableFilter& filter);

}  // namespace postrider::postgres
