// The clock as a seam: the loop asks it, tests and the simulation turn it by hand.
#pragma once

#include <cstdint>

namespace postrider {

class Clock {
 public:
  virtual ~Clock() = default;
  // Never goes back; for deadlines.
  virtual int64_t MonotonicMicros() const = 0;
  // Since 1970, UTC; may jump. For record timestamps.
  virtual int64_t UnixMillis() const = 0;
};

// The machine's clock. Thread-safe.
const Clock& SystemClock();

}  // namespace postrider
