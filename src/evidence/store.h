// The evidence record, as the relay sees it. READ THIS FIRST in evidence/.
//
// The rule: a position is in the record before the server is told to confirm it. So at every start the slot stands at
// or behind the record, unless somebody else moved it, or made it anew.
//
// Read() belongs to whoever connects (it may block); Write() and covered() to the loop, and never block. The writer
// rings the loop's bell when covered() has grown. Tested by tests/unit/evidence/store_test.cc.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "base/wakeup.h"
#include "decoder/lsn.h"
#include "evidence/place.h"
#include "evidence/record.h"

namespace postrider::evidence {

class Store {
 public:
  virtual ~Store() = default;

  // What an earlier start left; nullopt where there is nothing. Errors as Place::Read(); ended by `stop`.
  virtual absl::StatusOr<std::optional<Record>> Read(const Wakeup& stop) = 0;

  // Replaces the record; of several that wait the newest is written. A record of the same cluster and slot that is
  // ahead stays (another relay reads the slot by now), unless `anew`: the first one of a connection.
  virtual void Write(const Record& record, bool anew) = 0;

  // How far the record reaches: the LSN of the newest Write() that is done with; nothing from a Write() `anew` until
  // that one is, since it may set the record back. One that failed for good counts too, since WAL must not pile up for
  // it; it was logged, and is tried again by the next. One whose place is away is tried until it is there.
  virtual Lsn covered() const = 0;

  // As Place::name().
  virtual std::string place() const = 0;
};

// Opens the place, and writes to it on a thread of its own. What waits at the end is still tried once. `wakeup`
// outlives it.
absl::StatusOr<std::unique_ptr<Store>> OpenStore(std::unique_ptr<Place> place, const Wakeup* wakeup);

}  // namespace postrider::evidence
