#include "monitor/status_json.h"

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <chrono>
#include <limits>
#include <thread>

#include "base/wakeup.h"
#include "fake_clock.h"

namespace postrider::monitor {
namespace {

class StatusJsonTest : public testing::Test {
 protected:
  rapidjson::Document Read(const View& view, const std::vector<HistoryPoint>& past = {}) {
    rapidjson::Document document;
    document.Parse(StatusJson(sources_, view, past).c_str());
    EXPECT_TRUE(document.IsObject());
    return document;
  }
  FakeClock clock_;
  relay::Stats stats_;
  Sources sources_{.slot = "orders", .clock = &clock_, .stats = &stats_};
};

TEST_F(StatusJsonTest, SaysRoleStateAndReasonThoughNothingIsKnown) {
  stats_.state = relay::State::kHeld;
  stats_.timeline = 1;
  stats_.reason.Set("no such topic");
  const auto status = Read(View{});
  EXPECT_STREQ(status["role"].GetString(), "leader");
  EXPECT_STREQ(status["state"].GetString(), "held");
  EXPECT_STREQ(status["reason"].GetString(), "no such topic");
  EXPECT_FALSE(status["ready"].GetBool());
  EXPECT_FALSE(status["watcher"]["up"].GetBool());
  EXPECT_FALSE(status["slot"].HasMember("present"));
  EXPECT_FALSE(status["publication"].HasMember("oldest_unpublished_ms"));
}

TEST_F(StatusJsonTest, HasTheSlotItsNeighboursAndTheTransactionThatPinsIt) {
  postgres::SlotReport report{.server_version = 150004, .timeline = 1, .current_lsn = Lsn(0x1600000010)};
  report.slot = postgres::SlotReading{.name = "orders",
                                      .active = true,
                                      .active_pid = 77,
                                      .wal_status = "reserved",
                                      .confirmed_flush_lsn = Lsn(0x1600000001),
                                      .retained_bytes = 900};
  report.others.push_back({.name = "other", .retained_bytes = 5});
  report.oldest = postgres::OldestTransaction{.pid = 12, .database = "shop", .age_us = 9'000'000};
  View view;
  view.report = std::make_shared<const postgres::SlotReport>(report);
  view.loss_forecast_s = std::numeric_limits<double>::infinity();
  view.oldest_unpublished_us = 2'500'000;
  const auto status = Read(view);
  EXPECT_EQ(status["slot"]["retained_bytes"].GetInt64(), 900);
  EXPECT_EQ(status["slot"]["active_pid"].GetInt(), 77);
  EXPECT_STREQ(status["slot"]["confirmed_flush_lsn"].GetString(), "16/1");
  EXPECT_FALSE(status["slot"].HasMember("loss_forecast_s")) << "JSON has no infinity";
  EXPECT_STREQ(status["server"]["version"].GetString(), "15.4");
  EXPECT_EQ(status["oldest_transaction"]["pid"].GetInt(), 12);
  EXPECT_STREQ(status["other_slots"][0]["name"].GetString(), "other");
  EXPECT_EQ(status["publication"]["oldest_unpublished_ms"].GetInt64(), 2500);
}

TEST_F(StatusJsonTest, HasTheTablesAndThePast) {
  stats_.meter.Count(stats_.meter.Find("public.outbox", "orders"), relay::Fate::kRead, 10);
  const auto status = Read(View{}, {{.unix_ms = 5, .retained_bytes = 6}, {.unix_ms = 15}});
  EXPECT_STREQ(status["tables"][0]["topic"].GetString(), "orders");
  EXPECT_EQ(status["tables"][0]["events"]["read"].GetInt(), 1);
  EXPECT_EQ(status["tables"][0]["bytes"]["read"].GetInt(), 10);
  EXPECT_EQ(status["history"].Size(), 2u);
  EXPECT_EQ(status["history"][0]["retained_bytes"].GetInt(), 6);
  EXPECT_FALSE(status["history"][1].HasMember("retained_bytes"));
}

TEST_F(StatusJsonTest, AsksTheRelayWhatItHoldsAndGoesWithoutWhereItDoesNotAnswer) {
  const Wakeup bell;
  relay::Desk desk(&bell);
  sources_.desk = &desk;
  EXPECT_FALSE(Read(View{}).HasMember("held"));
  std::thread loop([&] {
    while (!desk.Take()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    relay::Report report{.now_us = 9'000'000};
    report.hold = relay::Hold{.code = "unknown_topic", .topic = "orders", .since_us = 4'000'000};
    report.parked.push_back({.id = "7", .at_us = 8'000'000});
    desk.Answer(report);
  });
  const auto status = Read(View{});
  loop.join();
  EXPECT_STREQ(status["held"]["code"].GetString(), "unknown_topic");
  EXPECT_EQ(status["held"]["since_ms"].GetInt64(), clock_.UnixMillis() - 5'000);
  EXPECT_STREQ(status["parked"][0]["id"].GetString(), "7");
}

TEST_F(StatusJsonTest, AMonitorHasNoRelay) {
  sources_ = {.slot = "orders", .clock = &clock_};
  const auto status = Read(View{});
  EXPECT_STREQ(status["role"].GetString(), "monitor");
  EXPECT_FALSE(status.HasMember("relay"));
  EXPECT_FALSE(status.HasMember("tables"));
}

}  // namespace
}  // namespace postrider::monitor
