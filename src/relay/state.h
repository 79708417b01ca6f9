// The relay's states, as operators see them: in the log, later in metrics and on the status page. The names stay.
#pragma once

#include <string_view>

namespace postrider::relay {

enum class State {
  kStarting,
  kConnecting,  // to PostgreSQL
  kStandby,     // another relay of ours has the slot
  kSnapshot,    // rows that were in the table before the slot
  kStreaming,
  kStalled,  // records wait for acknowledgements that do not come
  kHeld,     // one record, or one topic, cannot be published as things are
  kWaiting,  // a server is away
  kPaused,   // by the operator
  kDraining,
  kFailed,
};

constexpr std::string_view StateName(State state) {
  switch (state) {
    case State::kStarting:
      return "starting";
    case State::kConnecting:
      return "connecting";
    case State::kStandby:
      return "standby";
    case State::kSnapshot:
      return "snapshot";
    case State::kStreaming:
      return "streaming";
    case State::kStalled:
      return "stalled";
    case State::kHeld:
      return "held";
    case State::kWaiting:
      return "waiting";
    case State::kPaused:
      return "paused";
    case State::kDraining:
      return "draining";
    case State::kFailed:
      return "failed";
  }
  return "failed";
}

}  // namespace postrider::relay
