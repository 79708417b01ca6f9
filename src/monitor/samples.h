// Where the server's log stood at which time: one sample a second for an hour, then one a minute for 30 days.
//
// Tells how old a position is, and how fast log and slot move. Times are microseconds of the monotonic clock, in order.
// A server whose log stands behind the newest sample (it was restored, or lost the end of its log) or that is on
// another timeline says that positions mean something else now: Reset(). Pure; one thread. Tested by
// tests/unit/monitor/samples_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "decoder/lsn.h"

namespace postrider::monitor {

struct Sample {
  int64_t us = 0;
  Lsn current_lsn;
  Lsn restart_lsn;  // of our slot; zero while it is missing
};

class Samples {
 public:
  static constexpr int64_t kSecond = 1'000'000;
  static constexpr int64_t kFineUs = 3'600 * kSecond;
  static constexpr int64_t kCoarseStepUs = 60 * kSecond;
  static constexpr size_t kCoarseMax = 30 * 24 * 60;

  // Less than half a second after the newest it is left out, for the list has one a second.
  void Add(const Sample& sample);
  void Reset();

  bool empty() const { return fine_.empty(); }
  const Sample& newest() const { return fine_.back(); }
  const Sample& oldest() const { return coarse_.empty() ? fine_.front() : coarse_.front(); }

  // The newest sample at or below `lsn`: what was committed before its time stands at or below `lsn`.
  std::optional<Sample> NewestAtOrBelow(Lsn lsn) const;
  // Whether `lsn` has reached the newest sample or the one before it.
  bool IsUpToDate(Lsn lsn) const;
  // The newest sample that is at least this old, or else the oldest there is.
  const Sample& Before(int64_t us) const;

 private:
  std::deque<Sample> coarse_;  // older than kFineUs
  std::deque<Sample> fine_;
};

}  // namespace postrider::monitor
