// What a snapshot reads: for each captured table the columns that the stream would send, and the COPY statement.
//
// A partitioned table is read through its root where the stream names the root, and by its partitions where it names
// those, so that no row is read twice. Columns left out of the publication, generated columns up to 17, and rows that a
// row filter of the publication holds back are left out here too. snapshot.select.statement.overrides puts a SELECT of
// the user's in the place of a table; its columns are taken by name, and one that it lacks is NULL. Tested by
// tests/unit/postgres/snapshot_plan_test.cc (statements) and connector_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/table.h"
#include "config/config.h"
#include "postgres/connection.h"
#include "postgres/pgoutput_writer.h"

namespace postrider::postgres {

struct SnapshotTable {
  uint32_t oid = 0;
  std::string schema;
  std::string name;
  std::vector<SnapshotColumn> columns;
  std::string sql;  // SET LOCAL search_path and COPY ... TO STDOUT
};

// The tables of `captured` that snapshot.include.collection.list lets through; all where there is no list.
absl::StatusOr<std::vector<Table>> SnapshotTables(const config::Snapshot& snapshot, const std::vector<Table>& captured);

// Inside the transaction that reads the snapshot.
absl::StatusOr<std::vector<SnapshotTable>> PlanSnapshot(Connection& query, const config::Config& config,
                                                        const std::vector<Table>& tables);

// COPY of the columns of a table. `row_filter` may be empty.
std::string CopyTableSql(const Table& table, const std::vector<SnapshotColumn>& columns, const std::string& row_filter);
// COPY of the columns out of a SELECT that gives `given`.
std::string CopySelectSql(const std::string& select, const std::vector<SnapshotColumn>& columns,
                          const std::vector<std::string>& given);

}  // namespace postrider::postgres
