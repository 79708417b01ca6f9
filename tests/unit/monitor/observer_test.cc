#include "monitor/observer.h"

#include <gtest/gtest.h>

#include "fake_clock.h"

namespace postrider::monitor {
namespace {

constexpr int64_t kSecond = 1'000'000;

class ObserverTest : public testing::Test {
 protected:
  // What a server says that writes and confirms.
  postgres::SlotReport Report(uint64_t current, uint64_t confirmed) {
    postgres::SlotReport report{.server_version = 150000,
                                .timeline = 1,
                                .server_us = clock_.UnixMillis() * 1000 + server_ahead_us_,
                                .current_lsn = Lsn(current)};
    report.slot = postgres::SlotReading{.name = "orders",
                                        .active = true,
                                        .wal_status = "reserved",
                                        .restart_lsn = Lsn(50),
                                        .confirmed_flush_lsn = Lsn(confirmed),
                                        .retained_bytes = current - 50,
                                        .unconfirmed_bytes = current - confirmed};
    return report;
  }
  void Round(postgres::SlotReport report) {
    clock_.us += kSecond;
    report.server_us += kSecond;
    observer_.Take(report, clock_.us, clock_.us);
  }

  FakeClock clock_;
  relay::Stats stats_;
  int64_t server_ahead_us_ = 0;
  Observer observer_{0, &clock_, &stats_};
};

TEST_F(ObserverTest, BeforeTheFirstRoundNothingIsKnown) {
  const View view = observer_.Look();
  EXPECT_EQ(view.report, nullptr);
  EXPECT_FALSE(view.oldest_unpublished_us.has_value());
  EXPECT_FALSE(view.published_until_unix_ms.has_value());
}

TEST_F(ObserverTest, AReadingThatFailedIsAbsentAndNeverRepeated) {
  Round(Report(100, 100));
  ASSERT_NE(observer_.Look().report, nullptr);
  observer_.Miss("the server is away");
  const View view = observer_.Look();
  EXPECT_EQ(view.report, nullptr);
  EXPECT_EQ(view.failure, "the server is away");
  EXPECT_FALSE(view.wal_bytes_per_s || view.loss_forecast_s || view.safe_wal_bytes || view.wal_limit_bytes);
  EXPECT_EQ(view.failed_rounds, 1u);
}

TEST_F(ObserverTest, AReadingThatIsLateIsAbsentToo) {
  Round(Report(100, 100));
  clock_.us += 6 * kSecond;
  EXPECT_EQ(observer_.Look().report, nullptr);
  EXPECT_NE(observer_.Look().failure, "");
}

TEST_F(ObserverTest, AgeAndPublishedUntilFollowTheSlot) {
  for (uint64_t n = 1; n <= 60; ++n) Round(Report(100 * n, 100 * n));
  EXPECT_EQ(observer_.Look().oldest_unpublished_us, 0);
  const int64_t stopped_ms = clock_.UnixMillis();
  for (uint64_t n = 61; n <= 90; ++n) Round(Report(100 * n, 6000));
  EXPECT_EQ(observer_.Look().oldest_unpublished_us, 30 * kSecond);
  EXPECT_EQ(observer_.Look().published_until_unix_ms, stopped_ms);
  clock_.us += kSecond / 2;
  EXPECT_EQ(observer_.Look().oldest_unpublished_us, 30 * kSecond + kSecond / 2) << "at each look, not at each round";
}

TEST_F(ObserverTest, TheRelaysOwnPositionCountsWhereItIsOfThisTimeline) {
  for (uint64_t n = 1; n <= 60; ++n) Round(Report(100 * n, 1000));
  EXPECT_EQ(observer_.Look().oldest_unpublished_us, 50 * kSecond);
  stats_.confirmed_lsn = 6000;
  EXPECT_EQ(observer_.Look().oldest_unpublished_us, 50 * kSecond) << "it has no stream";
  stats_.timeline = 2;
  EXPECT_EQ(observer_.Look().oldest_unpublished_us, 50 * kSecond) << "of another server";
  stats_.timeline = 1;
  EXPECT_EQ(observer_.Look().oldest_unpublished_us, 0);
}

TEST_F(ObserverTest, ATransactionInTheRelaysHandsCountsByItsCommitOnTheServersClock) {
  server_ahead_us_ = 3'600 * kSecond;
  for (uint64_t n = 1; n <= 10; ++n) Round(Report(100 * n, 100 * n));
  stats_.oldest_commit_us = clock_.UnixMillis() * 1000 + server_ahead_us_ - 7 * kSecond;
  EXPECT_EQ(observer_.Look().oldest_unpublished_us, 7 * kSecond);
  EXPECT_EQ(observer_.Look().without_progress_us, 7 * kSecond);
  stats_.last_acknowledged_us = clock_.us - 2 * kSecond;
  EXPECT_EQ(observer_.Look().without_progress_us, 2 * kSecond);
  stats_.oldest_commit_us = 0;
  EXPECT_FALSE(observer_.Look().without_progress_us.has_value());
}

TEST_F(ObserverTest, AnotherTimelineForgetsWhatPositionsMeant) {
  for (uint64_t n = 1; n <= 60; ++n) Round(Report(100 * n, 100 * n));
  postgres::SlotReport promoted = Report(5900, 3000);
  promoted.timeline = 2;
  Round(promoted);
  EXPECT_EQ(observer_.Look().acknowledged_lsn, Lsn(3000));
  EXPECT_NE(observer_.Look().oldest_unpublished_us, 0);
}

TEST_F(ObserverTest, ABudgetStandsInWhereTheServerSetsNoLimit) {
  Observer with_budget(1000, &clock_, nullptr);
  with_budget.Take(Report(650, 650), clock_.us, clock_.us);
  EXPECT_EQ(with_budget.Look().wal_limit_bytes, 1000);
  EXPECT_EQ(with_budget.Look().safe_wal_bytes, 400);
  with_budget.SetBudget(2000);
  with_budget.Take(Report(650, 650), clock_.us, clock_.us);
  EXPECT_EQ(with_budget.Look().safe_wal_bytes, 1400);
  postgres::SlotReport limited = Report(650, 650);
  limited.slot_limit_bytes = 5000;
  limited.slot->safe_wal_bytes = 4000;
  with_budget.Take(limited, clock_.us, clock_.us);
  EXPECT_EQ(with_budget.Look().wal_limit_bytes, 5000) << "the server's own limit is the one that bites";
  EXPECT_EQ(with_budget.Look().safe_wal_bytes, 4000);
}

TEST_F(ObserverTest, ALostSlotIsLostNow) {
  postgres::SlotReport report = Report(100, 100);
  report.slot->wal_status = "lost";
  Round(report);
  EXPECT_EQ(observer_.Look().loss_forecast_s, 0);
}

TEST_F(ObserverTest, AStatusThatTheServerDoesNotTakeOverIsNoticed) {
  stats_.reported_lsn = 500;
  for (int n = 0; n < 20; ++n) Round(Report(1000, 400));
  EXPECT_TRUE(observer_.Look().status_accepted);
  for (int n = 0; n < 20; ++n) Round(Report(1000, 400));
  EXPECT_FALSE(observer_.Look().status_accepted);
  Round(Report(1000, 500));
  EXPECT_TRUE(observer_.Look().status_accepted);
}

TEST_F(ObserverTest, ThePastHasAPointInTenSecondsForAnHour) {
  for (uint64_t n = 1; n <= 4000; ++n) Round(Report(100 * n, 100 * n));
  EXPECT_EQ(observer_.history().points().size(), History::kPointsMax);
  EXPECT_EQ(observer_.history().points().back().unix_ms - observer_.history().points().front().unix_ms, 3'590'000);
  EXPECT_EQ(observer_.history().points().back().unconfirmed_bytes, 0);
}

}  // namespace
}  // namespace postrider::monitor
