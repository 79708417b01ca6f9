#include "monitor/watcher.h"

#include <poll.h>

#include <algorithm>
#include <mutex>
#include <random>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "base/worker.h"
#include "monitor/observer.h"
#include "relay/backoff.h"

namespace postrider::monitor {
namespace {

constexpr int64_t kPeriodUs = 1'000'000;
constexpr int64_t kBackoffFirstMs = 1'000;
constexpr int64_t kBackoffLimitMs = 5'000;

}  // namespace

struct Watcher::Shared : Worker {
  Shared(const config::Config& configuration, const Clock* system_clock, const relay::Stats* stats)
      : Worker(nullptr),
        config(configuration),
        clock(system_clock),
        observer(config.monitor.wal_budget_bytes, clock, stats) {}

  const config::Config config;
  const Clock* const clock;
  Observer observer;  // guarded by mutex

  // The thread's own.
  std::unique_ptr<postgres::SlotReporter> reporter;
  relay::Backoff backoff{kBackoffFirstMs, kBackoffLimitMs, std::random_device{}()};
  bool told_blind = false;

  int64_t Round();
  absl::StatusOr<postgres::SlotReport> Ask(int64_t& asked_us);
  bool Stopping() const;
  void Tell(const postgres::SlotReport& report, bool came_back);
  static void Work(const std::shared_ptr<Shared>& shared);
};

absl::StatusOr<postgres::SlotReport> Watcher::Shared::Ask(int64_t& asked_us) {
  if (!reporter) {
    auto made = postgres::SlotReporter::Open(config, &stop);
    if (!made.ok()) return made.status();
    reporter = *std::move(made);
  }
  asked_us = clock->MonotonicMicros();
  return reporter->Read();
}

bool Watcher::Shared::Stopping() const {
  pollfd polled{stop.fd(), POLLIN, 0};
  return poll(&polled, 1, 0) > 0;
}

void Watcher::Shared::Tell(const postgres::SlotReport& report, bool came_back) {
  if (came_back) LogInfo("watcher_back", {{"slot", config.slot.name}}, "the watcher reads the slot");
  if (!report.blind_for.empty() && !told_blind) {
    told_blind = true;
    LogInfo("watcher_rights", {{"slot", config.slot.name}}, report.blind_for);
  }
}

// When to ask again.
int64_t Watcher::Shared::Round() {
  int64_t asked_us = clock->MonotonicMicros();
  absl::StatusOr<postgres::SlotReport> report = Ask(asked_us);
  // A thread that was left behind finds neither relay nor owner any more.
  if (Stopping()) return 0;
  if (!report.ok()) {
    reporter.reset();
    LogWarning("watcher_away", {{"slot", config.slot.name}}, MessageOf(report.status()));
    const std::lock_guard lock(mutex);
    observer.Miss(std::string(MessageOf(report.status())));
    return clock->MonotonicMicros() + backoff.NextMicros();
  }
  Tell(*report, !backoff.fresh());
  backoff.Reset();
  const int64_t answered_us = clock->MonotonicMicros();
  {
    const std::lock_guard lock(mutex);
    observer.Take(*std::move(report), asked_us, answered_us);
  }
  return std::max(asked_us + kPeriodUs, answered_us + kPeriodUs / 10);
}

void Watcher::Shared::Work(const std::shared_ptr<Shared>& shared) {
  for (;;) {
    const int64_t next_us = shared->Round();
    const int64_t wait_us = std::max<int64_t>(0, next_us - shared->clock->MonotonicMicros());
    pollfd polled{shared->stop.fd(), POLLIN, 0};
    if (poll(&polled, 1, static_cast<int>(wait_us / 1000) + 1) > 0) break;
  }
  shared->reporter.reset();
  shared->End();
}

Watcher::Watcher(const config::Config& config, const Clock* clock, const relay::Stats* stats)
    : shared_(std::make_shared<Shared>(config, clock, stats)), thread_(Shared::Work, shared_) {}

Watcher::~Watcher() {
  shared_->Leave(thread_);
}

void Watcher::SetBudget(int64_t wal_budget_bytes) {
  const std::lock_guard lock(shared_->mutex);
  shared_->observer.SetBudget(wal_budget_bytes);
}

View Watcher::Look() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->observer.Look();
}

std::vector<HistoryPoint> Watcher::Past() const {
  const std::lock_guard lock(shared_->mutex);
  const auto& points = shared_->observer.history().points();
  return {points.begin(), points.end()};
}

}  // namespace postrider::monitor
