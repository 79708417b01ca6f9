// A clock that tests turn by hand.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace postrider::monitor {

class FakeClock : public Clock {
 public:
  static constexpr int64_t kUnixMs = 1'700'000'000'000;  // at monotonic 0
  int64_t MonotonicMicros() const override { return us; }
  int64_t UnixMillis() const override { return kUnixMs + us / 1000; }
  int64_t us = 1'000'000;
};

}  // namespace postrider::monitor
