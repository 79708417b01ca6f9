#include "monitor/forecast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace postrider::monitor {
namespace {

constexpr int64_t kSecond = Samples::kSecond;
constexpr int64_t kMegabyte = 1024 * 1024;

// A server second by second: it writes, its slot may be moved on, checkpoints take the slot when it is too far behind.
class Server {
 public:
  explicit Server(int64_t limit_bytes, int64_t segment_bytes = kMegabyte)
      : limit_(limit_bytes), segment_(segment_bytes) {}

  void Second(int64_t wal_bytes) {
    ++second_;
    lsn_ += wal_bytes;
    if (move_every_s > 0 && second_ % move_every_s == 0) restart_ = lsn_;
    if (checkpoint_every_s > 0 && second_ % checkpoint_every_s == 0) {
      checkpoint_us_ = second_ * kSecond;
      lost = lost || lsn_ / segment_ - restart_ / segment_ > limit_ / segment_;
    }
    samples.Add({.us = second_ * kSecond,
                 .current_lsn = Lsn(static_cast<uint64_t>(lsn_)),
                 .restart_lsn = Lsn(static_cast<uint64_t>(restart_))});
    seconds_to_loss =
        forecast_.SecondsToLoss(samples, {.active = active, .safe_bytes = Safe(), .checkpoint_us = checkpoint_us_});
  }
  void Seconds(int count, int64_t wal_bytes) {
    for (int i = 0; i < count; ++i) Second(wal_bytes);
  }
  int64_t second() const { return second_; }
  // As pg_get_replication_slots counts it.
  int64_t Safe() const { return (restart_ / segment_ + limit_ / segment_ + 1) * segment_ - lsn_; }

  bool active = false;
  int move_every_s = 0;
  int checkpoint_every_s = 0;
  bool lost = false;
  Samples samples;
  std::optional<double> seconds_to_loss;

 private:
  const int64_t limit_, segment_;
  int64_t second_ = 0;
  int64_t lsn_ = 10 * kMegabyte, restart_ = 10 * kMegabyte;
  std::optional<int64_t> checkpoint_us_;
  Forecast forecast_;
};

TEST(Forecast, IsUnknownAtTheFirstSampleAndWithoutALimit) {
  Server server(256 * kMegabyte);
  server.Second(kMegabyte);
  EXPECT_FALSE(server.seconds_to_loss.has_value());
  Forecast forecast;
  EXPECT_FALSE(forecast.SecondsToLoss(server.samples, {}).has_value());
}

TEST(Forecast, FromHalfOfTheLimitOnItIsWithinAQuarterOfTheTruth) {
  Server server(256 * kMegabyte);
  server.checkpoint_every_s = 2;
  server.Seconds(60, 1000);
  std::vector<std::pair<int64_t, double>> said;
  while (!server.lost) {
    server.Second(4 * kMegabyte);
    if (server.Safe() > 0 && server.Safe() <= 128 * kMegabyte)
      said.emplace_back(server.second(), server.seconds_to_loss.value_or(-1));
  }
  ASSERT_GT(said.size(), 20u);
  for (const auto& [second, forecast] : said) {
    const auto truth = static_cast<double>(server.second() - second);
    EXPECT_NEAR(forecast, truth, std::max(0.25 * truth, 2.0)) << "at second " << second;
  }
}

TEST(Forecast, WithLargeSegmentsToo) {
  Server server(1024 * kMegabyte, 64 * kMegabyte);
  server.checkpoint_every_s = 5;
  std::vector<std::pair<int64_t, double>> said;
  while (!server.lost) {
    server.Second(10 * kMegabyte);
    if (server.Safe() > 0 && server.Safe() <= 512 * kMegabyte)
      said.emplace_back(server.second(), server.seconds_to_loss.value_or(-1));
  }
  for (const auto& [second, forecast] : said) {
    const auto truth = static_cast<double>(server.second() - second);
    EXPECT_NEAR(forecast, truth, std::max(0.25 * truth, 5.0)) << "at second " << second;
  }
}

TEST(Forecast, ASlotThatKeepsUpIsNeverLost) {
  Server server(64 * 1024 * kMegabyte);
  server.active = true;
  server.move_every_s = 15;
  server.Seconds(1200, 20 * kMegabyte);
  EXPECT_TRUE(std::isinf(*server.seconds_to_loss)) << *server.seconds_to_loss;
}

TEST(Forecast, OfARelayThatDiedIsByTheRateOfTheLogAtOnce) {
  Server server(64 * 1024 * kMegabyte);
  server.active = true;
  server.move_every_s = 15;
  server.Seconds(7200, 20 * kMegabyte);
  server.active = false;
  server.move_every_s = 0;
  server.Seconds(2, 20 * kMegabyte);
  EXPECT_NEAR(*server.seconds_to_loss, 64 * 1024 / 20, 64);
}

TEST(Forecast, ASlotWhoseReaderHangsCountsAsStandingStillWhenItsStepIsOverdue) {
  Server server(64 * 1024 * kMegabyte);
  server.active = true;
  server.move_every_s = 15;
  server.Seconds(7200, 20 * kMegabyte);
  server.move_every_s = 0;
  server.Seconds(60, 20 * kMegabyte);
  EXPECT_NEAR(*server.seconds_to_loss, 64 * 1024 / 20 - 60, 64);
}

TEST(Forecast, ABurstOfAMinuteIsNoAlarmForALimitOfDays) {
  Server server(1024 * 1024 * kMegabyte);
  server.Seconds(6 * 3600, kMegabyte / 4);
  const double before = *server.seconds_to_loss;
  server.Seconds(60, 100 * kMegabyte);
  EXPECT_GT(*server.seconds_to_loss, before / 3);
  EXPECT_GT(*server.seconds_to_loss, 72 * 3600);
}

TEST(Forecast, PastTheLimitItIsNow) {
  Server server(16 * kMegabyte);
  server.Seconds(10, 4 * kMegabyte);
  ASSERT_LT(server.Safe(), 0);
  EXPECT_EQ(server.seconds_to_loss, 0);
}

TEST(Forecast, AServerThatWritesNothingLosesNothing) {
  Server server(16 * kMegabyte);
  server.Seconds(700, 0);
  EXPECT_TRUE(std::isinf(*server.seconds_to_loss));
}

TEST(WalRate, IsThatOfTheWindowOrOfWhatThereIs) {
  Server server(kMegabyte);
  server.Seconds(10, 1000);
  EXPECT_DOUBLE_EQ(*WalRate(server.samples, 60 * kSecond), 1000);
  server.Seconds(30, 5000);
  EXPECT_DOUBLE_EQ(*WalRate(server.samples, 30 * kSecond), 5000);
}

}  // namespace
}  // namespace postrider::monitor
