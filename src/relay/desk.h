// Where an operator's order meets the loop: any thread asks and waits, the loop takes the order in its next step and
// answers.
//
// One order at a time; a second asker waits for its turn. Outlives the loop's use of it. Tested by
// tests/unit/relay/operator_test.cc and tests/unit/control/server_test.cc.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/wakeup.h"
#include "config/config.h"
#include "relay/held_row.h"
#include "relay/parked_log.h"
#include "relay/state.h"

namespace postrider::relay {

struct Order {
  enum class Verb { kReport, kRetry, kPark, kSkip, kRelease, kPause, kResume, kPolicy };
  Verb verb = Verb::kReport;
  std::string word;       // kPark, kSkip: the event's id; kRelease: an event's id or a key
  config::Poison poison;  // kPolicy: what holds from now on (SIGHUP)
};

// A row that the server itself cannot send.
struct Unsendable {
  std::string reason;       // one sentence: what the server said, and where
  std::string advance_sql;  // goes over it, by hand
  std::string loses;        // what that gives up
};

// How things stand after the order.
struct Report {
  State state = State::kStarting;
  std::string reason;  // of the state
  bool paused = false;
  std::optional<Hold> hold;
  std::optional<Unsendable> unsendable;
  std::vector<ParkedEvent> parked;  // oldest first, ParkedLog::kEventsMax at the most
  size_t blocked_keys = 0;
  int64_t now_us = 0;  // the clock that the times above are of
};

class Desk {
 public:
  // `loop` is rung with each order.
  explicit Desk(const Wakeup* loop) : loop_(loop) {}

  // Any thread but the loop's. DeadlineExceeded where the loop does not answer in time; the order is then withdrawn
  // unless the loop has it already.
  absl::StatusOr<Report> Ask(Order order, std::chrono::milliseconds timeout);

  // The loop's: an order that waits, once; then its answer.
  std::optional<Order> Take();
  void Answer(absl::StatusOr<Report> report);

 private:
  const Wakeup* const loop_;
  std::mutex turn_;  // of the askers
  std::mutex mutex_;
  std::condition_variable answered_;
  std::optional<Order> order_;
  uint64_t asked_ = 0, taken_ = 0;  // the number of the order asked last, and of the one the loop has
  std::optional<absl::StatusOr<Report>> answer_;
};

}  // namespace postrider::relay
