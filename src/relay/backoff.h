// Waiting between attempts: doubles from a first delay to a limit, with jitter so that many relays do not knock
// together. For ever: a passing fault is never given up. One thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

namespace postrider::relay {

class Backoff {
 public:
  Backoff(int64_t first_ms, int64_t limit_ms, uint64_t jitter_seed)
      : first_ms_(first_ms), limit_ms_(limit_ms), random_(jitter_seed) {}

  // The next delay: between 80 % and 120 % of the current step.
  int64_t NextMicros() {
    step_ms_ = step_ms_ == 0 ? first_ms_ : std::min(step_ms_ * 2, limit_ms_);
    return step_ms_ * std::uniform_int_distribution<int64_t>(800, 1200)(random_);
  }
  void Reset() { step_ms_ = 0; }
  bool fresh() const { return step_ms_ == 0; }

 private:
  const int64_t first_ms_;
  const int64_t limit_ms_;
  int64_t step_ms_ = 0;
  std::minstd_rand random_;
};

}  // namespace postrider::relay
