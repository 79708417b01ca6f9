#include "postgres/server_state.h"

#include "absl/strings/str_cat.h"
#include "postgres/quote.h"

namespace postrider::postgres {
namespace {

constexpr char kFactsSql[] =
    "SELECT pg_catalog.current_setting('wal_level'), pg_catalog.pg_is_in_recovery(),"
    " (extract(epoch FROM pg_catalog.pg_postmaster_start_time()) * 1000000)::bigint,"
    " pg_catalog.current_setting('synchronous_standby_names');";

// Which columns pg_replication_slots has: https://www.postgresql.org/docs/current/view-pg-replication-slots.html of
// each version.
std::string SlotSql(const Connection& connection) {
  const int version = connection.server_version();
  const char* later = version >= 170000 ? "s.invalidation_reason, coalesce(s.conflicting, false), s.failover, s.synced"
                      : version >= 160000 ? "NULL, coalesce(s.conflicting, false), false, false"
                                          : "NULL, false, false, false";
  // The view pg_stat_activity without what it joins; the name of the program is open to all, the address only to
  // members of its role and to pg_monitor.
  return absl::StrCat(
      "SELECT s.slot_type, s.plugin, s.database, s.temporary, s.wal_status, s.restart_lsn, s.confirmed_flush_lsn, ",
      later,
      ", s.active_pid, a.pid IS NOT NULL, a.application_name, coalesce(a.client_addr::text, a.client_hostname),"
      " pg_catalog.pg_get_userbyid(a.usesysid) FROM pg_catalog.pg_replication_slots s"
      " LEFT JOIN LATERAL pg_catalog.pg_stat_get_activity(s.active_pid) a ON a.pid = s.active_pid WHERE s.slot_name = ",
      QuoteLiteral(connection.target().slot), ";");
}

std::string PublicationSql(std::string_view publication) {
  const std::string name = QuoteLiteral(publication);
  return absl::StrCat(
      "SELECT puballtables, pubinsert, pubupdate, pubviaroot FROM pg_catalog.pg_publication WHERE pubname = ", name,
      ";",
      "SELECT t.relid FROM pg_catalog.pg_publication p,"
      " LATERAL pg_catalog.pg_get_publication_tables(p.pubname::text) t WHERE p.pubname = ",
      name, ";");
}

constexpr char kTablesSql[] =
    "SELECT c.oid, n.nspname, c.relname, c.relkind, c.relpersistence,"
    " c.relreplident IN ('f', 'i') OR (c.relreplident = 'd' AND EXISTS (SELECT FROM pg_catalog.pg_index i"
    " WHERE i.indrelid = c.oid AND i.indisprimary)),"
    " r.oid, rn.nspname, r.relname"
    " FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
    " JOIN pg_catalog.pg_class r ON r.oid = CASE WHEN c.relispartition THEN pg_catalog.pg_partition_root(c.oid) ELSE "
    "c.oid END"
    " JOIN pg_catalog.pg_namespace rn ON rn.oid = r.relnamespace"
    " WHERE c.relkind IN ('r', 'p') AND c.oid >= 16384"
    " ORDER BY n.nspname, c.relname;";

std::optional<SlotRow> SlotOf(const Result& result) {
  if (result.rows() == 0) return std::nullopt;
  SlotRow row{.type = result.Text(0, 0),
              .plugin = result.Text(0, 1),
              .database = result.Text(0, 2),
              .temporary = result.Bool(0, 3),
              .wal_status = result.Text(0, 4),
              .restart_lsn = result.LsnAt(0, 5),
              .confirmed_flush_lsn = result.LsnAt(0, 6),
              .invalidation_reason = result.Text(0, 7),
              .conflicting = result.Bool(0, 8),
              .failover = result.Bool(0, 9),
              .synced = result.Bool(0, 10),
              .holder = std::nullopt};
  if (!result.IsNull(0, 11)) {
    row.holder = SlotHolder{.pid = static_cast<int>(result.Integer(0, 11)),
                            .present = result.Bool(0, 12),
                            .application_name = result.Text(0, 13),
                            .client_address = result.Text(0, 14),
                            .user = result.Text(0, 15)};
  }
  return row;
}

std::optional<PublicationRow> PublicationOf(const Result& result) {
  if (result.rows() == 0) return std::nullopt;
  return PublicationRow{.all_tables = result.Bool(0, 0),
                        .inserts = result.Bool(0, 1),
                        .updates = result.Bool(0, 2),
                        .via_root = result.Bool(0, 3)};
}

CandidateTable TableOf(const Result& result, int row) {
  return {.oid = static_cast<uint32_t>(result.Integer(row, 0)),
          .schema = result.Text(row, 1),
          .name = result.Text(row, 2),
          .kind = result.Text(row, 3)[0],
          .persistence = result.Text(row, 4)[0],
          .identity = result.Bool(row, 5),
          .root_oid = static_cast<uint32_t>(result.Integer(row, 6)),
          .root_schema = result.Text(row, 7),
          .root_name = result.Text(row, 8)};
}

}  // namespace

absl::StatusOr<ServerState> ReadServerState(Connection& connection) {
  const auto results =
      connection.Execute(absl::StrCat(kFactsSql, SlotSql(connection)), {.doing = "looking at server and slot"});
  if (!results.ok()) return results.status();
  const Result& facts = results->at(0);
  return ServerState{.wal_level = facts.Text(0, 0),
                     .in_recovery = facts.Bool(0, 1),
                     .started_at_us = facts.Integer(0, 2),
                     .synchronous_standby_names = facts.Text(0, 3),
                     .slot = SlotOf(results->at(1))};
}

absl::StatusOr<TableState> ReadTableState(Connection& connection) {
  const auto results = connection.Execute(absl::StrCat(PublicationSql(connection.target().publication), kTablesSql),
                                          {.doing = "looking at publication and tables"});
  if (!results.ok()) return results.status();
  TableState state{.publication = PublicationOf(results->at(0)), .published = {}, .tables = {}};
  const Result& published = results->at(1);
  for (int row = 0; row < published.rows(); ++row) {
    state.published.push_back(static_cast<uint32_t>(published.Integer(row, 0)));
  }
  for (int row = 0; row < results->at(2).rows(); ++row) state.tables.push_back(TableOf(results->at(2), row));
  return state;
}

absl::StatusOr<SlotUse> ReadSlotUse(Connection& connection) {
  const auto results =
      connection.Execute("SHOW max_replication_slots; SELECT slot_name FROM pg_catalog.pg_replication_slots ORDER BY 1",
                         {.doing = "looking at the slots"});
  if (!results.ok()) return results.status();
  SlotUse use{.slots_max = results->at(0).Integer(0, 0), .names = {}};
  for (int row = 0; row < results->at(1).rows(); ++row) use.names.push_back(results->at(1).Text(row, 0));
  return use;
}

absl::StatusOr<std::optional<SlotRow>> ReadSlot(Connection& connection) {
  const auto results = connection.Execute(SlotSql(connection), {.doing = "looking up the slot"});
  if (!results.ok()) return results.status();
  return SlotOf(results->at(0));
}

}  // namespace postrider::postgres
