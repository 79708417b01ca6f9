// Whether the process is alive, ready and the leader: what /livez, /readyz and /leaderz answer.
//
// Alive: the loop turns; no broker, database or held event ever fails it, so that no supervisor restarts a relay for a
// fault of somebody else's. Ready: the process does its job in its role. A leader holds the slot, the server takes its
// status over, a broker is reachable and waiting work makes progress; a standby sees the slot and could take it; a
// monitor reads the slot. Leader: it holds the slot. Pure. Tested by tests/unit/monitor/health_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "monitor/watcher.h"
#include "relay/stats.h"

namespace postrider::monitor {

enum class Role { kLeader, kStandby, kMonitor, kNone };  // kNone: on its way to one of them, or from it
std::string_view RoleName(Role role);

struct Health {
  bool good = false;
  Role role = Role::kNone;
  std::string state;   // relay/state.h; "watching" for a monitor
  std::string reason;  // one sentence
};

// `stats` null: `postrider monitor`. `now_us` monotonic.
Health Liveness(const relay::Stats* stats, int64_t now_us);
Health Readiness(const relay::Stats* stats, const View& view);
Health Leadership(const relay::Stats* stats);

// "ready role=leader state=streaming: a sentence"; `word` says what was asked: "ready", "alive", "leader".
std::string HealthLine(const Health& health, std::string_view word);

}  // namespace postrider::monitor
