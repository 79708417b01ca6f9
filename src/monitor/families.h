// Values on their way to the exposition: each by the name of a row of metric_table.h, which gives type and help.
//
// A name that is not in the table is a broken invariant. Families come out in the table's order; those without a value
// are left out. One thread. Tested by tests/unit/monitor/exposition_test.cc.
#pragma once

#include <prometheus/metric_family.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "relay/meter.h"

namespace postrider::monitor {

class Families {
 public:
  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  explicit Families(std::string slot);

  void Add(std::string_view name, double value, Labels labels = {});
  template <typename T>
  void Add(std::string_view name, const std::optional<T>& value, Labels labels = {}) {
    if (value) Add(name, static_cast<double>(*value), labels);
  }
  void AddHistogram(std::string_view name, const relay::Durations& durations);

  std::string Serialize() const;

 private:
  prometheus::ClientMetric& NewMetric(std::string_view name, Labels labels);

  const std::string slot_;
  std::vector<prometheus::MetricFamily> families_;  // one for each row of the table
};

}  // namespace postrider::monitor
