#include "postgres/slot_report.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/table_filter.h"
#include "config/selection.h"
#include "postgres/connection.h"
#include "postgres/publication.h"
#include "postgres/quote.h"
#include "postgres/server_state.h"

namespace postrider::postgres {
namespace {

constexpr int64_t kRoundTimeoutMs = 3'000;
constexpr auto kTablesEvery = std::chrono::seconds(30);

// What is true of the server; every role may ask. The timeline is in the name of the file that is written now.
constexpr char kServerSql[] =
    "SELECT pg_catalog.pg_is_in_recovery(), (extract(epoch FROM pg_catalog.clock_timestamp()) * 1000000)::bigint,"
    " CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_replay_lsn()"
    " ELSE pg_catalog.pg_current_wal_lsn() END,"
    " CASE WHEN NOT pg_catalog.pg_is_in_recovery() THEN"
    " ('x' || substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 1, 8))::bit(32)::bigint END,"
    " (SELECT setting::bigint FROM pg_catalog.pg_settings WHERE name = 'max_slot_wal_keep_size'),"
    " (SELECT setting::bigint FROM pg_catalog.pg_settings WHERE name = 'wal_segment_size'),"
    " (SELECT setting::bigint FROM pg_catalog.pg_settings WHERE name = 'max_replication_slots'),"
    " pg_catalog.pg_has_role('pg_read_all_stats', 'USAGE');";

// The name of the program that reads a slot is open to all roles.
std::string SlotsSql(const Connection& connection) {
  const int version = connection.server_version();
  const char* later =
      version >= 170000 ? "(extract(epoch FROM s.inactive_since) * 1000000)::bigint, s.invalidation_reason, s.failover,"
                          " s.synced"
      : version >= 160000 ? "NULL, CASE WHEN s.conflicting THEN 'conflicting' END, false, false"
                          : "NULL, NULL, false, false";
  const std::string ours = QuoteLiteral(connection.target().slot);
  return absl::StrCat(
      "WITH c AS (SELECT CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_replay_lsn()"
      " ELSE pg_catalog.pg_current_wal_lsn() END AS lsn)"
      " SELECT s.slot_name, s.plugin, s.database, s.temporary, s.active, s.active_pid, s.wal_status,"
      " a.application_name, s.restart_lsn, s.confirmed_flush_lsn,"
      " pg_catalog.pg_wal_lsn_diff(c.lsn, s.restart_lsn)::bigint,"
      " pg_catalog.pg_wal_lsn_diff(c.lsn, s.confirmed_flush_lsn)::bigint, s.safe_wal_size,"
      " pg_catalog.age(s.catalog_xmin), ",
      later,
      " FROM c, pg_catalog.pg_replication_slots s"
      " LEFT JOIN LATERAL pg_catalog.pg_stat_get_activity(s.active_pid) a ON a.pid = s.active_pid"
      " ORDER BY s.slot_name <> ",
      ours, ", 11 DESC NULLS LAST LIMIT ", SlotReporter::kOtherSlotsMax + 1, ";");
}

std::string DecodingSql(const Connection& connection) {
  return absl::StrCat(
      "SELECT spill_txns, spill_bytes, stream_txns, stream_bytes, total_txns, total_bytes"
      " FROM pg_catalog.pg_stat_replication_slots WHERE slot_name = ",
      QuoteLiteral(connection.target().slot), ";");
}

// A transaction without an id has written nothing and holds no WAL.
constexpr char kOldestSql[] =
    "SELECT pid, '', datname, usename, (extract(epoch FROM clock_timestamp() - xact_start) * 1000000)::bigint"
    " FROM pg_catalog.pg_stat_activity WHERE backend_xid IS NOT NULL AND xact_start IS NOT NULL"
    " UNION ALL SELECT 0, gid, database, owner, (extract(epoch FROM clock_timestamp() - prepared) * 1000000)::bigint"
    " FROM pg_catalog.pg_prepared_xacts ORDER BY 5 DESC LIMIT 1;";

constexpr char kCheckpointSql[] =
    "SELECT (extract(epoch FROM checkpoint_time) * 1000000)::bigint FROM pg_catalog.pg_control_checkpoint();";

std::optional<int64_t> Present(const Result& result, int row, int column) {
  if (result.IsNull(row, column)) return std::nullopt;
  return result.Integer(row, column);
}

SlotReading SlotAt(const Result& result, int row) {
  return {.name = result.Text(row, 0),
          .plugin = result.Text(row, 1),
          .database = result.Text(row, 2),
          .temporary = result.Bool(row, 3),
          .active = result.Bool(row, 4),
          .active_pid = static_cast<int>(result.Integer(row, 5)),
          .wal_status = result.Text(row, 6),
          .application_name = result.Text(row, 7),
          .restart_lsn = result.LsnAt(row, 8),
          .confirmed_flush_lsn = result.LsnAt(row, 9),
          .retained_bytes = Present(result, row, 10),
          .unconfirmed_bytes = Present(result, row, 11),
          .safe_wal_bytes = Present(result, row, 12),
          .catalog_xmin_age = Present(result, row, 13),
          .inactive_since_us = Present(result, row, 14),
          .invalidation_reason = result.Text(row, 15),
          .failover = result.Bool(row, 16),
          .synced = result.Bool(row, 17)};
}

}  // namespace

struct SlotReporter::Session {
  Session(Connection made, const config::Config& configuration, TableFilter tables)
      : connection(std::move(made)), config(configuration), filter(std::move(tables)) {}

