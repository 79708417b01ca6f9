// Watcher and HTTP together, as `run` and `monitor` have them.
//
//   /          the status page (page.h)
//   /metrics   Prometheus' text format (exposition.h)
//   /livez /readyz /leaderz   200 or 503 and one line (health.h)
//   /status    JSON (status_json.h)
//
// Belongs to the main thread; what it reads of the relay outlives it. Tested by
// tests/e2e/test_monitor.py.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "config/config.h"
#include "monitor/exposition.h"
#include "monitor/http_server.h"
#include "monitor/watcher.h"

namespace postrider::monitor {

class Monitor {
 public:
  // What `run` shows of itself; all null in `postrider monitor`.
  struct Relay {
    const relay::Stats* stats = nullptr;
    const kafka::Statistics* kafka = nullptr;
    relay::Desk* desk = nullptr;
  };

  // Starts both. An address that cannot be listened at is a fault kConfiguration where `http_required`, else one
  // warning `http_off`.
  static absl::StatusOr<std::unique_ptr<Monitor>> Start(const config::Config& config, const Clock* clock,
                                                        const Relay& relay, bool http_required);

  // postrider.wal.budget.bytes from now on; any thread.
  void SetBudget(int64_t wal_budget_bytes) { watcher_.SetBudget(wal_budget_bytes); }
  // 0 where there is no HTTP.
  int port() const { return http_ ? http_->port() : 0; }

 private:
  Monitor(const config::Config& config, const Clock* clock, const Relay& relay);
  HttpServer::Pages MakePages() const;

  const Sources sources_;
  Watcher watcher_;
  std::unique_ptr<HttpServer> http_;  // ends before what it shows
};

}  // namespace postrider::monitor
