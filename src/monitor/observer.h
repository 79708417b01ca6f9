// What the watcher concludes from its rounds: everything but the thread and the questions, so that tests give reports
// by hand. Not thread-safe: guarded by the watcher. Tested by tests/unit/monitor/observer_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "monitor/forecast.h"
#include "monitor/history.h"
#include "monitor/samples.h"
#include "monitor/watcher.h"
#include "postgres/slot_report.h"
#include "relay/stats.h"

namespace postrider::monitor {

class Observer {
 public:
  // `stats` may be null; they and the clock outlive it. `wal_budget_bytes` stands in where the server sets no limit; 0:
  // none.
  Observer(int64_t wal_budget_bytes, const Clock* clock, const relay::Stats* stats)
      : wal_budget_bytes_(wal_budget_bytes), clock_(clock), stats_(stats) {}

  void SetBudget(int64_t wal_budget_bytes) { wal_budget_bytes_ = wal_budget_bytes; }
  // A round that was answered. `asked_us`, `answered_us`: monotonic.
  void Take(postgres::SlotReport report, int64_t asked_us, int64_t answered_us);
  // A round that failed.
  void Miss(std::string why);

  View Look() const;
  const History& history() const { return history_; }

 private:
  void ForgetOtherTimelines(const postgres::SlotReport& report);
  void TakeLimit(const postgres::SlotReport& report);
  void TakePositions(const postgres::SlotReport& report, int64_t now_us);
  void CheckAccepted(const postgres::SlotReport& report, int64_t now_us);
  void AddHistory(const postgres::SlotReport* report, int64_t now_us);
  Lsn Acknowledged() const;
  PublicationFacts Facts() const;

  int64_t wal_budget_bytes_;
  const Clock* const clock_;
  const relay::Stats* const stats_;

  View view_;  // all but what depends on the time of the look
  int64_t answered_us_ = 0;
  uint32_t timeline_ = 0;
  bool in_recovery_ = false;
  int64_t server_ahead_us_ = 0;  // the server's clock less ours
  Samples samples_;
  Forecast forecast_;
  History history_;
  Lsn acknowledged_lsn_;     // by the slot
  Lsn reported_lsn_;         // what the relay had reported, not yet taken over by the server
  int64_t reported_us_ = 0;  // since when
};

}  // namespace postrider::monitor
