#include "postgres/snapshot.h"

#include <chrono>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/log.h"
#include "postgres/pgoutput_writer.h"
#include "postgres/quote.h"
#include "postgres/slot.h"

namespace postrider::postgres {
namespace {

constexpr size_t kSlotNameBytesMax = 63;

std::string TemporarySlotName(const std::string& slot) {
  const std::string suffix = absl::StrFormat("_snap_%08x", std::random_device()());
  return slot.substr(0, kSlotNameBytesMax - suffix.size()) + suffix;
}

int64_t UnixMicros() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Two relays that both find no slot must not both publish the table. The lock ends with the session.
absl::Status LockSnapshot(Connection& query, const std::string& slot) {
  const auto locked = query.Execute(absl::StrCat("SELECT pg_catalog.pg_try_advisory_lock(pg_catalog.hashtextextended(",
                                                 QuoteLiteral("postrider snapshot " + slot), ", 0))"),
                                    {.doing = "starting the snapshot"});
  if (!locked.ok()) return locked.status();
  const std::string name = absl::StrCat("replication slot ", QuoteIdentifier(slot));
  if (!locked->at(0).Bool(0, 0))
    return StandbyFault(absl::StrCat("another relay reads the snapshot for ", name, " right now"));
  // It may have finished between our look at the slots and the lock.
  const auto row = ReadSlot(query);
  if (!row.ok()) return row.status();
  return row->has_value() ? StandbyFault(absl::StrCat("another relay has just made ", name)) : absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Snapshot>> Snapshot::Start(const config::Config& config, Connection replication,
                                                          Connection query, const std::vector<Table>& tables) {
  if (absl::Status status = LockSnapshot(query, config.slot.name); !status.ok()) return status;
  std::string slot = TemporarySlotName(config.slot.name);
  const auto made = MakeSlot(replication, query, slot, SlotPurpose::kSnapshot, false);
  if (!made.ok()) return made.status();
  const auto imported =
      query.Execute(absl::StrCat("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET TRANSACTION SNAPSHOT ",
                                 QuoteLiteral(made->snapshot_name)),
                    {.doing = "importing the snapshot"});
  if (!imported.ok()) return imported.status();
  auto plan = PlanSnapshot(query, config, tables);
  if (!plan.ok()) return plan.status();
  return std::unique_ptr<Snapshot>(new Snapshot(std::move(replication), std::move(query), std::move(slot),
                                                made->consistent_point, *std::move(plan)));
}

Snapshot::Snapshot(Connection replication, Connection query, std::string slot, Lsn consistent_point,
                   std::vector<SnapshotTable> tables)
    : replication_(std::move(replication)),
      query_(std::move(query)),
      slot_(std::move(slot)),
      consistent_point_(consistent_point),
      started_unix_us_(UnixMicros()),
      tables_(std::move(tables)) {}

Snapshot::Step Snapshot::Next() {
  while (true) {
    switch (phase_) {
      case Phase::kBegin:
        WriteBegin(consistent_point_, started_unix_us_, message_);
        phase_ = Phase::kNextTable;
        return Written();
      case Phase::kNextTable:
        if (table_ == tables_.size()) {
          phase_ = Phase::kCommit;
          break;
        }
        if (absl::Status status = SendCopy(); !status.ok()) return status;
        phase_ = Phase::kStarting;
        break;
      case Phase::kStarting:
        return AwaitCopy();
      case Phase::kRows: {
        Step row = NextRow();
        if (phase_ == Phase::kEnding) break;
        return row;
      }
      case Phase::kEnding: {
        Step step = EndTable();
        if (phase_ == Phase::kNextTable) break;
        return step;
      }
      case Phase::kCommit:
        WriteCommit(consistent_point_, started_unix_us_, message_);
        phase_ = Phase::kEnd;
        return Written();
      case Phase::kEnd:
        phase_ = Phase::kDone;
        return SourceMessage(SnapshotEnd{});
      case Phase::kDone:
        return Nothing();
    }
  }
}

absl::Status Snapshot::SendCopy() {
  if (PQsendQuery(query_.raw(), table().sql.c_str()) == 0)
    return ReadFault({.sqlstate = "", .message = "", .context = ""});
  return Flush();
}

absl::Status Snapshot::Flush() {
  const int unsent = PQflush(query_.raw());
  if (unsent < 0) return ReadFault({.sqlstate = "", .message = PQerrorMessage(query_.raw()), .context = ""});
  wants_write_ = unsent > 0;
  return absl::OkStatus();
}

Snapshot::Step Snapshot::AwaitCopy() {
  if (PQisBusy(query_.raw()) != 0 && PQconsumeInput(query_.raw()) == 0) return Nothing();
  while (PQisBusy(query_.raw()) == 0) {
    const Result result(PQgetResult(query_.raw()));
    if (result.status() == PGRES_COMMAND_OK) continue;  // SET LOCAL
    if (result.status() != PGRES_COPY_OUT) return ReadFault(result.Error());
    WriteRelation(table().oid, table().schema, table().name, table().columns, message_);
    phase_ = Phase::kRows;
    return Written();
  }
  return Nothing();
}

Snapshot::Step Snapshot::NextRow() {
  for (bool consumed = false;; consumed = true) {
    char* bytes = nullptr;
    const int size = PQgetCopyData(query_.raw(), &bytes, 1);
    const std::unique_ptr<char, void (*)(void*)> row(bytes, PQfreemem);
    if (size > 0) {
      const absl::Status written =
          WriteInsert(table().oid, {bytes, static_cast<size_t>(size)}, table().columns.size(), message_);
      if (!written.ok()) return written;
      return Written();
    }
    if (size < 0) {
      phase_ = Phase::kEnding;
      return std::optional<SourceMessage>();
    }
    if (consumed && query_.TlsPendingBytes() == 0) return Nothing();
    if (PQconsumeInput(query_.raw()) == 0) return Nothing();
  }
}

Snapshot::Step Snapshot::EndTable() {
  if (PQisBusy(query_.raw()) != 0 && PQconsumeInput(query_.raw()) == 0) return Nothing();
  while (PQisBusy(query_.raw()) == 0) {
    PGresult* raw_result = PQgetResult(query_.raw());
    if (raw_result == nullptr) {
      ++table_;
      phase_ = Phase::kNextTable;
      return std::optional<SourceMessage>();
    }
    const Result result(raw_result);
    if (result.status() != PGRES_COMMAND_OK) return ReadFault(result.Error());
  }
  return Nothing();
}

Snapshot::Step Snapshot::Nothing() {
  if (PQstatus(query_.raw()) == CONNECTION_BAD) {
    return ReadFault({.sqlstate = "", .message = PQerrorMessage(query_.raw()), .context = ""});
  }
  // Only R's end can make it readable; the slot is gone with it, and what was read is worth nothing.
  if (PQconsumeInput(replication_.raw()) == 0) {
    return MakeFault(Fault::kPassing, "the connection that holds the snapshot's slot broke: the snapshot is repeated");
  }
  return std::optional<SourceMessage>();
}

absl::Status Snapshot::ReadFault(const ServerError& error) const {
  const Target& target = query_.target();
  if (table_ == tables_.size()) return CommandFault(target, error, "the snapshot");
  if (error.sqlstate != "42501")
    return CommandFault(target, error, absl::StrCat("reading ", table().schema, ".", table().name));
  const std::string name = QuoteTable(table().schema, table().name);
  const std::string role = QuoteIdentifier(target.user);
  return FaultWithState(
      Fault::kDatabaseRefuses, error,
      absl::StrCat("user ", role, " may not read ", name, " for the snapshot: ", Describe(error),
                   "; an owner runs: GRANT USAGE ON SCHEMA ", QuoteIdentifier(table().schema), " TO ", role,
                   "; GRANT SELECT ON ", name, " TO ", role, " (with row-level security also, a superuser: ALTER ROLE ",
                   role, " BYPASSRLS); or set snapshot.mode=no_data to publish only rows from now on"));
}

absl::Status Snapshot::Finish(const config::Config& config) {
  POSTRIDER_CHECK(phase_ == Phase::kDone);
  const auto committed = query_.Execute("COMMIT", {.doing = "ending the snapshot"});
  if (!committed.ok()) return committed.status();
  // `false`: the copy lasts; without it, it would be temporary too.
  const auto copied =
      query_.Execute(absl::StrCat("SELECT lsn FROM pg_catalog.pg_copy_logical_replication_slot(", QuoteLiteral(slot_),
                                  ", ", QuoteLiteral(config.slot.name), ", false)"),
                     {.doing = "making the slot out of the snapshot's"});
  if (!copied.ok()) return copied.status();
  if (copied->at(0).LsnAt(0, 0) != consistent_point_) {
    return MakeFault(Fault::kInternal, absl::StrCat("replication slot ", QuoteIdentifier(config.slot.name),
                                                    " was made at ", copied->at(0).Text(0, 0),
                                                    " instead of the snapshot's ", consistent_point_.ToString()));
  }
  if (!config.slot.failover || replication_.server_version() < 170000) return absl::OkStatus();
  // The option is not copied, and refused on a temporary slot. Without it the slot is whole all the same.
  const std::string command =
      absl::StrCat("ALTER_REPLICATION_SLOT ", QuoteIdentifier(config.slot.name), " (FAILOVER true)");
  const absl::Status altered = replication_.Execute(command, {.doing = "setting FAILOVER on the slot"}).status();
  if (!altered.ok()) LogWarning("slot_failover", {{"slot", config.slot.name}}, std::string(altered.message()));
  return absl::OkStatus();
}

}  // namespace postrider::postgres
