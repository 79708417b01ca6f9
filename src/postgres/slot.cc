#include "postgres/slot.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/log.h"
#include "base/text.h"
#include "postgres/connector.h"
#include "postgres/quote.h"

namespace postrider::postgres {
namespace {

constexpr std::string_view kStandbyUrl = "postrider/standby";

// For each transaction that is waited for; the wait as a whole has the deadline of a command.
constexpr std::string_view kSlotLockTimeout = "30s";

// Options that would change the form of the stream, or the slot for ever (two_phase).
constexpr std::array<std::string_view, 6> kOwnOptions = {"proto_version", "publication_names", "binary",
                                                         "streaming",     "two_phase",         "messages"};

// In words, with the setting behind it. 16 sets `conflicting` whatever the reason was, but only on a standby it means
// something.
std::string InvalidationReason(const SlotRow& slot, bool in_recovery) {
  const std::string& reason = slot.invalidation_reason;
  if (reason == "idle_timeout") return "it was not read for too long (idle_replication_slot_timeout)";
  if (!reason.empty() && reason != "wal_removed") return reason;
  return slot.conflicting && in_recovery ? "it conflicts with recovery"
                                         : "its WAL was removed (max_slot_wal_keep_size)";
}

// The sessions that a walsender waits for while it makes a slot, in words.
std::string Blockers(Connection& query, int walsender_pid) {
  const auto rows = query.Execute(
      absl::StrCat("SELECT b.pid, a.application_name, a.usename, a.datname, a.xact_start"
                   " FROM (SELECT DISTINCT unnest(pg_catalog.pg_blocking_pids(",
                   walsender_pid, ")) AS pid) b LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = b.pid ORDER BY 1;",
                   "SELECT gid, database FROM pg_catalog.pg_prepared_xacts ORDER BY prepared LIMIT 5"),
      {.doing = "looking for open transactions", .timeout_ms = 5'000});
  if (!rows.ok() || rows->size() != 2) return "";
  std::vector<std::string> names;
  const Result& sessions = (*rows)[0];
  bool prepared = false;
  for (int row = 0; row < sessions.rows(); ++row) {
    if (sessions.Integer(row, 0) == 0) prepared = true;  // pg_blocking_pids: a prepared transaction
    if (sessions.Integer(row, 0) == 0) continue;
    names.push_back(absl::StrCat("pid ", sessions.Text(row, 0), " (", sessions.Text(row, 1), ", user ",
                                 sessions.Text(row, 2), ", database ", sessions.Text(row, 3),
                                 sessions.IsNull(row, 4) ? "" : absl::StrCat(", since ", sessions.Text(row, 4)), ")"));
  }
  const Result& transactions = (*rows)[1];
  for (int row = 0; prepared && row < transactions.rows(); ++row) {
    names.push_back(absl::StrCat("prepared transaction ", QuoteLiteral(transactions.Text(row, 0)), " of database ",
                                 transactions.Text(row, 1)));
  }
  return absl::StrJoin(names, ", ");
}

}  // namespace

bool IsStandby(const absl::Status& status) {
  return status.GetPayload(View(kStandbyUrl)).has_value();
}

absl::Status StandbyFault(std::string_view sentence) {
  absl::Status status = MakeFault(Fault::kPassing, sentence);
  status.SetPayload(View(kStandbyUrl), absl::Cord());
  return status;
}

bool IsLost(const SlotRow& slot) {
  return slot.wal_status == "lost" || !slot.invalidation_reason.empty() || slot.conflicting;
}

absl::Status CheckSlot(const Target& target, const SlotRow& slot, bool in_recovery) {
  const std::string name = absl::StrCat("replication slot ", QuoteIdentifier(target.slot));
  if (slot.type != "logical") {
    return MakeFault(Fault::kSlot, absl::StrCat(name, " is a physical one: choose another slot.name"));
  }
  if (slot.plugin != "pgoutput") {
    return MakeFault(Fault::kSlot, absl::StrCat(name, " uses the plugin ", slot.plugin,
                                                ", not pgoutput: choose another slot.name, or drop it: ",
                                                "SELECT pg_drop_replication_slot(", QuoteLiteral(target.slot), ")"));
  }
  if (slot.database != target.dbname) {
    return MakeFault(Fault::kSlot,
                     absl::StrCat(name, " belongs to database ", QuoteIdentifier(slot.database), ", not to ",
                                  QuoteIdentifier(target.dbname), ": correct database.dbname or slot.name"));
  }
  if (IsLost(slot)) {
    return MakeFault(
        Fault::kSlot,
        absl::StrCat(
            name, " is lost: ", InvalidationReason(slot, in_recovery), "; what was written after ",
            slot.confirmed_flush_lsn.ToString(), " and not published can no longer be read from it. Drop it: ",
            "SELECT pg_drop_replication_slot(", QuoteLiteral(target.slot),
            "), and start once with --accept-gap: the snapshot of a new slot publishes the rows that are still in "
            "the table"));
  }
  // On a server that was promoted the column stays true, and means nothing.
  if (slot.synced && in_recovery)
    return MakeFault(Fault::kPassing,
                     absl::StrCat(name, " is a standby's copy: waiting for ", target.address, " to be promoted"));
  if (!slot.confirmed_flush_lsn.valid() && !slot.holder) {
    return MakeFault(Fault::kPassing,
                     absl::StrCat(name, " has no position yet: it is still being made, or was not restored whole"));
  }
  return absl::OkStatus();
}

absl::Status HeldFault(const Target& target, const SlotHolder& holder, config::SlotTakeover takeover) {
  const std::string slot = absl::StrCat("replication slot ", QuoteIdentifier(target.slot));
  const bool ours = absl::StartsWith(holder.application_name, View(kApplicationPrefix));
  const std::string who = absl::StrCat(
      holder.application_name.empty() ? "a program without a name" : QuoteIdentifier(holder.application_name),
      holder.client_address.empty() ? "" : absl::StrCat(" from ", holder.client_address),
      holder.user.empty() ? "" : absl::StrCat(", user ", holder.user), ", pid ", holder.pid);
  // A session that ended between two looks says nothing yet.
  if (!holder.present)
    return MakeFault(Fault::kPassing, absl::StrCat(slot, " is just being given up by pid ", holder.pid));
  if (ours || takeover == config::SlotTakeover::kWait) {
    return StandbyFault(absl::StrCat(slot, " is held by ", who, ": waiting for it"));
  }
  return MakeFault(
      Fault::kSlotHeld,
      absl::StrCat(slot, " is held by ", who, ", and a slot has one reader: stop that program and start again, or set ",
                   "postrider.slot.takeover=wait to wait until it lets go"));
}

std::string CreateSlotCommand(int server_version, const std::string& name, SlotPurpose purpose, bool failover) {
  const bool snapshot = purpose == SlotPurpose::kSnapshot;
  const bool lasting = purpose == SlotPurpose::kStream;
  std::string command = absl::StrCat("CREATE_REPLICATION_SLOT ", QuoteIdentifier(name), lasting ? "" : " TEMPORARY",
                                     " LOGICAL pgoutput ");
  if (server_version < 150000) return absl::StrCat(command, snapshot ? "EXPORT_SNAPSHOT" : "NOEXPORT_SNAPSHOT");
  const bool with_failover = failover && lasting && server_version >= 170000;
  return absl::StrCat(command, "(SNAPSHOT ", snapshot ? "'export'" : "'nothing'",
                      with_failover ? ", FAILOVER true" : "", ")");
}

std::string StartCommand(const config::Config& config, Lsn start) {
  std::string command =
      absl::StrCat("START_REPLICATION SLOT ", QuoteIdentifier(config.slot.name), " LOGICAL ",
                   start.valid() ? start.ToString() : "0/0", " (proto_version '1', publication_names ",
                   QuoteLiteral(QuoteIdentifier(config.publication.name)));
  for (const auto& [key, value] : config.slot.stream_params) {
    const std::string lower = absl::AsciiStrToLower(key);
    if (std::find(kOwnOptions.begin(), kOwnOptions.end(), lower) != kOwnOptions.end()) continue;
    absl::StrAppend(&command, ", ", QuoteIdentifier(key), " ", QuoteLiteral(value));
  }
  return absl::StrCat(command, ")");
}

absl::StatusOr<MadeSlot> MakeSlot(Connection& replication, Connection& query, const std::string& name,
                                  SlotPurpose purpose, bool failover) {
  const Target& target = replication.target();
  const auto limited = replication.Execute(absl::StrCat("SET lock_timeout = '", View(kSlotLockTimeout), "'"),
                                           {.doing = "creating the slot"});
  if (!limited.ok()) return limited.status();
  const int walsender_pid = PQbackendPID(replication.raw());
  std::string blockers;
  const auto look = [&] {
    blockers = Blockers(query, walsender_pid);
    if (blockers.empty()) return;
    LogWarning(
        "slot_waiting", {{"slot", target.slot}},
        absl::StrCat("the slot can be made when the transactions that were open before it have ended: ", blockers));
  };
  const auto made = replication.Execute(CreateSlotCommand(replication.server_version(), name, purpose, failover),
                                        {.doing = "creating the slot", .when_waiting = look});
  if (!made.ok()) {
    const std::string sqlstate = SqlstateOf(made.status());
    if (sqlstate == "55P03" && !blockers.empty()) {
      return MakeFault(Fault::kPassing,
                       absl::StrCat("replication slot ", QuoteIdentifier(target.slot), " could not be made within ",
                                    View(kSlotLockTimeout), " because of open transactions: ", blockers));
    }
    return made.status();
  }
  if (made->at(0).rows() != 1) return MakeFault(Fault::kInternal, "creating the slot gave no row");
  // Nothing may follow on this connection while its snapshot is to be imported.
  if (purpose != SlotPurpose::kSnapshot) {
    const auto reset = replication.Execute("SET lock_timeout = 0", {.doing = "creating the slot"});
    if (!reset.ok()) return reset.status();
  }
  return MadeSlot{.consistent_point = made->at(0).LsnAt(0, 1), .snapshot_name = made->at(0).Text(0, 2)};
}

absl::Status CheckFreeSlots(const SlotUse& use, int needed) {
  const int64_t free = use.slots_max - static_cast<int64_t>(use.names.size());
  if (free >= needed) return absl::OkStatus();
  return MakeFault(Fault::kDatabaseRefuses,
                   absl::StrCat(needed, needed == 1 ? " free replication slot is" : " free replication slots are",
                                " needed", needed == 1 ? "" : " (one of them only while the snapshot lasts)", " and ",
                                free, free == 1 ? " is" : " are", " left of max_replication_slots = ", use.slots_max,
                                ", in use: ", absl::StrJoin(use.names, ", "),
                                "; drop one that nobody reads, or run ALTER SYSTEM SET max_replication_slots = ",
                                static_cast<int64_t>(use.names.size()) + needed, " and restart the server"));
}

absl::Status DropSlot(Connection& query, const std::string& name) {
  const absl::Status dropped =
      query
          .Execute(absl::StrCat("SELECT pg_catalog.pg_drop_replication_slot(", QuoteLiteral(name), ")"),
                   {.doing = "dropping the slot", .timeout_ms = 5'000})
          .status();
  return SqlstateOf(dropped) == "42704" ? absl::OkStatus() : dropped;
}

}  // namespace postrider::postgres
