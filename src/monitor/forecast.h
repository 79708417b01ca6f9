// When the slot will be lost, if things go on as they do: seconds until it retains more than the server lets it.
//
// The server gives a slot up at a checkpoint that finds it more segments behind than max_slot_wal_keep_size (KeepLogSeg
// and InvalidateObsoleteReplicationSlots of src/backend/access/transam/xlog.c); safe_wal_size counts in the same way.
// The distance is divided by how fast it shrinks: the rate of the log, less that of restart_lsn. That one moves in
// steps (a running-xacts record, every 15 seconds or so), so it counts as standing still only when the slot has no
// reader, or when the step is long overdue. The rate is taken over a window that fits the answer: seconds for a loss in
// minutes, hours for one in days, so that a burst is no alarm. Then comes the wait for the checkpoint, where two were
// seen. Pure; one thread. Tested by tests/unit/monitor/forecast_test.cc.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "monitor/samples.h"

namespace postrider::monitor {

// Bytes a second over the last `window_us`, or since the oldest sample. Absent with less than a second of samples.
std::optional<double> WalRate(const Samples& samples, int64_t window_us);

class Forecast {
 public:
  struct Situation {
    bool active = false;  // somebody reads the slot
    // Until the limit; absent: there is none.
    std::optional<int64_t> safe_bytes;
    std::optional<int64_t> checkpoint_us;  // of the last one, on the server's clock
  };

  // After `samples` took the newest, whose time is now. Infinity: never, as things go. Absent: unknown, or no limit.
  std::optional<double> SecondsToLoss(const Samples& samples, const Situation& situation);
  void Reset();

 private:
  struct Step {
    int64_t us = 0;
    Lsn restart_lsn;
  };

  void SeeRestart(const Sample& sample);
  void SeeCheckpoint(std::optional<int64_t> checkpoint_us, int64_t now_us);
  bool IsPinned(int64_t now_us, bool active) const;
  double UntilCheckpoint(double seconds, int64_t now_us) const;

  std::deque<Step> steps_;  // the last moves of restart_lsn
  std::optional<int64_t> checkpoint_us_;
  std::deque<int64_t> checkpoints_seen_us_;  // monotonic
};

}  // namespace postrider::monitor
