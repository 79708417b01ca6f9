// Watches the slot from outside of the stream: a thread with a connection of its own, one round of questions a second.
// READ THIS FIRST in monitor/.
//
// It works while no relay does. What it reads (postgres/slot_report.h) it keeps for one round: a reading that failed is
// absent, never repeated. What it concludes needs memory: where the log stood at which time (samples.h), how old the
// oldest unpublished event is (publication_age.h), when the slot will be lost (forecast.h), the last hour (history.h).
//
// Nothing that the relay does waits for it. The thread blocks, with deadlines, makes its connection anew after an error
// with backoff, and reads the password each time. Look() may be called from any thread; the rest belongs to the owner.
// Tested by tests/unit/monitor/watcher_test.cc (needs a server).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "config/config.h"
#include "monitor/history.h"
#include "monitor/publication_age.h"
#include "postgres/slot_report.h"
#include "relay/stats.h"

namespace postrider::monitor {

// What the watcher knows at one moment.
struct View {
  std::shared_ptr<const postgres::SlotReport> report;  // of the last round; null where it failed, or is late
  std::string failure;                                 // why it is null; empty at the start
  uint64_t rounds = 0, failed_rounds = 0;
  int64_t last_success_unix_ms = 0;  // 0: none yet
  std::optional<double> wal_bytes_per_s;
  std::optional<double> loss_forecast_s;   // infinity: never, as things go
  std::optional<int64_t> safe_wal_bytes;   // by the server's limit, or by postrider.wal.budget.bytes
  std::optional<int64_t> wal_limit_bytes;  // the limit itself
  std::optional<int64_t> oldest_unpublished_us;
  std::optional<int64_t> published_until_unix_ms;
  Lsn acknowledged_lsn;  // everything up to here is in Kafka; zero: unknown
  // An event is in the relay's hands, and for so long Kafka has acknowledged nothing. Absent: none is.
  std::optional<int64_t> without_progress_us;
  bool status_accepted = true;  // the server takes over what the relay reports as confirmed
};

class Watcher {
 public:
  // `stats` of the relay in this process, or null; it and the clock outlive the watcher. Starts the thread.
  Watcher(const config::Config& config, const Clock* clock, const relay::Stats* stats);
  // Cancels what runs and joins within a second.
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  // postrider.wal.budget.bytes from now on; any thread.
  void SetBudget(int64_t wal_budget_bytes);

  View Look() const;
  // The last hour, oldest first.
  std::vector<HistoryPoint> Past() const;

 private:
  struct Shared;

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace postrider::monitor
