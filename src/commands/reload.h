// SIGHUP: `run` reads its configuration files again, on a thread of its own.
//
// What it takes and what it leaves is decided in config/reload.h. One line of the log tells the outcome: an INFO with
// the keys that were taken, or an ERROR, and then nothing was. Standard input cannot be read again. Main thread; the
// log is started before it and ends after it. Tested by tests/e2e/test_reload.py.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include "absl/status/status.h"
#include "config/load.h"

namespace postrider::commands {

class Reloader {
 public:
  // Where the new values go; called on the reloader's thread, and outlive it.
  struct Targets {
    // May wait for the loop. Where it fails nothing is taken.
    std::function<absl::Status(const config::Poison&)> set_poison;
    std::function<void(int64_t)> set_wal_budget_bytes;
  };

  // Takes over SIGHUP. `loaded` is what the sources gave at the start; its secrets are those in use.
  Reloader(config::Sources sources, const config::Loaded& loaded, Targets targets);
  ~Reloader();
  Reloader(const Reloader&) = delete;
  Reloader& operator=(const Reloader&) = delete;

 private:
  struct Shared;

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace postrider::commands
