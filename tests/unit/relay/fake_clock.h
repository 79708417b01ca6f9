// A clock that tests turn by hand. Like a real one it never stands still: each reading is a microsecond later. For
// tests only.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace postrider::relay {

class FakeClock final : public Clock {
 public:
  int64_t MonotonicMicros() const override { return ++now_us_; }
  int64_t UnixMillis() const override { return wall_ms_ + now_us_ / 1000; }

  int64_t now_us() const { return now_us_; }
  void Advance(int64_t us) { now_us_ += us; }
  // Somebody sets the wall clock.
  void JumpWall(int64_t ms) { wall_ms_ += ms; }

 private:
  mutable int64_t now_us_ = 1'000'000;
  int64_t wall_ms_ = 1'700'000'000'000;
};

}  // namespace postrider::relay
