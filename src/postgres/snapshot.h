// The first snapshot as a Source: the rows that stood in the tables before the slot, in the form of the stream.
//
// It meets the stream exactly (PostgreSQL manual, "Exported Snapshots"), and a crash in its middle leaves nothing, so
// that it is repeated whole:
//   - R, a replication connection, makes a temporary slot and exports its snapshot. It then runs nothing: an error on
//   it drops the slot;
//   - Q, an ordinary connection, imports the snapshot and reads with COPY, one table after the other, non-blocking;
//   - once the last row is acknowledged, Finish() commits Q and copies the temporary slot to the lasting one, at the
//   same position.
// All rows come as one transaction: Begin, then Relation and Inserts of each table, Commit, SnapshotEnd.
//
// Start and Finish block (the connector's thread); the rest belongs to the loop's thread. Tested by
// tests/unit/postgres/connector_test.cc.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "postgres/connection.h"
#include "postgres/snapshot_plan.h"
#include "postgres/source.h"

namespace postrider::postgres {

class Snapshot : public Source {
 public:
  // `tables` is not empty. Passing where another of us reads its snapshot for this slot right now.
  static absl::StatusOr<std::unique_ptr<Snapshot>> Start(const config::Config& config, Connection replication,
                                                         Connection query, const std::vector<Table>& tables);

  absl::StatusOr<std::optional<SourceMessage>> Next() override;
  absl::Status SendStatus(Lsn, Lsn, bool) override { return absl::OkStatus(); }
  int fd() const override { return PQsocket(query_.raw()); }
  bool wants_write() const override { return wants_write_; }
  absl::Status Flush() override;
  size_t WaitingBytes() const override { return query_.WaitingBytes(); }
  bool is_snapshot() const override { return true; }

  Lsn consistent_point() const { return consistent_point_; }
  size_t tables() const { return tables_.size(); }

  // Makes the lasting slot. Only after SnapshotEnd.
  absl::Status Finish(const config::Config& config);

 private:
  enum class Phase { kBegin, kNextTable, kStarting, kRows, kEnding, kCommit, kEnd, kDone };
  using Step = absl::StatusOr<std::optional<SourceMessage>>;

  Snapshot(Connection replication, Connection query, std::string slot, Lsn consistent_point,
           std::vector<SnapshotTable> tables);
  const SnapshotTable& table() const { return tables_[table_]; }
  absl::Status SendCopy();
  Step AwaitCopy();
  Step NextRow();
  Step EndTable();
  // What was written last.
  Step Written() const { return SourceMessage(WalData{consistent_point_, message_}); }
  // Nothing has arrived: says so, unless one of the connections broke.
  Step Nothing();
  absl::Status ReadFault(const ServerError& error) const;

  Connection replication_;  // R
  Connection query_;        // Q
  std::string slot_;        // the temporary one
  Lsn consistent_point_;
  int64_t started_unix_us_;
  std::vector<SnapshotTable> tables_;
  size_t table_ = 0;
  Phase phase_ = Phase::kBegin;
  std::string message_;
  bool wants_write_ = false;
};

}  // namespace postrider::postgres
