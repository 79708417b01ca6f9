// heartbeat.action.query: an ordinary connection of its own, on a thread of its own.
//
// The query is the operator's and may wait for a lock; looking up tables, connecting and rows must not wait with it.
// The connection is made at the first run, with database.initial.statements, and kept; it is made anew when it was
// closed in between, and after a failure, so that no broken transaction is carried on. database.query.timeout.ms limits
// each run. Inside postgres/ only.
//
// Start and Take belong to the owner's thread; `answered` is rung when there is something to take, and outlives this.
// The end cancels what runs and joins within a second. Tested by tests/unit/postgres/action_test.cc.
#pragma once

#include <memory>
#include <optional>
#include <thread>

#include "absl/status/status.h"
#include "base/wakeup.h"
#include "config/config.h"

namespace postrider::postgres {

class Action {
 public:
  Action(const config::Config& config, const Wakeup* answered);
  ~Action();
  Action(const Action&) = delete;
  Action& operator=(const Action&) = delete;

  // Runs the query once. Not again before its answer was taken.
  void Start();
  // nullopt while it runs, or nothing was started.
  std::optional<absl::Status> Take();

 private:
  struct Shared;
  static void Work(const std::shared_ptr<Shared>& shared);

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace postrider::postgres
