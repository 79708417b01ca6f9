#include "monitor/exposition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "fake_clock.h"
#include "monitor/metric_table.h"

namespace postrider::monitor {
namespace {

using testing::HasSubstr;
using testing::Not;

// A view in which everything is known.
View Everything() {
  postgres::SlotReport report{
      .server_version = 170002, .timeline = 1, .server_us = 100'000'000, .current_lsn = Lsn(1000)};
  report.slot = postgres::SlotReading{.name = "orders",
                                      .plugin = "pgoutput",
                                      .active = false,
                                      .wal_status = "lost",
                                      .retained_bytes = 900,
                                      .unconfirmed_bytes = 800,
                                      .safe_wal_bytes = 700,
                                      .catalog_xmin_age = 6,
                                      .inactive_since_us = 40'000'000,
                                      .invalidation_reason = "wal_removed"};
  report.others.push_back({.name = "other", .retained_bytes = 5, .safe_wal_bytes = 4});
  report.decoding = postgres::DecodingCounters{.spilled_bytes = 77};
  report.unpublished_tables = 0;
  report.oldest = postgres::OldestTransaction{.pid = 12, .age_us = 9'000'000};
  View view;
  view.report = std::make_shared<const postgres::SlotReport>(report);
  view.last_success_unix_ms = 1'700'000'000'000;
  view.wal_bytes_per_s = 12;
  view.loss_forecast_s = std::numeric_limits<double>::infinity();
  view.safe_wal_bytes = 700;
  view.wal_limit_bytes = 1600;
  view.oldest_unpublished_us = 2'500'000;
  view.published_until_unix_ms = 1'700'000'000'500;
  view.acknowledged_lsn = Lsn(500);
  return view;
}

class ExpositionTest : public testing::Test {
 protected:
  ExpositionTest() {
    stats_.last_acknowledged_us = 500'000;
    const uint32_t series = stats_.meter.Find("public.outbox", "orders");
    stats_.meter.Count(series, relay::Fate::kAcknowledged, 300);
    stats_.meter.commit_to_ack.Add(3'000);
    kafka_.Put(
        R"({"tx": 7, "brokers": {"b:9092/1": {"name": "b:9092/1", "nodeid": 1, "state": "UP", "rtt": {"p50": 1500}}}})");
  }
  std::string Text(const View& view) { return Exposition(sources_, view); }

  FakeClock clock_;
  relay::Stats stats_;
  kafka::Statistics kafka_;
  Sources sources_{.slot = "orders", .clock = &clock_, .stats = &stats_, .kafka = &kafka_};
};

TEST_F(ExpositionTest, EveryRowOfTheTableIsThereWhenEverythingIsKnown) {
  const std::string text = Text(Everything());
  for (const Metric& metric : MetricTable())
    EXPECT_THAT(text, HasSubstr("# TYPE " + std::string(metric.name) + " ")) << metric.name;
}

TEST_F(ExpositionTest, ValuesHaveTheirLabelsAndUnits) {
  const std::string text = Text(Everything());
  for (const char* line :
       {"postrider_slot_retained_bytes{slot=\"orders\"} 900\n",
        "postrider_slot_loss_forecast_seconds{slot=\"orders\"} +Inf\n",
        "postrider_slot_wal_status{slot=\"orders\",status=\"lost\"} 1\n",
        "postrider_slot_wal_status{slot=\"orders\",status=\"reserved\"} 0\n",
        "postrider_slot_invalidated{slot=\"orders\",reason=\"wal_removed\"} 1\n",
        "postrider_slot_inactive_seconds{slot=\"orders\"} 60\n",
        "postrider_oldest_unpublished_age_seconds{slot=\"orders\"} 2.5\n",
        "postrider_other_slot_retained_bytes{slot=\"orders\",other_slot=\"other\"} 5\n",
        "postrider_oldest_transaction_age_seconds{slot=\"orders\",kind=\"open\"} 9\n",
        "postrider_events_total{slot=\"orders\",table=\"public.outbox\",topic=\"orders\",outcome=\"acknowledged\"} 1\n",
        "postrider_event_bytes_total{slot=\"orders\",table=\"public.outbox\",topic=\"orders\",outcome=\"acknowledged\"}"
        " 300\n",
        "postrider_commit_to_ack_seconds_bucket{slot=\"orders\",le=\"0.0025\"} 0\n",
        "postrider_commit_to_ack_seconds_bucket{slot=\"orders\",le=\"0.005\"} 1\n",
        "postrider_commit_to_ack_seconds_bucket{slot=\"orders\",le=\"+Inf\"} 1\n",
        "postrider_commit_to_ack_seconds_sum{slot=\"orders\"} 0.003\n",
        "postrider_state{slot=\"orders\",state=\"starting\"} 1\n",
        "postrider_kafka_requests_total{slot=\"orders\"} 7\n",
        "postrider_kafka_broker_round_trip_seconds{slot=\"orders\",broker=\"b:9092/1\",percentile=\"50\"} 0.0015\n"})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST_F(ExpositionTest, WhatIsNotKnownIsAbsent) {
  const std::string text = Text(View{});
  for (const char* name :
       {"postrider_slot_", "postrider_oldest_", "postrider_published_", "postrider_wal_bytes", "postrider_other_slot"})
    EXPECT_THAT(text, Not(HasSubstr(name)));
  EXPECT_THAT(text, HasSubstr("postrider_watcher_up{slot=\"orders\"} 0\n"));
}

TEST_F(ExpositionTest, AMissingSlotIsSaidAndHasNoNumbers) {
  View view;
  view.report = std::make_shared<const postgres::SlotReport>();
  EXPECT_THAT(Text(view), HasSubstr("postrider_slot_present{slot=\"orders\"} 0\n"));
  EXPECT_THAT(Text(view), Not(HasSubstr("postrider_slot_active")));
}

TEST_F(ExpositionTest, AMonitorShowsNothingOfARelay) {
  sources_ = {.slot = "orders", .clock = &clock_};
  const std::string text = Text(Everything());
  for (const Metric& metric : MetricTable()) {
    const bool shown = metric.source == MetricSource::kSlot || metric.source == MetricSource::kProcess;
    EXPECT_EQ(text.find("# TYPE " + std::string(metric.name) + " ") != text.npos, shown) << metric.name;
  }
}

}  // namespace
}  // namespace postrider::monitor
