// What the loop reads: the replication stream, or a snapshot that looks like one. READ THIS FIRST in postgres/.
//
// A Source belongs to the loop's thread. None of its calls blocks. Tests and the simulation implement it with scripted
// WAL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "absl/status/statusor.h"
#include "decoder/lsn.h"

namespace postrider::postgres {

// One pgoutput message. The view lives until the next call of Next().
struct WalData {
  Lsn lsn;  // for tracing only: zero or not monotonic for some messages
  std::string_view message;
};

// The server's position: everything with a commit record before it was received earlier on this connection.
struct Keepalive {
  Lsn end_lsn;
  bool reply_requested = false;
};

// The snapshot has delivered its last row. Next comes Connector::FinishSnapshot, once all rows are acknowledged.
struct SnapshotEnd {};

using SourceMessage = std::variant<WalData, Keepalive, SnapshotEnd>;

class Source {
 public:
  virtual ~Source() = default;

  // The next message; nullopt when none is complete (poll fd() and come back). An error ends the source: a passing
  // fault for a connection that broke or a server that stops, a lasting one as MakeFault classes it.
  virtual absl::StatusOr<std::optional<SourceMessage>> Next() = 0;

  // Queues a standby status update (PostgreSQL manual, "Standby status update") and starts sending it. flush moves the
  // slot. The caller keeps both monotonic and flush <= what was received. A snapshot ignores it.
  virtual absl::Status SendStatus(Lsn write, Lsn flush, bool reply_requested) = 0;

  // For poll(): the socket, and whether unsent bytes want POLLOUT. Call Flush() when it is writable.
  virtual int fd() const = 0;
  virtual bool wants_write() const = 0;
  virtual absl::Status Flush() = 0;

  // Bytes that wait in the kernel's receive buffer (FIONREAD). 0 when unknown.
  virtual size_t WaitingBytes() const = 0;

  // True for a snapshot: rows are read, not streamed, and there is no position to confirm.
  virtual bool is_snapshot() const = 0;
};

}  // namespace postrider::postgres
