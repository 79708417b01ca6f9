// The last hour in points of ten seconds, for a chart. Not thread-safe: guarded by the watcher. Tested by
// tests/unit/monitor/observer_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace postrider::monitor {

// What was not known at that time is absent.
struct HistoryPoint {
  int64_t unix_ms = 0;
  std::optional<int64_t> retained_bytes;
  std::optional<int64_t> unconfirmed_bytes;
  std::optional<int64_t> oldest_unpublished_us;
  std::optional<uint64_t> events_acknowledged;  // since the process began
};

class History {
 public:
  static constexpr int64_t kStepUs = 10'000'000;
  static constexpr size_t kPointsMax = 360;

  bool IsDue(int64_t now_us) const { return points_.empty() || now_us - last_us_ >= kStepUs; }
  void Add(const HistoryPoint& point, int64_t now_us) {
    last_us_ = now_us;
    points_.push_back(point);
    if (points_.size() > kPointsMax) points_.pop_front();
  }
  const std::deque<HistoryPoint>& points() const { return points_; }

 private:
  std::deque<HistoryPoint> points_;
  int64_t last_us_ = 0;
};

}  // namespace postrider::monitor
