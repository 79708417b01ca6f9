#include "monitor/metric_table.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

namespace postrider::monitor {
namespace {

TEST(MetricTable, NamesAreOurOwnAndStandOnce) {
  std::set<std::string_view> names;
  for (const Metric& metric : MetricTable()) {
    EXPECT_TRUE(metric.name.starts_with("postrider_")) << metric.name;
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_FALSE(metric.help.empty()) << metric.name;
    EXPECT_EQ(metric.name.ends_with("_total"), metric.kind == MetricKind::kCounter) << metric.name;
  }
}

TEST(MetricTable, NamesThatOperatorsRelyOnStay) {
  for (const char* name :
       {"postrider_state", "postrider_slot_retained_bytes", "postrider_slot_unconfirmed_bytes",
        "postrider_slot_safe_wal_bytes", "postrider_slot_loss_forecast_seconds", "postrider_slot_active",
        "postrider_oldest_unpublished_age_seconds", "postrider_published_until_timestamp_seconds",
        "postrider_last_ack_timestamp_seconds", "postrider_events_total", "postrider_commit_to_ack_seconds",
        "postrider_produce_to_ack_seconds", "postrider_inflight_bytes", "postrider_reconnects_total",
        "postrider_held_events", "postrider_unpublished_tables", "postrider_build_info"})
    EXPECT_NE(FindMetric(name), nullptr) << name;
}

// scripts/metrics writes it.
TEST(MetricsDocument, TheFileIsWhatTheTableSays) {
  const std::string path = std::string(POSTRIDER_TEST_DATA) + "/../../../METRICS.md";
  if (std::getenv("POSTRIDER_WRITE_METRICS") != nullptr) std::ofstream(path) << MetricsDocument();
  std::ifstream file(path);
  const std::string kept((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(kept, MetricsDocument()) << "run scripts/metrics";
}

}  // namespace
}  // namespace postrider::monitor