  Connection connection;
  const config::Config config;
  const TableFilter filter;
  std::optional<int64_t> unpublished_tables;
  Deadline tables_due;           // long ago: at once
  bool reads_checkpoint = true;  // the function may be closed to our role

  absl::Status ReadServer(SlotReport& report);
  absl::Status ReadDecoding(SlotReport& report);
  absl::Status ReadOldest(SlotReport& report);
  absl::Status ReadCheckpoint(SlotReport& report);
  absl::Status ReadTables(SlotReport& report);
};

absl::Status SlotReporter::Session::ReadServer(SlotReport& report) {
  const auto results = connection.Execute(absl::StrCat(kServerSql, SlotsSql(connection)),
                                          {.doing = "looking at the slots", .timeout_ms = kRoundTimeoutMs});
  if (!results.ok()) return results.status();
  const Result& server = results->at(0);
  report.server_version = connection.server_version();
  report.in_recovery = server.Bool(0, 0);
  report.server_us = server.Integer(0, 1);
  report.current_lsn = server.LsnAt(0, 2);
  report.timeline = static_cast<uint32_t>(server.Integer(0, 3));
  if (const int64_t megabytes = server.Integer(0, 4); !server.IsNull(0, 4) && megabytes >= 0) {
    report.slot_limit_bytes = megabytes * 1024 * 1024;
  }
  report.segment_bytes = server.Integer(0, 5);
  report.slots_max = server.Integer(0, 6);
  report.sees_transactions = server.Bool(0, 7);
  const Result& slots = results->at(1);
  for (int row = 0; row < slots.rows(); ++row) {
    SlotReading reading = SlotAt(slots, row);
    if (reading.name == connection.target().slot) {
      report.slot = std::move(reading);
    } else if (report.others.size() < kOtherSlotsMax) {
      report.others.push_back(std::move(reading));
    }
  }
  return absl::OkStatus();
}

absl::Status SlotReporter::Session::ReadDecoding(SlotReport& report) {
  const auto results = connection.Execute(DecodingSql(connection),
                                          {.doing = "looking at the slot's statistics", .timeout_ms = kRoundTimeoutMs});
  if (!results.ok()) return results.status();
  const Result& row = results->at(0);
  if (row.rows() == 0) return absl::OkStatus();
  report.decoding = DecodingCounters{.spilled_transactions = row.Integer(0, 0),
                                     .spilled_bytes = row.Integer(0, 1),
                                     .streamed_transactions = row.Integer(0, 2),
                                     .streamed_bytes = row.Integer(0, 3),
                                     .total_transactions = row.Integer(0, 4),
                                     .total_bytes = row.Integer(0, 5)};
  return absl::OkStatus();
}

absl::Status SlotReporter::Session::ReadOldest(SlotReport& report) {
  const auto results =
      connection.Execute(kOldestSql, {.doing = "looking at open transactions", .timeout_ms = kRoundTimeoutMs});
  if (!results.ok()) return results.status();
  const Result& row = results->at(0);
  if (row.rows() == 0) return absl::OkStatus();
  report.oldest = OldestTransaction{.pid = static_cast<int>(row.Integer(0, 0)),
                                    .gid = row.Text(0, 1),
                                    .database = row.Text(0, 2),
                                    .user = row.Text(0, 3),
                                    .age_us = row.Integer(0, 4)};
  return absl::OkStatus();
}

absl::Status SlotReporter::Session::ReadCheckpoint(SlotReport& report) {
  const auto results =
      connection.Execute(kCheckpointSql, {.doing = "looking at the last checkpoint", .timeout_ms = kRoundTimeoutMs});
  if (results.ok()) {
    report.checkpoint_us = Present(results->at(0), 0, 0);
    return absl::OkStatus();
  }
  reads_checkpoint = FaultOf(results.status()) != Fault::kDatabaseRefuses;
  return reads_checkpoint ? results.status() : absl::OkStatus();
}

// The whole catalogue is looked through, so not every second.
absl::Status SlotReporter::Session::ReadTables(SlotReport& report) {
  if (const auto now = std::chrono::steady_clock::now(); now >= tables_due) {
    const absl::StatusOr<TableState> state = ReadTableState(connection);
    if (!state.ok()) return state.status();
    unpublished_tables.reset();
    if (state->publication) unpublished_tables = UnpublishedTables(config, filter, *state).size();
    tables_due = now + kTablesEvery;
  }
  report.unpublished_tables = unpublished_tables;
  return absl::OkStatus();
}

SlotReporter::SlotReporter(std::unique_ptr<Session> session) : session_(std::move(session)) {}

SlotReporter::~SlotReporter() = default;

absl::StatusOr<std::unique_ptr<SlotReporter>> SlotReporter::Open(const config::Config& config, const Wakeup* stop) {
  absl::StatusOr<TableFilter> filter = config::TablesOf(config.tables);
  if (!filter.ok()) return filter.status();
  absl::StatusOr<Connection> connection = Connection::Open(config, ConnectionKind::kQuery, stop);
  if (!connection.ok()) return connection.status();
  return std::unique_ptr<SlotReporter>(
      new SlotReporter(std::make_unique<Session>(*std::move(connection), config, *std::move(filter))));
}

absl::StatusOr<SlotReport> SlotReporter::Read() {
  SlotReport report;
  if (absl::Status status = session_->ReadServer(report); !status.ok()) return status;
  if (report.server_version >= 140000) {
    if (absl::Status status = session_->ReadDecoding(report); !status.ok()) return status;
  }
  if (absl::Status status = session_->ReadOldest(report); !status.ok()) return status;
  if (session_->reads_checkpoint) {
    if (absl::Status status = session_->ReadCheckpoint(report); !status.ok()) return status;
  }
  if (absl::Status status = session_->ReadTables(report); !status.ok()) return status;
  if (!report.sees_transactions) {
    report.blind_for = absl::StrCat("the role \"", session_->connection.target().user,
                                    "\" does not see the open transactions of other roles: GRANT pg_monitor TO ",
                                    QuoteIdentifier(session_->connection.target().user));
    // One that is seen may not be the oldest.
    report.oldest.reset();
  }
  return report;
}

}  // namespace postrider::postgres
