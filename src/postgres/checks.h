// What the facts of a database mean for a relay: pure functions, each with the findings of one topic, in the order in
// which `run` would meet them. Inside postgres/ only; survey.h is what others call.
//
// A failure's sentence is the one that `run` would end with. Tested by tests/unit/postgres/checks_test.cc.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "base/finding.h"
#include "base/table_filter.h"
#include "config/config.h"
#include "evidence/record.h"
#include "postgres/facts.h"

namespace postrider::postgres {

// Both connections: network, TLS, login, pg_hba, poolers, the right to replicate.
Findings CheckConnections(const config::Config& config, const DatabaseFacts& facts);
// Version, wal_level, max_slot_wal_keep_size, synchronous_standby_names.
Findings CheckSettings(const DatabaseFacts& facts);
// Free slots and senders, slots that nobody reads.
Findings CheckCapacity(const config::Config& config, const DatabaseFacts& facts);
// Whether it is there or can be made, and since when, and what it publishes.
Findings CheckPublication(const config::Config& config, const TableFilter& filter, const DatabaseFacts& facts);
// Kind, persistence, replica identity of the tables; which are left out.
Findings CheckTableKinds(const config::Config& config, const TableFilter& filter, const DatabaseFacts& facts);
// What a first start has to read, and what the watcher wants to see.
Findings CheckRights(const config::Config& config, const DatabaseFacts& facts);
Findings CheckOwnSlot(const config::Config& config, const DatabaseFacts& facts);
// The slot against the evidence record. `record` is what its place gave.
Findings CheckEvidence(const config::Config& config, const DatabaseFacts& facts,
                       const absl::StatusOr<std::optional<evidence::Record>>& record, const std::string& place);

// ---- shared with setup.cc

// True where the slot is missing, and its making would begin with a snapshot of the tables.
bool BeginsWithSnapshot(const config::Config& config, const DatabaseFacts& facts);
// The statement that makes our slot by hand.
std::string MakeSlotSql(const config::Config& config, const DatabaseFacts& facts);
// Statements for a superuser or an owner; empty where nothing is missing.
std::string ReplicationGrantSql(const DatabaseFacts& facts);
std::string ReadGrantSql(const DatabaseFacts& facts, const TableAccess& table);

}  // namespace postrider::postgres
