// Everything on the PostgreSQL side that blocks: connecting, slot and publication, snapshot, catalogue. A thread of its
// own.
//
// The loop asks (Start*), goes on, and is rung (`wakeup`) when the answer is there (Take*). One question of each kind
// at a time. Destroying the Connector cancels what runs (PQcancel, so that no half-made slot is left) and joins each
// of its threads within a second.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/table.h"
#include "base/wakeup.h"
#include "config/config.h"
#include "decoder/lsn.h"
#include "evidence/store.h"
#include "postgres/source.h"

namespace postrider::postgres {

// Which server, so that positions are never compared across two of them.
struct ServerIdentity {
  std::string system_identifier;
  uint32_t timeline = 0;
  int64_t started_at_us = 0;  // pg_postmaster_start_time(): a crash may rewind what was confirmed
  friend bool operator==(const ServerIdentity&, const ServerIdentity&) = default;
};

struct ConnectRequest {
  // The stream resumes here where the server is still `expected`; otherwise at 0/0, the slot's own position.
  Lsn resume_lsn;
  std::optional<ServerIdentity> expected;
  // Nothing was streamed yet by this process: a slot that is missing is made, and a refused login is lasting. Later on
  // a slot that was there and is missing is a lasting fault kSlot, and a refused login or right passes.
  bool first = true;
};

// Where the timeline that was read before ends in the history of the server that answers now: a standby was promoted.
// Transactions whose commit stood there or behind are not in its log. https://www.postgresql.org/docs/current/
// continuous-archiving.html#BACKUP-TIMELINES
struct TimelineFork {
  uint32_t timeline = 0;  // the one that was read before
  Lsn lsn;                // its end here; zero where the server does not tell
  Lsn recorded;           // how far the evidence record says that it was read; zero where this process knows itself
};

struct Connected {
  std::unique_ptr<Source> source;
  ServerIdentity identity;
  int server_version = 0;             // as PQserverVersion
  int64_t wal_sender_timeout_ms = 0;  // 0: off
  Lsn start_lsn;                     // where the stream begins: the slot's confirmed_flush_lsn, or resume_lsn behind it
  bool resumed = false;              // resume_lsn was used: same server, same timeline
  bool gap = false;                  // events that this relay has not published are gone over, as was asked for
  std::optional<TimelineFork> fork;  // the server is on a newer timeline than the one that was read before
  std::string slot_note;             // one sentence for the log: made, taken over at LSN, ...
  std::vector<Table> tables;  // the captured tables, read at the connection: checked against the configuration at start
};

// Whether a passing fault of TakeConnected means: another session has the slot (or makes it, by its snapshot), and this
// relay stands by.
bool IsStandby(const absl::Status& status);

class Connector {
 public:
  virtual ~Connector() = default;

  virtual void StartConnect(const ConnectRequest& request) = 0;
  // nullopt while it runs. Errors: passing, or lasting with the sentence for the operator.
  virtual std::optional<absl::StatusOr<Connected>> TakeConnected() = 0;

  // After SnapshotEnd, when the last row is acknowledged: commits the reading transaction, makes the lasting slot out
  // of the temporary one, closes both connections of `source` (which is given back here). Then StartConnect again.
  virtual void StartFinishSnapshot(std::unique_ptr<Source> source) = 0;
  virtual std::optional<absl::Status> TakeFinishedSnapshot() = 0;

  // The catalogue's facts of one table; NotFound where it is gone.
  virtual void StartLookup(uint32_t relation_oid) = 0;
  virtual std::optional<absl::StatusOr<Table>> TakeTable() = 0;

  // Whether a row with this event id is in the table now, so that its payload could still be read there.
  virtual void StartFindRow(uint32_t /*relation_oid*/, std::string_view /*id*/) {}
  virtual std::optional<absl::StatusOr<bool>> TakeFoundRow() { return std::nullopt; }

  // Runs heartbeat.action.query, on a connection and thread of its own: it may wait, and nothing waits for it. Only
  // where one is configured; not again before its answer was taken.
  virtual void StartAction() {}
  virtual std::optional<absl::Status> TakeAction() { return std::nullopt; }

  // The server is shutting down: its ordinary connections were told so (57P01). Rung; false again after the next
  // connection. The only sign of it while the stream is not read.
  virtual bool server_stopping() const = 0;

  // A lasting fault that was found while the stream runs, once. Rung.
  virtual std::optional<absl::Status> TakeFault() { return std::nullopt; }

  // Drops the slot (slot.drop.on.stop), after the source was closed. Blocking, a few seconds at the most: only at the
  // end.
  virtual absl::Status DropSlot() = 0;
};

// The real one. Copies the configuration; rings `wakeup`, which outlives it, with each answer. Reads secrets at each
// connection, and at the first one the evidence record (`evidence` may be null).
std::unique_ptr<Connector> MakeConnector(const config::Config& config, const Wakeup* wakeup,
                                         std::shared_ptr<evidence::Store> evidence = nullptr);

}  // namespace postrider::postgres
