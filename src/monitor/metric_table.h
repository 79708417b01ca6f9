// Every metric that /metrics shows: one table, from which METRICS.md is written and against which the exposition,
// dashboards and alert rules are checked. Names stay. Every metric carries the label `slot` beside its own.
//
// Pure data. Tested by tests/unit/monitor/metric_table_test.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace postrider::monitor {

enum class MetricKind { kGauge, kCounter, kHistogram };

// Who knows it: `run` shows all, `postrider monitor` those of the slot and of the process.
enum class MetricSource { kSlot, kRelay, kKafka, kProcess };

struct Metric {
  std::string_view name;
  MetricKind kind = MetricKind::kGauge;
  MetricSource source = MetricSource::kSlot;
  std::string_view labels;   // its own, separated by blanks; empty: none
  std::string_view help;     // one sentence; with the unit where the name has none
  std::string_view trouble;  // when it means trouble; empty: by itself never
};

const std::vector<Metric>& MetricTable();
// Null for a name that is not in the table.
const Metric* FindMetric(std::string_view name);

// METRICS.md.
std::string MetricsDocument();

}  // namespace postrider::monitor
