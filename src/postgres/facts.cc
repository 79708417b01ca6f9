#include "postgres/facts.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "postgres/catalog.h"
#include "postgres/connection.h"
#include "postgres/publication.h"
#include "postgres/quote.h"

namespace postrider::postgres {
namespace {

// Values of the routing column are looked for in so many rows, with so much patience.
constexpr int kSampledRows = 100'000;
constexpr int kRoutesMax = 100;
constexpr int64_t kSampleTimeoutMs = 5'000;

std::string RoleSql(const Target& target) {
  return absl::StrCat(
      "SELECT r.rolsuper, pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE'),"
      " EXISTS (SELECT FROM pg_catalog.pg_roles m WHERE m.rolname = 'rds_replication'"
      " AND pg_catalog.pg_has_role(m.oid, 'USAGE')),"
      " pg_catalog.current_setting('server_version'),"
      " (SELECT setting::bigint FROM pg_catalog.pg_settings WHERE name = 'max_wal_senders'),"
      " (SELECT count(*) FROM pg_catalog.pg_stat_get_wal_senders()),"
      " (SELECT pg_catalog.string_agg(rolname, ',') FROM pg_catalog.pg_roles WHERE rolname IN"
      " ('rds_superuser', 'cloudsqlsuperuser', 'azure_pg_admin', 'supabase_admin', 'neon_superuser'))"
      " FROM pg_catalog.pg_roles r WHERE r.rolname = current_user;"
      "SELECT p.pubdelete, pg_catalog.pg_get_userbyid(p.pubowner), coalesce(pg_catalog.age(p.xmin) <="
      " (SELECT pg_catalog.age(catalog_xmin) FROM pg_catalog.pg_replication_slots WHERE slot_name = ",
      QuoteLiteral(target.slot),
      "), false)"
      " FROM pg_catalog.pg_publication p WHERE p.pubname = ",
      QuoteLiteral(target.publication));
}

Provider ProviderOf(std::string_view roles) {
  static constexpr std::pair<std::string_view, Provider> kMarks[] = {{"rds_superuser", Provider::kAmazon},
                                                                     {"cloudsqlsuperuser", Provider::kGoogle},
                                                                     {"azure_pg_admin", Provider::kAzure},
                                                                     {"supabase_admin", Provider::kSupabase},
                                                                     {"neon_superuser", Provider::kNeon}};
  for (const auto& [role, provider] : kMarks)
    if (roles.find(role) != roles.npos) return provider;
  return Provider::kNone;
}

std::string AccessSql(int server_version, const Target& target, const std::vector<uint32_t>& oids) {
  const char* of_publication =
      server_version >= 150000 ? "p.prattrs IS NOT NULL, pg_catalog.pg_get_expr(p.prqual, p.prrelid)" : "false, NULL";
  return absl::StrCat(
      "SELECT c.oid, n.nspname, c.relname, pg_catalog.pg_has_role(c.relowner, 'USAGE'),"
      " pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT'),"
      " pg_catalog.row_security_active(c.oid), ",
      of_publication,
      " FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
      " LEFT JOIN pg_catalog.pg_publication_rel p ON p.prrelid = c.oid AND p.prpubid ="
      " (SELECT oid FROM pg_catalog.pg_publication WHERE pubname = ",
      QuoteLiteral(target.publication), ") WHERE c.oid = ANY (", OidArray(oids), ") ORDER BY n.nspname, c.relname");
}

// Reads in the order of a connection; the first error ends it.
class Pass {
 public:
  Pass(const config::Config& config, const TableFilter& filter, const Wakeup* stop, DatabaseFacts& facts)
      : config_(config), filter_(filter), stop_(stop), facts_(facts) {}

  absl::Status Read() {
    absl::StatusOr<Connection> query = Connection::Open(config_, ConnectionKind::kQuery, stop_);
    if (!query.ok()) return query.status();
    query_ = *std::move(query);
    facts_.target = query_->target();
    facts_.server_version = query_->server_version();
    for (const auto step :
         {&Pass::ReadServer, &Pass::ReadReport, &Pass::ReadRole, &Pass::ReadCaptured, &Pass::ReadAccess}) {
      if (absl::Status status = (this->*step)(); !status.ok()) return status;
    }
    for (TableAccess& access : facts_.access) ReadRows(access);
    return absl::OkStatus();
  }

  absl::Status ReadIdentity() {
    absl::StatusOr<Connection> replication = Connection::Open(config_, ConnectionKind::kReplication, stop_);
    if (!replication.ok()) return replication.status();
    const auto identity = replication->Execute("IDENTIFY_SYSTEM", {.doing = "identifying the server"});
    if (!identity.ok()) return identity.status();
    const Result& row = identity->at(0);
    facts_.identity = ServerIdentity{.system_identifier = row.Text(0, 0),
                                     .timeline = static_cast<uint32_t>(row.Integer(0, 1)),
                                     .started_at_us = facts_.server.started_at_us};
    return absl::OkStatus();
  }

 private:
  template <typename T>
  static absl::Status Keep(absl::StatusOr<T> read, T& place) {
    if (!read.ok()) return read.status();
    place = *std::move(read);
    return absl::OkStatus();
  }

