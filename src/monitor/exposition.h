// What /metrics answers: the rows of metric_table.h with their values of now, in Prometheus' text format
// (https://prometheus.io/docs/instrumenting/exposition_formats/), written by prometheus-cpp.
//
// Any thread. Tested by tests/unit/monitor/exposition_test.cc.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "kafka/statistics.h"
#include "monitor/watcher.h"
#include "relay/desk.h"
#include "relay/stats.h"

namespace postrider::monitor {

// Where the values come from. All of a relay is null in `postrider monitor`, and outlive whoever holds this.
struct Sources {
  std::string slot;
  const Clock* clock = nullptr;
  const relay::Stats* stats = nullptr;
  const kafka::Statistics* kafka = nullptr;
  relay::Desk* desk = nullptr;  // what is held and parked, for /status
};

std::string Exposition(const Sources& sources, const View& view);

}  // namespace postrider::monitor
