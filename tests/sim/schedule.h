// What will happen when, in the simulated world. Events of one moment happen in the order in which they were planned.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "unit/relay/fake_clock.h"

namespace postrider::sim {

class Schedule {
 public:
  using Event = std::function<void()>;

  explicit Schedule(relay::FakeClock* clock) : clock_(clock) {}

  int64_t now_us() const { return clock_->now_us(); }
  void After(int64_t delay_us, Event event) {
    events_.emplace(std::pair(now_us() + delay_us, next_++), std::move(event));
  }

  int64_t next_us() const {
    return events_.empty() ? std::numeric_limits<int64_t>::max() : events_.begin()->first.first;
  }
  // Turns the clock to the next event, unless it is late already, and lets it happen.
  void RunNext() {
    AdvanceTo(next_us());
    const Event event = std::move(events_.extract(events_.begin()).mapped());
    event();
  }
  void AdvanceTo(int64_t time_us) {
    if (time_us > now_us()) clock_->Advance(time_us - now_us());
  }

 private:
  relay::FakeClock* const clock_;
  std::map<std::pair<int64_t, uint64_t>, Event> events_;
  uint64_t next_ = 0;
};

}  // namespace postrider::sim