  absl::Status ReadServer() {
    if (absl::Status status = Keep(ReadServerState(*query_), facts_.server); !status.ok()) return status;
    if (absl::Status status = Keep(ReadTableState(*query_), facts_.tables); !status.ok()) return status;
    return Keep(ReadSlotUse(*query_), facts_.slots);
  }

  absl::Status ReadReport() {
    const auto reporter = SlotReporter::Open(config_, stop_);
    return reporter.ok() ? Keep((*reporter)->Read(), facts_.report) : reporter.status();
  }

  absl::Status ReadRole() {
    const auto results = query_->Execute(RoleSql(facts_.target), {.doing = "looking at the role"});
    if (!results.ok()) return results.status();
    const Result& role = results->at(0);
    facts_.superuser = role.Bool(0, 0);
    facts_.may_create = role.Bool(0, 1);
    facts_.replicates_on_rds = role.Bool(0, 2);
    facts_.version = role.Text(0, 3);
    facts_.senders_max = role.Integer(0, 4);
    facts_.senders_used = role.Integer(0, 5);
    facts_.provider = ProviderOf(role.Text(0, 6));
    if (const Result& publication = results->at(1); publication.rows() == 1) {
      facts_.publishes_deletes = publication.Bool(0, 0);
      facts_.publication_owner = publication.Text(0, 1);
      facts_.publication_may_be_younger = publication.Bool(0, 2);
    }
    return absl::OkStatus();
  }

  absl::Status ReadCaptured() {
    std::vector<uint32_t> oids;
    if (facts_.tables.publication) {
      const auto captured = CapturedTables(config_, filter_, facts_.tables);
      if (captured.ok()) oids = *captured;
    }
    if (oids.empty()) {
      for (const CandidateTable& table : WantedTables(config_, filter_, facts_.tables.tables))
        oids.push_back(table.oid);
    }
    return Keep(ReadTables(*query_, oids), facts_.captured);
  }

  absl::Status ReadAccess() {
    std::vector<uint32_t> oids;
    for (const Table& table : facts_.captured) oids.push_back(table.oid);
    const auto results = query_->Execute(AccessSql(facts_.server_version, facts_.target, oids),
                                         {.doing = "looking at the rights to the tables"});
    if (!results.ok()) return results.status();
    const Result& rows = results->at(0);
    for (int row = 0; row < rows.rows(); ++row) {
      const auto oid = static_cast<uint32_t>(rows.Integer(row, 0));
      const auto candidate = std::find_if(facts_.tables.tables.begin(), facts_.tables.tables.end(),
                                          [oid](const CandidateTable& table) { return table.oid == oid; });
      facts_.access.push_back({.oid = oid,
                               .schema = rows.Text(row, 1),
                               .name = rows.Text(row, 2),
                               .owned = rows.Bool(row, 3),
                               .readable = rows.Bool(row, 4),
                               .row_security = rows.Bool(row, 5),
                               .identity = candidate != facts_.tables.tables.end() && candidate->identity,
                               .column_list = rows.Bool(row, 6),
                               .row_filter = rows.Text(row, 7),
                               .has_rows = std::nullopt});
    }
    return absl::OkStatus();
  }

  // What cannot be read, or not in time, stays unknown: it only helps.
  void ReadRows(TableAccess& access) {
    if (!access.readable || access.row_security) return;
    const std::string table = QuoteTable(access.schema, access.name);
    const absl::StatusOr<bool> any = HasRows(*query_, access, kSampleTimeoutMs);
    if (!any.ok()) return;
    access.has_rows = *any;
    const auto captured = std::find_if(facts_.captured.begin(), facts_.captured.end(),
                                       [&](const Table& candidate) { return candidate.oid == access.oid; });
    if (captured->FindColumn(config_.router.route_by_field) == nullptr) return;
    const std::string column = QuoteIdentifier(config_.router.route_by_field);
    const auto routes = query_->Execute(
        absl::StrCat("SELECT DISTINCT route::text FROM (SELECT ", column, " AS route FROM ", table, " LIMIT ",
                     kSampledRows, ") s WHERE route IS NOT NULL ORDER BY 1 LIMIT ", kRoutesMax),
        {.doing = "looking at the routing column", .timeout_ms = kSampleTimeoutMs});
    if (!routes.ok()) return;
    for (int row = 0; row < routes->at(0).rows(); ++row) facts_.routes.push_back(routes->at(0).Text(row, 0));
  }

  const config::Config& config_;
  const TableFilter& filter_;
  const Wakeup* stop_;
  DatabaseFacts& facts_;
  std::optional<Connection> query_;
};

}  // namespace

DatabaseFacts ReadDatabaseFacts(const config::Config& config, const TableFilter& filter, const Wakeup* stop) {
  DatabaseFacts facts;
  Pass pass(config, filter, stop, facts);
  facts.login = pass.Read();
  if (facts.login.ok()) facts.replication_login = pass.ReadIdentity();
  return facts;
}

absl::StatusOr<bool> HasRows(Connection& query, const TableAccess& table, int64_t timeout_ms) {
  const auto any = query.Execute(absl::StrCat("SELECT EXISTS (SELECT FROM ", QuoteTable(table.schema, table.name), ")"),
                                 {.doing = "looking for rows", .timeout_ms = timeout_ms});
  if (!any.ok()) return any.status();
  return any->at(0).Bool(0, 0);
}

}  // namespace postrider::postgres
