#include "monitor/families.h"

#include <prometheus/text_serializer.h>

#include <limits>

#include "base/check.h"
#include "monitor/metric_table.h"

namespace postrider::monitor {
namespace {

constexpr double kMicros = 1e6;

prometheus::MetricType TypeOf(MetricKind kind) {
  switch (kind) {
    case MetricKind::kGauge:
      return prometheus::MetricType::Gauge;
    case MetricKind::kCounter:
      return prometheus::MetricType::Counter;
    case MetricKind::kHistogram:
      break;
  }
  return prometheus::MetricType::Histogram;
}

}  // namespace

Families::Families(std::string slot) : slot_(std::move(slot)) {
  for (const Metric& metric : MetricTable())
    families_.push_back({std::string(metric.name), std::string(metric.help), TypeOf(metric.kind), {}});
}

prometheus::ClientMetric& Families::NewMetric(std::string_view name, Labels labels) {
  const Metric* known = FindMetric(name);
  POSTRIDER_CHECK(known != nullptr);
  prometheus::MetricFamily& family = families_[static_cast<size_t>(known - MetricTable().data())];
  prometheus::ClientMetric& metric = family.metric.emplace_back();
  metric.label.push_back({"slot", slot_});
  for (const auto& [label, value] : labels) metric.label.push_back({std::string(label), std::string(value)});
  return metric;
}

void Families::Add(std::string_view name, double value, Labels labels) {
  prometheus::ClientMetric& metric = NewMetric(name, labels);
  metric.gauge.value = value;  // the serializer takes the one that the family's type says
  metric.counter.value = value;
}

void Families::AddHistogram(std::string_view name, const relay::Durations& durations) {
  prometheus::ClientMetric::Histogram& histogram = NewMetric(name, {}).histogram;
  const auto counts = durations.counts();
  for (size_t i = 0; i < counts.size(); ++i) {
    histogram.sample_count += counts[i];
    const bool last = i == relay::Durations::kBoundsUs.size();
    histogram.bucket.push_back(
        {histogram.sample_count, last ? std::numeric_limits<double>::infinity()
                                      : static_cast<double>(relay::Durations::kBoundsUs[i]) / kMicros});
  }
  histogram.sample_sum = static_cast<double>(durations.sum_us()) / kMicros;
}

std::string Families::Serialize() const {
  std::vector<prometheus::MetricFamily> present;
  for (const prometheus::MetricFamily& family : families_)
    if (!family.metric.empty()) present.push_back(family);
  return prometheus::TextSerializer().Serialize(present);
}

}  // namespace postrider::monitor
