#include <sstream>
#include <utility>

#include "monitor/metric_table.h"

namespace postrider::monitor {
namespace {

constexpr std::string_view kHead = R"(# Metrics

What `/metrics` shows at `postrider.http.address` (127.0.0.1:9465 where nothing is written), in Prometheus' text format. Generated from
`src/monitor/metric_table.cc` by `scripts/metrics`; a test fails when it differs.

Every metric carries the label `slot`. A value that is not known is absent, never that of before. Units are bytes and seconds. `postrider
run` shows all; `postrider monitor` shows those of the slot and of the process, and goes on while no relay runs.
)";

constexpr std::pair<MetricSource, std::string_view> kSections[] = {
    {MetricSource::kSlot, "The slot, seen from outside of the stream"},
    {MetricSource::kRelay, "The relay"},
    {MetricSource::kKafka, "librdkafka's statistics"},
    {MetricSource::kProcess, "The process"},
};

constexpr std::string_view KindName(MetricKind kind) {
  switch (kind) {
    case MetricKind::kGauge:
      return "gauge";
    case MetricKind::kCounter:
      return "counter";
    case MetricKind::kHistogram:
      break;
  }
  return "histogram";
}

}  // namespace

std::string MetricsDocument() {
  std::ostringstream out;
  out << kHead;
  for (const auto& [source, title] : kSections) {
    out << "\n## " << title << "\n\n| metric | labels | type | what it is | trouble when |\n|---|---|---|---|---|\n";
    for (const Metric& metric : MetricTable()) {
      if (metric.source != source) continue;
      out << "| `" << metric.name << "` | " << metric.labels << " | " << KindName(metric.kind) << " | " << metric.help
          << " | " << metric.trouble << " |\n";
    }
  }
  return out.str();
}

}  // namespace postrider::monitor
