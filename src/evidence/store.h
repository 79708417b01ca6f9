// Where the evidence record is kept. READ THIS FIRST in evidence/.
//
// The rule: a position is in the record before the server is told to confirm it. So at every start the slot stands at
// or behind the record, unless somebody else moved it, or made it anew.
//
// Read() belongs to whoever connects (it may block); Write() and covered() to the loop, and never block. The writer
// rings the loop's bell when covered() has grown.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "base/wakeup.h"
#include "decoder/lsn.h"
#include "evidence/record.h"

namespace postrider::evidence {

class Store {
 public:
  virtual ~Store() = default;

  // What an earlier start left; nullopt where there is nothing. InvalidArgument for what cannot be read or understood.
  virtual absl::StatusOr<std::optional<Record>> Read() = 0;

  // Replaces the record; of several that wait the newest is written. A record of the same cluster and slot that is
  // ahead stays (another relay reads the slot by now), unless `anew`: the first one of a connection.
  virtual void Write(const Record& record, bool anew) = 0;

  // How far the record reaches: the LSN of the newest Write() that is done with; nothing from a Write() `anew` until
  // that one is, since it may set the record back. A failed one counts too, since WAL must not pile up for it; it was
  // logged, and is tried again by the next.
  virtual Lsn covered() const = 0;

  // For sentences: "the file /var/lib/postrider/debezium.json".
  virtual std::string place() const = 0;
};

// A file of its own for each slot, written in place (a full disk does not matter then) and synced. Its folder must
// exist. InvalidArgument where the file can be neither read nor made. `wakeup` outlives it.
absl::StatusOr<std::unique_ptr<Store>> OpenFileStore(const std::string& path, const Wakeup* wakeup);

// Marks the record in that file: another program reads the slot from now on. False where there is none. For a command
// of its own, while no relay runs; blocks.
absl::StatusOr<bool> MarkHandedBack(const std::string& path);

}  // namespace postrider::evidence
