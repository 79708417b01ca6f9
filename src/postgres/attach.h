// From a configuration to a Source: the sequence of one connection. Blocking, on the connector's thread.
//
//   1. an ordinary connection: the server's version and settings, slot, publication and tables in one round trip;
//   2. the slot, where there is one: readable, and nobody's;
//   3. a replication connection: identity, timeline, session settings; the evidence of earlier starts;
//   4. the publication, made where it is missing; the captured tables;
//   5. START_REPLICATION on the slot; or the slot is made first; or a snapshot begins, which makes the slot at its end.
// Tested by tests/unit/postgres/connector_test.cc.
#pragma once

#include <functional>
#include <optional>

#include "absl/status/statusor.h"
#include "base/table_filter.h"
#include "base/wakeup.h"
#include "config/config.h"
#include "postgres/connection.h"
#include "postgres/connector.h"
#include "postgres/continuity.h"
#include "postgres/server_state.h"

namespace postrider::postgres {

// What this process has seen: once there, a slot or publication that is missing was dropped, and is not made again.
struct Seen {
  bool slot = false;
  bool publication = false;
  std::optional<Deadline> no_position_until;  // since when the slot has had no position
};

// Faults of the server itself: too old, wal_level, a standby.
absl::Status CheckServer(int server_version, const ServerState& state, const Target& target);

// The evidence counts at the first connection alone, and is read when the slot was found free: another relay that still
// had it wrote the record on until then.
using ReadEvidence = std::function<absl::StatusOr<Evidence>()>;

// `query` is an ordinary connection that is used if it is there, or made; afterwards the one that is left, where no
// snapshot needs it and the server was not at fault.
absl::StatusOr<Connected> Attach(const config::Config& config, const TableFilter& filter, const ConnectRequest& request,
                                 const ReadEvidence& read_evidence, Seen& seen, std::optional<Connection>& query,
                                 const Wakeup* stop);

}  // namespace postrider::postgres
