#include "monitor/health.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/text.h"

namespace postrider::monitor {
namespace {

using relay::State;

// The loop sleeps for a second at the most. A step that has to read a secret may block for a moment.
constexpr int64_t kTurnsWithinUs = 15'000'000;
constexpr int64_t kProgressWithinUs = 10'000'000;

Role RoleOf(State state) {
  switch (state) {
    case State::kSnapshot:
    case State::kStreaming:
    case State::kStalled:
    case State::kHeld:
    case State::kPaused:
      return Role::kLeader;
    case State::kStandby:
      return Role::kStandby;
    case State::kStarting:
    case State::kConnecting:
    case State::kWaiting:
    case State::kDraining:
    case State::kFailed:
      break;
  }
  return Role::kNone;
}

// Of a relay, with its state's own reason. One that has no stream holds no slot, whatever it waits for.
Health Base(const relay::Stats& stats) {
  const State state = stats.state.load(std::memory_order_relaxed);
  const Role role = RoleOf(state);
  const bool streams = stats.timeline.load(std::memory_order_relaxed) != 0;
  return {.role = role == Role::kLeader && !streams ? Role::kNone : role,
          .state = std::string(relay::StateName(state)),
          .reason = stats.reason.Get()};
}

Health Not(Health health, std::string_view reason) {
  health.good = false;
  health.reason = reason;
  return health;
}

Health Watching(const View& view) {
  Health health{.good = true, .role = Role::kMonitor, .state = "watching", .reason = "the slot is read from outside"};
  if (!view.report) return Not(health, view.failure.empty() ? "the server was not asked yet" : view.failure);
  return health;
}

Health LeaderReadiness(Health health, const relay::Stats& stats, const View& view) {
  if (stats.state.load(std::memory_order_relaxed) != State::kStreaming &&
      stats.state.load(std::memory_order_relaxed) != State::kSnapshot)
    return health;  // held, stalled, paused: the state's reason says what is in the way
  if (!stats.kafka_reached.load(std::memory_order_relaxed)) return Not(health, "no Kafka broker is reachable");
  if (view.without_progress_us.value_or(0) > kProgressWithinUs)
    return Not(health, "an event waits, and Kafka has acknowledged nothing for 10 s");
  if (!view.status_accepted)
    return Not(health, "the server has not taken over for 30 s what the relay reports as confirmed");
  if (view.report && view.report->slot && view.report->slot->lost()) return Not(health, "the slot is lost");
  health.good = true;
  return health;
}

Health StandbyReadiness(Health health, const relay::Stats& stats, const View& view) {
  if (!view.report)
    return Not(health, view.failure.empty() ? "the slot was not seen yet"
                                            : absl::StrCat("the slot is not seen: ", view.failure));
  if (!view.report->slot) return Not(health, "the slot is missing");
  if (view.report->slot->lost()) return Not(health, "the slot is lost");
  if (!stats.kafka_reached.load(std::memory_order_relaxed)) return Not(health, "no Kafka broker is reachable");
  health.good = true;
  return health;
}

}  // namespace

std::string_view RoleName(Role role) {
  switch (role) {
    case Role::kLeader:
      return "leader";
    case Role::kStandby:
      return "standby";
    case Role::kMonitor:
      return "monitor";
    case Role::kNone:
      break;
  }
  return "none";
}

Health Liveness(const relay::Stats* stats, int64_t now_us) {
  if (stats == nullptr) return {.good = true, .role = Role::kMonitor, .state = "watching", .reason = "it answers"};
  Health health = Base(*stats);
  const int64_t idle_us = now_us - stats->stepped_us.load(std::memory_order_relaxed);
  if (idle_us > kTurnsWithinUs)
    return Not(health, absl::StrCat("the loop has not turned for ", idle_us / 1'000'000, " s"));
  health.good = true;
  health.reason = "the loop turns";
  return health;
}

Health Readiness(const relay::Stats* stats, const View& view) {
  if (stats == nullptr) return Watching(view);
  Health health = Base(*stats);
  if (health.role == Role::kLeader) return LeaderReadiness(std::move(health), *stats, view);
  if (health.role == Role::kStandby) return StandbyReadiness(std::move(health), *stats, view);
  return health;
}

Health Leadership(const relay::Stats* stats) {
  if (stats == nullptr) return {.role = Role::kMonitor, .state = "watching", .reason = "a monitor holds no slot"};
  Health health = Base(*stats);
  health.good = health.role == Role::kLeader;
  return health;
}

std::string HealthLine(const Health& health, std::string_view word) {
  return absl::StrCat(health.good ? "" : "not ", postrider::View(word),
                      " role=", postrider::View(RoleName(health.role)), " state=", health.state,
                      health.reason.empty() ? "" : ": ", health.reason);
}

}  // namespace postrider::monitor
