#include "postgres/attach.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/log.h"
#include "postgres/catalog.h"
#include "postgres/publication.h"
#include "postgres/quote.h"
#include "postgres/slot.h"
#include "postgres/snapshot.h"
#include "postgres/stream.h"
#include "postgres/timeline.h"

namespace postrider::postgres {
namespace {

constexpr int kVersionMin = 130000;
constexpr int64_t kNoPositionMs = 60'000;     // how long a slot may be without a position
constexpr int64_t kSenderTimeoutMs = 60'000;  // where the server has switched wal_sender_timeout off

std::string SlotName(const config::Config& config) {
  return absl::StrCat("replication slot ", QuoteIdentifier(config.slot.name));
}

// One connection's worth of what is known; the steps fill it in their order.
class Attachment {
 public:
  Attachment(const config::Config& config, const TableFilter& filter, const ConnectRequest& request,
             const ReadEvidence& read_evidence, Seen& seen, std::optional<Connection>& query, const Wakeup* stop)
      : config_(config),
        filter_(filter),
        request_(request),
        read_evidence_(read_evidence),
        seen_(seen),
        query_(query),
        stop_(stop) {}

  absl::StatusOr<Connected> Run() {
    using Step = absl::Status (Attachment::*)();
    for (const Step step : {&Attachment::LookAtServer, &Attachment::CheckOwnSlot, &Attachment::OpenReplication,
                            &Attachment::CheckEvidence, &Attachment::LookAtTimeline, &Attachment::LookAtTables,
                            &Attachment::StartSource}) {
      if (absl::Status status = (this->*step)(); !status.ok()) return status;
    }
    return std::move(connected_);
  }

 private:
  absl::Status LookAtServer();
  absl::Status CheckOwnSlot();
  absl::Status LookAtTables();
  absl::Status OpenReplication();
  absl::Status CheckEvidence();
  absl::Status LookAtTimeline();
  absl::Status StartSource();

  absl::Status SlotWithoutPosition(const absl::Status& status);
  absl::Status SlotMissing() const;
  absl::Status SeePublication();
  absl::Status Identify();
  absl::Status ReadCaptured();
  absl::Status StartSnapshot(const std::vector<Table>& tables);
  absl::Status CheckFree(int slots);
  absl::Status CreateSlot();
  absl::Status StartStream();
  absl::Status StartRefused(const absl::Status& refused);
  const Target& target() const { return query_->target(); }
  bool recovers_by_snapshot() const { return config_.snapshot.mode == config::SnapshotMode::kWhenNeeded; }

  const config::Config& config_;
  const TableFilter& filter_;
  const ConnectRequest& request_;
  const ReadEvidence& read_evidence_;
  Seen& seen_;
  std::optional<Connection>& query_;
  const Wakeup* stop_;

