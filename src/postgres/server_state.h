// What the server says of itself, of our slot and of our publication: everything that is decided on at a connection,
// read in one round trip over the ordinary connection. Works for 13 to 18 and for a role without any right but to
// connect.
//
// Plain data; ReadServerState blocks as Connection does. Tested by tests/unit/postgres/connector_test.cc (needs a
// server).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "decoder/lsn.h"
#include "postgres/connection.h"

namespace postrider::postgres {

// Who has the slot open. Name and address are empty where the server hides them from our role.
struct SlotHolder {
  int pid = 0;
  bool present = false;  // the session is still there
  std::string application_name;
  std::string client_address;
  std::string user;
};

struct SlotRow {
  std::string type;  // "logical", "physical"
  std::string plugin;
  std::string database;
  bool temporary = false;
  std::string wal_status;  // reserved, extended, unreserved, lost
  Lsn restart_lsn;
  Lsn confirmed_flush_lsn;  // zero: not usable yet
  // From 16 or 17 on; otherwise empty and false.
  std::string invalidation_reason;
  bool conflicting = false;
  bool failover = false;
  bool synced = false;  // a standby's copy
  std::optional<SlotHolder> holder;
};

struct PublicationRow {
  bool all_tables = false;
  bool inserts = false;
  bool updates = false;
  bool via_root = false;
};

// A table that could be captured: permanent or not, ordinary or partitioned, of no system schema.
struct CandidateTable {
  uint32_t oid = 0;
  std::string schema;
  std::string name;
  char kind = 'r';         // pg_class.relkind
  char persistence = 'p';  // pg_class.relpersistence
  bool identity = false;   // an UPDATE of it can be published: replica identity or primary key
  uint32_t root_oid = 0;   // the topmost partitioned table above it; its own where there is none
  std::string root_schema;
  std::string root_name;
};

// The server and our slot: what a relay that stands by asks for again and again.
struct ServerState {
  std::string wal_level;
  bool in_recovery = false;
  int64_t started_at_us = 0;  // since 1970
  std::string synchronous_standby_names;
  std::optional<SlotRow> slot;
};

// What could be captured, and what is published.
struct TableState {
  std::optional<PublicationRow> publication;
  std::vector<uint32_t>
      published;  // by oid, as the stream will name them: leaves, or roots with publish_via_partition_root
  std::vector<CandidateTable> tables;
};

struct SlotUse {
  int64_t slots_max = 0;           // max_replication_slots
  std::vector<std::string> names;  // of all slots there are
};

// One round trip each.
absl::StatusOr<ServerState> ReadServerState(Connection& connection);
absl::StatusOr<TableState> ReadTableState(Connection& connection);
absl::StatusOr<SlotUse> ReadSlotUse(Connection& connection);
// The slot alone, with its holder.
absl::StatusOr<std::optional<SlotRow>> ReadSlot(Connection& connection);

}  // namespace postrider::postgres
