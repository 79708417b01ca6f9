#include "monitor/observer.h"

#include <algorithm>
#include <utility>

namespace postrider::monitor {
namespace {

// A report is one second's; later its numbers say nothing of now.
constexpr int64_t kReportLivesUs = 5'000'000;
constexpr int64_t kRateWindowUs = 60'000'000;
// A confirmed position is seen in the slot within a second; a status that is lost is followed by another.
constexpr int64_t kAcceptedWithinUs = 30'000'000;

void ForgetReadings(View& view) {
  view.report.reset();
  view.wal_bytes_per_s.reset();
  view.loss_forecast_s.reset();
  view.safe_wal_bytes.reset();
  view.wal_limit_bytes.reset();
}

}  // namespace

void Observer::Take(postgres::SlotReport report, int64_t asked_us, int64_t answered_us) {
  ForgetOtherTimelines(report);
  ++view_.rounds;
  view_.failure.clear();
  view_.last_success_unix_ms = clock_->UnixMillis();
  answered_us_ = answered_us;
  server_ahead_us_ = report.server_us - (view_.last_success_unix_ms * 1000 - (answered_us - asked_us) / 2);
  TakeLimit(report);
  // The position was read after the question: it is no younger than that.
  TakePositions(report, asked_us);
  CheckAccepted(report, answered_us);
  view_.report = std::make_shared<const postgres::SlotReport>(std::move(report));
  AddHistory(view_.report.get(), answered_us);
}

void Observer::Miss(std::string why) {
  ++view_.rounds;
  ++view_.failed_rounds;
  view_.failure = std::move(why);
  ForgetReadings(view_);
  AddHistory(nullptr, clock_->MonotonicMicros());
}

// The same position means other events on another timeline.
void Observer::ForgetOtherTimelines(const postgres::SlotReport& report) {
  const bool same = report.timeline == timeline_ && report.in_recovery == in_recovery_;
  const bool rewound = !samples_.empty() && report.current_lsn < samples_.newest().current_lsn;
  if (!same || rewound) {
    samples_.Reset();
    forecast_.Reset();
    acknowledged_lsn_ = Lsn();
    reported_lsn_ = Lsn();
  }
  timeline_ = report.timeline;
  in_recovery_ = report.in_recovery;
}

void Observer::TakeLimit(const postgres::SlotReport& report) {
  view_.wal_limit_bytes = report.slot_limit_bytes;
  view_.safe_wal_bytes.reset();
  if (report.slot) view_.safe_wal_bytes = report.slot->safe_wal_bytes;
  if (report.slot_limit_bytes || wal_budget_bytes_ == 0) return;
  view_.wal_limit_bytes = wal_budget_bytes_;
  if (report.slot && report.slot->retained_bytes)
    view_.safe_wal_bytes = wal_budget_bytes_ - *report.slot->retained_bytes;
}

void Observer::TakePositions(const postgres::SlotReport& report, int64_t now_us) {
  if (report.slot) acknowledged_lsn_ = std::max(acknowledged_lsn_, report.slot->confirmed_flush_lsn);
  samples_.Add(
      {.us = now_us, .current_lsn = report.current_lsn, .restart_lsn = report.slot ? report.slot->restart_lsn : Lsn()});
  view_.wal_bytes_per_s = WalRate(samples_, kRateWindowUs);
  const bool lost = report.slot && report.slot->lost();
  // A budget of our own is counted from now on: no checkpoint has to come.
  const std::optional<double> forecast = forecast_.SecondsToLoss(
      samples_, {.active = report.slot && report.slot->active,
                 .safe_bytes = view_.safe_wal_bytes,
                 .checkpoint_us = report.slot_limit_bytes ? report.checkpoint_us : std::nullopt});
  view_.loss_forecast_s = lost ? std::optional<double>(0) : forecast;
}

void Observer::CheckAccepted(const postgres::SlotReport& report, int64_t now_us) {
  if (stats_ == nullptr || !report.slot) return;
  const Lsn confirmed = report.slot->confirmed_flush_lsn;
  if (!reported_lsn_.valid() || confirmed >= reported_lsn_) {
    reported_lsn_ = Lsn(stats_->reported_lsn.load(std::memory_order_relaxed));
    reported_us_ = now_us;
  }
  view_.status_accepted = confirmed >= reported_lsn_ || now_us - reported_us_ < kAcceptedWithinUs;
}

void Observer::AddHistory(const postgres::SlotReport* report, int64_t now_us) {
  if (!history_.IsDue(now_us)) return;
  HistoryPoint point{.unix_ms = clock_->UnixMillis()};
  if (report != nullptr && report->slot) {
    point.retained_bytes = report->slot->retained_bytes;
    point.unconfirmed_bytes = report->slot->unconfirmed_bytes;
  }
  point.oldest_unpublished_us = AgeOfPublication(samples_, Facts(), now_us).age_us;
  if (stats_ != nullptr) point.events_acknowledged = stats_->events_acknowledged.load(std::memory_order_relaxed);
  history_.Add(point, now_us);
}

// The relay knows of acknowledgements a moment before the slot does; its positions count where they are of the timeline
// that is watched.
Lsn Observer::Acknowledged() const {
  if (stats_ == nullptr) return acknowledged_lsn_;
  const uint32_t timeline = stats_->timeline.load(std::memory_order_relaxed);
  if (timeline == 0 || (timeline_ != 0 && timeline != timeline_)) return acknowledged_lsn_;
  return std::max(acknowledged_lsn_, Lsn(stats_->confirmed_lsn.load(std::memory_order_relaxed)));
}

PublicationFacts Observer::Facts() const {
  PublicationFacts facts{.acknowledged_lsn = Acknowledged()};
  const int64_t commit_us = stats_ == nullptr ? 0 : stats_->oldest_commit_us.load(std::memory_order_relaxed);
  if (commit_us != 0) {
    const int64_t server_now_us = clock_->UnixMillis() * 1000 + server_ahead_us_;
    facts.unacknowledged_us = std::max<int64_t>(0, server_now_us - commit_us);
  }
  return facts;
}

View Observer::Look() const {
  const int64_t now_us = clock_->MonotonicMicros();
  View view = view_;
  if (view.report && now_us - answered_us_ > kReportLivesUs) {
    view.failure = "the server has not answered for 5 s";
    ForgetReadings(view);
  }
  view.acknowledged_lsn = Acknowledged();
  const PublicationFacts facts = Facts();
  if (facts.unacknowledged_us) {
    const int64_t silent_us = now_us - stats_->last_acknowledged_us.load(std::memory_order_relaxed);
    view.without_progress_us = std::min(*facts.unacknowledged_us, silent_us);
  }
  const PublicationAge age = AgeOfPublication(samples_, facts, now_us);
  view.oldest_unpublished_us = age.age_us;
  if (age.published_until_us)
    view.published_until_unix_ms = clock_->UnixMillis() - (now_us - *age.published_until_us) / 1000;
  return view;
}

}  // namespace postrider::monitor
