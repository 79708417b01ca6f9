// A temporary slot and its stream, to look on from now: it goes with its connection, and no other slot is touched.
//
// Blocking but for the source; one thread. While it stands, the server keeps WAL for it as for any slot, so its owner
// confirms what it has seen and watches RetainedBytes. Tested by tests/e2e/test_tail.py.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/table.h"
#include "base/wakeup.h"
#include "config/config.h"
#include "postgres/source.h"

namespace postrider::postgres {

class Tap {
 public:
  // A fault kPublication where there is no publication of that name: a tap makes none.
  static absl::StatusOr<std::unique_ptr<Tap>> Open(const config::Config& config, const Wakeup* stop);
  virtual ~Tap() = default;

  virtual Source& source() = 0;
  virtual const std::string& slot() const = 0;
  // The catalogue's facts; NotFound where the table is gone.
  virtual absl::StatusOr<Table> ReadTable(uint32_t relation_oid) = 0;
  // What the server keeps for the tap's slot.
  virtual absl::StatusOr<int64_t> RetainedBytes() = 0;
};

}  // namespace postrider::postgres
