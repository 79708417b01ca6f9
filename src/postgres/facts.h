// Everything that `postrider check` and `setup` ask the server, read in one pass: plain data, so that the checks over
// it (checks.h) are pure. Inside postgres/ only.
//
// Reading changes nothing and takes no slot: two ordinary connections and, for a moment, a walsender that only says who
// the server is. Tested by tests/unit/postgres/survey_test.cc (needs a server).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/table.h"
#include "base/table_filter.h"
#include "base/wakeup.h"
#include "config/config.h"
#include "postgres/connection.h"
#include "postgres/connector.h"
#include "postgres/errors.h"
#include "postgres/server_state.h"
#include "postgres/slot_report.h"

namespace postrider::postgres {

// Whose service the server is, by the roles that it has.
enum class Provider { kNone, kAmazon, kGoogle, kAzure, kSupabase, kNeon };

// What our role may do with one table, and what the publication says of it.
struct TableAccess {
  uint32_t oid = 0;
  std::string schema, name;
  bool owned = false;            // it may be put into a publication
  bool readable = false;         // USAGE on its schema and SELECT on it
  bool row_security = false;     // hides rows from our role
  bool identity = false;         // an UPDATE or DELETE of it can be published
  bool column_list = false;      // from 15 on, of the publication
  std::string row_filter;        // likewise
  std::optional<bool> has_rows;  // absent: we may not look
};

struct DatabaseFacts {
  Target target;
  absl::Status login;  // of the ordinary connection, and of what was read there; the rest is empty after an error
  absl::Status replication_login;
  std::optional<ServerIdentity> identity;  // by the replication connection

  int server_version = 0;  // as PQserverVersion
  std::string version;     // "15.6 (Debian ...)"
  ServerState server;
  TableState tables;
  SlotUse slots;
  SlotReport report;  // limits, and the other slots

  Provider provider = Provider::kNone;
  bool superuser = false;
  bool may_create = false;         // CREATE on the database
  bool replicates_on_rds = false;  // member of rds_replication
  int64_t senders_max = 0, senders_used = 0;
  bool publishes_deletes = false;
  std::string publication_owner;
  // The publication is not older than the slot's place in the catalogue: it may not have been there where the slot
  // stands.
  bool publication_may_be_younger = false;

  std::vector<Table> captured;      // or, without a publication, what it would hold
  std::vector<TableAccess> access;  // of the same tables
  std::vector<std::string> routes;  // values of the routing column in their rows
};

// Whether the table holds any row now. `timeout_ms` 0: database.query.timeout.ms.
absl::StatusOr<bool> HasRows(Connection& query, const TableAccess& table, int64_t timeout_ms);

DatabaseFacts ReadDatabaseFacts(const config::Config& config, const TableFilter& filter, const Wakeup* stop);

}  // namespace postrider::postgres