  Evidence evidence_;
  std::optional<Connection> replication_;
  ServerState server_;
  TableState tables_;
  std::vector<uint32_t> captured_;
  Lsn server_lsn_;
  Connected connected_;
};

absl::Status Attachment::LookAtServer() {
  if (config_.snapshot.mode == config::SnapshotMode::kAlways) {
    return MakeFault(Fault::kConfiguration,
                     "snapshot.mode=always is not possible here: rows read again beside a slot that still has older "
                     "events would go out before them; use initial, and when_needed where a lost slot is to be made "
                     "good by a snapshot");
  }
  if (!query_) {
    absl::StatusOr<Connection> query = Connection::Open(config_, ConnectionKind::kQuery, stop_);
    if (!query.ok()) return query.status();
    query_ = *std::move(query);
  }
  absl::StatusOr<ServerState> server = ReadServerState(*query_);
  if (!server.ok()) return server.status();
  server_ = *std::move(server);
  connected_.server_version = query_->server_version();
  if (request_.first && absl::StrContains(server_.synchronous_standby_names, "*")) {
    LogWarning("synchronous_standby", {{"synchronous_standby_names", server_.synchronous_standby_names}},
               "the server takes every replication connection for a synchronous standby, so its commits wait for "
               "Kafka: name the standbys");
  }
  return CheckServer(connected_.server_version, server_, target());
}

absl::Status Attachment::CheckOwnSlot() {
  if (!server_.slot) return SlotMissing();
  seen_.slot = true;
  if (IsLost(*server_.slot) && recovers_by_snapshot() && server_.slot->database == config_.database.dbname) {
    LogWarning("slot_lost", {{"slot", config_.slot.name}, {"lsn", server_.slot->confirmed_flush_lsn.ToString()}},
               "the slot is lost; snapshot.mode=when_needed drops it, and a snapshot publishes the rows that are still "
               "in the table");
    if (absl::Status status = DropSlot(*query_, config_.slot.name); !status.ok()) return status;
    server_.slot.reset();
    return absl::OkStatus();
  }
  if (absl::Status status = CheckSlot(target(), *server_.slot, server_.in_recovery); !status.ok())
    return SlotWithoutPosition(status);
  seen_.no_position_until.reset();
  if (server_.slot->holder) return HeldFault(target(), *server_.slot->holder, config_.slot.takeover);
  return absl::OkStatus();
}

absl::Status Attachment::SlotWithoutPosition(const absl::Status& status) {
  if (FaultOf(status) != Fault::kPassing || server_.slot->confirmed_flush_lsn.valid()) return status;
  if (!seen_.no_position_until) seen_.no_position_until = After(kNoPositionMs);
  if (std::chrono::steady_clock::now() < *seen_.no_position_until) return status;
  return MakeFault(Fault::kSlot,
                   absl::StrCat(SlotName(config_), " has had no position for a minute, so it cannot be read; drop it: ",
                                "SELECT pg_drop_replication_slot(", QuoteLiteral(config_.slot.name), ")"));
}

absl::Status Attachment::SlotMissing() const {
  const bool made_anyway = config_.slot.create == config::SlotCreate::kIfMissing;
  if (request_.first || !seen_.slot || made_anyway || recovers_by_snapshot()) return absl::OkStatus();
  return MakeFault(
      Fault::kSlot,
      absl::StrCat(SlotName(config_), " is gone from ", target().address,
                   " since this relay read it (dropped, or not there after a ",
                   "failover): events written since then are not published. Nothing is made by itself; to make a new "
                   "slot, whose ",
                   "snapshot publishes the rows that are still in the table, start once with --accept-gap"));
}

absl::Status Attachment::LookAtTables() {
  absl::StatusOr<TableState> tables = ReadTableState(*query_);
  if (!tables.ok()) return tables.status();
  tables_ = *std::move(tables);
  if (absl::Status status = SeePublication(); !status.ok()) return status;
  absl::StatusOr<std::vector<uint32_t>> captured = CapturedTables(config_, filter_, tables_);
  if (!captured.ok()) return captured.status();
  captured_ = *std::move(captured);
  const std::vector<std::string> unpublished = UnpublishedTables(config_, filter_, tables_);
  if (!unpublished.empty()) {
    LogWarning("unpublished_table",
               {{"publication", config_.publication.name}, {"tables", absl::StrJoin(unpublished, ",")}},
               "tables that the include list names are not in the publication, so their rows are not published: "
               "ALTER PUBLICATION ... ADD TABLE");
  }
  return absl::OkStatus();
}

absl::Status Attachment::SeePublication() {
  if (!tables_.publication) {
    const bool may_create = request_.first || !seen_.publication;
    absl::Status made = MakePublication(*query_, config_, filter_, tables_, server_.in_recovery, may_create);
    if (!made.ok()) return made;
    absl::StatusOr<TableState> again = ReadTableState(*query_);
    if (!again.ok()) return again.status();
    tables_ = *std::move(again);
  }
  if (!tables_.publication) return MakeFault(Fault::kPassing, "the publication was made and is gone again");
  seen_.publication = true;
  return absl::OkStatus();
}

absl::Status Attachment::OpenReplication() {
  absl::StatusOr<Connection> replication = Connection::Open(config_, ConnectionKind::kReplication, stop_);
  if (!replication.ok()) return replication.status();
  replication_ = *std::move(replication);
  const auto timeout = replication_->Execute(
      "SELECT (extract(epoch FROM pg_catalog.current_setting('wal_sender_timeout')::interval) * 1000)::bigint",
      {.doing = "setting up the session"});
  if (!timeout.ok()) return timeout.status();
  connected_.wal_sender_timeout_ms = timeout->at(0).Integer(0, 0);
  if (connected_.wal_sender_timeout_ms == 0) {
    // Switched off, every row takes the walsender's slow path.
    const auto set = replication_->Execute(absl::StrCat("SET wal_sender_timeout = ", kSenderTimeoutMs),
                                           {.doing = "setting up the session"});
    if (!set.ok()) return set.status();
    connected_.wal_sender_timeout_ms = kSenderTimeoutMs;
  }
  return Identify();
}

absl::Status Attachment::Identify() {
  const auto identity = replication_->Execute("IDENTIFY_SYSTEM", {.doing = "identifying the server"});
  if (!identity.ok()) return identity.status();
  const Result& row = identity->at(0);
  if (row.rows() != 1) return MakeFault(Fault::kInternal, "IDENTIFY_SYSTEM gave no row");
  connected_.identity = {.system_identifier = row.Text(0, 0),
                         .timeline = static_cast<uint32_t>(row.Integer(0, 1)),
                         .started_at_us = server_.started_at_us};
  server_lsn_ = row.LsnAt(0, 2);
  if (request_.expected && request_.expected->system_identifier != connected_.identity.system_identifier) {
    return MakeFault(
        Fault::kContinuity,
        absl::StrCat("the server at ", target().address, " is another cluster (system identifier ",
                     connected_.identity.system_identifier, " instead of ", request_.expected->system_identifier,
                     "): check database.hostname; to go on with this one, start again"));
  }
  if (request_.expected && request_.expected->timeline > connected_.identity.timeline) {
    return MakeFault(Fault::kPassing,
                     absl::StrCat("the server at ", target().address, " is on timeline ", connected_.identity.timeline,
                                  ", and the slot was read on timeline ", request_.expected->timeline,
                                  ": it is a former primary, and has to be kept from writers: waiting for the one ",
                                  "that was promoted"));
  }
  return absl::OkStatus();
}

absl::Status Attachment::CheckEvidence() {
  if (!request_.first) return absl::OkStatus();
  absl::StatusOr<Evidence> evidence = read_evidence_();
  if (!evidence.ok()) return evidence.status();
  evidence_ = *std::move(evidence);
  const absl::StatusOr<std::string> gap =
      CheckContinuity(config_, evidence_, connected_.identity, server_.slot, target());
  if (!gap.ok()) return gap.status();
  connected_.gap = !gap->empty();
  if (connected_.gap) {
    LogError("gap_accepted", {{"slot", config_.slot.name}}, absl::StrCat(*gap, ". Going on, as asked for"));
  } else if (!server_.slot && !evidence_.record) {
    LogWarning("first_start", {{"slot", config_.slot.name}},
               "first start: continuity not proven: neither the slot nor an evidence record is there");
  }
  return absl::OkStatus();
}

absl::Status Attachment::LookAtTimeline() {
  TimelineFork fork;
  if (request_.expected) {
    fork.timeline = request_.expected->timeline;
  } else if (evidence_.record && evidence_.record->system_identifier == connected_.identity.system_identifier) {
    fork.timeline = evidence_.record->timeline;
    fork.recorded = evidence_.record->lsn;
  }
  if (fork.timeline == 0 || fork.timeline >= connected_.identity.timeline) return absl::OkStatus();
  const auto history = replication_->Execute(absl::StrCat("TIMELINE_HISTORY ", connected_.identity.timeline),
                                             {.doing = "reading the history of the timeline"});
  if (!history.ok() && PQstatus(replication_->raw()) == CONNECTION_BAD) return history.status();
  // A server that was restored without its history cannot tell; what it streams is right all the same.
  if (history.ok() && history->at(0).rows() == 1) fork.lsn = EndOfTimeline(history->at(0).Text(0, 1), fork.timeline);
  connected_.fork = fork;
  return absl::OkStatus();
}

absl::Status Attachment::StartSource() {
  if (server_.slot) {
    connected_.slot_note = absl::StrCat("took over ", SlotName(config_), " where it stands, at ",
                                        server_.slot->confirmed_flush_lsn.ToString());
    if (config_.slot.failover && connected_.server_version >= 170000 && !server_.slot->failover) {
      absl::StrAppend(&connected_.slot_note,
                      "; it was made without slot.failover, and on a replication connection ALTER_REPLICATION_SLOT ",
                      QuoteIdentifier(config_.slot.name), " (FAILOVER true) sets it");
    }
    return StartStream();
  }
  if (config_.slot.failover && connected_.server_version < 170000) {
    LogWarning("slot_failover", {{"slot", config_.slot.name}},
               "slot.failover needs PostgreSQL 17: after a failover this slot is gone");
  }
  if (config_.snapshot.mode != config::SnapshotMode::kNoData) {
    if (absl::Status status = ReadCaptured(); !status.ok()) return status;
    const absl::StatusOr<std::vector<Table>> tables = SnapshotTables(config_.snapshot, connected_.tables);
    if (!tables.ok()) return tables.status();
    if (!tables->empty()) return StartSnapshot(*tables);
  }
  if (absl::Status status = CreateSlot(); !status.ok()) return status;
  return StartStream();
}

absl::Status Attachment::StartSnapshot(const std::vector<Table>& tables) {
  if (absl::Status status = CheckFree(2); !status.ok()) return status;
  auto snapshot = Snapshot::Start(config_, *std::move(replication_), *std::move(query_), tables);
  query_.reset();
  if (!snapshot.ok()) return snapshot.status();
  connected_.start_lsn = (*snapshot)->consistent_point();
  connected_.slot_note =
      absl::StrCat("reading the rows of ", (*snapshot)->tables(), " tables as of ", connected_.start_lsn.ToString(),
                   "; ", SlotName(config_), " is made at that position when they are published");
  connected_.source = *std::move(snapshot);
  return absl::OkStatus();
}

absl::Status Attachment::ReadCaptured() {
  absl::StatusOr<std::vector<Table>> tables = ReadTables(*query_, captured_);
  if (!tables.ok()) return tables.status();
  connected_.tables = *std::move(tables);
  return absl::OkStatus();
}

absl::Status Attachment::CheckFree(int slots) {
  const absl::StatusOr<SlotUse> use = ReadSlotUse(*query_);
  return use.ok() ? CheckFreeSlots(*use, slots) : use.status();
}

absl::Status Attachment::CreateSlot() {
  if (absl::Status status = CheckFree(1); !status.ok()) return status;
  const auto made = MakeSlot(*replication_, *query_, config_.slot.name, SlotPurpose::kStream, config_.slot.failover);
  if (!made.ok()) return made.status();
  seen_.slot = true;
  server_.slot.emplace();
  server_.slot->confirmed_flush_lsn = made->consistent_point;
  connected_.slot_note =
      absl::StrCat("made ", SlotName(config_), " at ", made->consistent_point.ToString(), ", without a snapshot");
  return absl::OkStatus();
}

absl::Status Attachment::StartStream() {
  // On another timeline, or after a crash of the server, the same position may mean other events.
  connected_.resumed = request_.expected && *request_.expected == connected_.identity && request_.resume_lsn.valid() &&
                       request_.resume_lsn <= server_lsn_;
  // Another relay may have read on in the meantime: the server begins at the later of the two.
  connected_.start_lsn = server_.slot->confirmed_flush_lsn;
  if (connected_.resumed) connected_.start_lsn = std::max(connected_.start_lsn, request_.resume_lsn);
  const auto started = replication_->Execute(StartCommand(config_, connected_.resumed ? request_.resume_lsn : Lsn()),
                                             {.doing = "starting the stream", .copy = true, .fault = &StartFault});
  if (!started.ok()) return StartRefused(started.status());
  if (started->back().status() != PGRES_COPY_BOTH)
    return MakeFault(Fault::kInternal, "START_REPLICATION did not start a stream");
  connected_.source = std::make_unique<Stream>(*std::move(replication_));
  // Only now, while the walsender begins its work.
  return ReadCaptured();
}

// Somebody was quicker.
absl::Status Attachment::StartRefused(const absl::Status& refused) {
  if (SqlstateOf(refused) != "55006") return refused;
  const auto slot = ReadSlot(*query_);
  if (!slot.ok() || !slot->has_value() || !(*slot)->holder) return refused;
  return HeldFault(target(), *(*slot)->holder, config_.slot.takeover);
}

}  // namespace

absl::Status CheckServer(int server_version, const ServerState& state, const Target& target) {
  if (server_version < kVersionMin) {
    return MakeFault(Fault::kDatabaseRefuses, absl::StrCat("the server at ", target.address, " is PostgreSQL ",
                                                           server_version / 10000, ": 13 or later is needed"));
  }
  if (state.wal_level != "logical") {
    return MakeFault(
        Fault::kDatabaseRefuses,
        absl::StrCat("wal_level is ", state.wal_level, " on the server at ", target.address,
                     ", and has to be logical: run ",
                     "ALTER SYSTEM SET wal_level = 'logical' and restart the server (Amazon RDS: the parameter ",
                     "rds.logical_replication; Google Cloud SQL: the flag cloudsql.logical_decoding)"));
  }
  // A slot of its own can be read on a standby from 16 on; nothing can be made there.
  const bool can_read = server_version >= 160000 && state.slot && !state.slot->synced;
  if (state.in_recovery && !can_read) {
    return MakeFault(Fault::kPassing,
                     absl::StrCat("the server at ", target.address, " is a standby: waiting until it is promoted"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Connected> Attach(const config::Config& config, const TableFilter& filter, const ConnectRequest& request,
                                 const ReadEvidence& read_evidence, Seen& seen, std::optional<Connection>& query,
                                 const Wakeup* stop) {
  return Attachment(config, filter, request, read_evidence, seen, query, stop).Run();
}

}  // namespace postrider::postgres
