// What the relay tells of itself, and what an operator tells it.
#include "relay/relay.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/text.h"

namespace postrider::relay {

void Relay::TakeOrder() {
  if (parts_.desk == nullptr) return;
  const std::optional<Order> order = parts_.desk->Take();
  if (order) parts_.desk->Answer(Follow(*order));
}

absl::StatusOr<Report> Relay::Follow(const Order& order) {
  absl::Status status;
  std::string_view done;
  switch (order.verb) {
    case Order::Verb::kReport:
      break;
    case Order::Verb::kRetry:
      done = "retry: what is held is tried now";
      if (unsendable_.found() && phase_ == Phase::kBackoff) {
        backoff_until_us_ = now_us_;
      } else {
        status = publisher_.Retry();
      }
      break;
    case Order::Verb::kPark:
      done = "park: the held event goes to the dead-letter topic";
      status = publisher_.Order(HeldRow::Verdict::kPark, order.word);
      break;
    case Order::Verb::kSkip:
      done = "skip: the held event is not published";
      status = publisher_.Order(HeldRow::Verdict::kSkip, order.word);
      break;
    case Order::Verb::kRelease:
      done = "release: later events of the key are published again";
      status = publisher_.ReleaseKey(order.word);
      break;
    case Order::Verb::kPause:
      done = "pause: nothing is read until resume; what is in flight is waited for and confirmed";
      paused_ = true;
      break;
    case Order::Verb::kResume:
      done = "resume";
      paused_ = false;
      break;
    case Order::Verb::kPolicy:
      publisher_.SetPoison(order.poison);
      break;
  }
  if (!status.ok()) return status;
  if (!done.empty()) {
    LogWarning("operator", {{"slot", config_.slot.name}, {"word", order.word}, {"key", absl::StrCat(++orders_)}}, done);
  }
  Report report{.state = CurrentState(),
                .reason = reason_,
                .paused = paused_,
                .hold = publisher_.hold(),
                .unsendable = unsendable_.found(),
                .blocked_keys = publisher_.parked().blocked_keys(),
                .now_us = now_us_};
  report.parked.assign(publisher_.parked().events().begin(), publisher_.parked().events().end());
  return report;
}

State Relay::CurrentState() {
  if (failure_) return State::kFailed;
  if (stopping_) return State::kDraining;
  if (paused_) {
    reason_ = "paused by the operator";
    return State::kPaused;
  }
  if (unsendable_.found()) {
    reason_ = unsendable_.found()->reason;
    return State::kHeld;
  }
  if (phase_ == Phase::kReading || phase_ == Phase::kFinishingSnapshot) {
    if (publisher_.hold()) {
      reason_ = publisher_.hold()->reason;
      return State::kHeld;
    }
    if (publisher_.stalled(now_us_)) {
      reason_ = "no answer from Kafka for 10 s";
      return State::kStalled;
    }
    return phase_ == Phase::kReading && !source_->is_snapshot() ? State::kStreaming : State::kSnapshot;
  }
  if (standby_) return State::kStandby;
  return backoff_.fresh() ? State::kConnecting : State::kWaiting;
}

void Relay::UpdateState() {
  stats_->inflight_bytes.store(tracker_.outstanding_bytes(), std::memory_order_relaxed);
  stats_->inflight_records.store(tracker_.outstanding_records(), std::memory_order_relaxed);
  stats_->events_held.store(publisher_.hold() || unsendable_.found() ? 1 : 0, std::memory_order_relaxed);
  stats_->received_lsn.store(tracker_.received().value(), std::memory_order_relaxed);
  stats_->confirmed_lsn.store(tracker_.confirmable().value(), std::memory_order_relaxed);
  stats_->reported_lsn.store(confirmer_.reported().value(), std::memory_order_relaxed);
  stats_->oldest_commit_us.store(tracker_.oldest_commit_us(), std::memory_order_relaxed);
  stats_->timeline.store(source_ && identity_ ? identity_->timeline : 0, std::memory_order_relaxed);
  if (phase_ == Phase::kFinished) return;

  const State state = CurrentState();
  const State before = stats_->state.load(std::memory_order_relaxed);
  if (state == before) return;
  const bool goes_on = before == State::kHeld || before == State::kStalled || before == State::kPaused;
  if (goes_on && (state == State::kStreaming || state == State::kSnapshot)) reason_ = "events go on";
  stats_->state.store(state, std::memory_order_relaxed);
  LogInfo("state",
          {{"state", std::string(StateName(state))},
           {"before", std::string(StateName(before))},
           {"slot", config_.slot.name},
           {"lsn", tracker_.confirmable().ToString()}},
          reason_);
}

void Relay::LogRates() {
  const uint64_t acknowledged = stats_->events_acknowledged.load(std::memory_order_relaxed);
  const double seconds = static_cast<double>(now_us_ - rates_logged_us_) / 1e6;
  const uint64_t confirmed = tracker_.confirmable().value();
  const uint64_t server = std::max(confirmer_.server_lsn().value(), confirmed);
  LogInfo("rates",
          {{"events_per_s",
            absl::StrCat(static_cast<int64_t>(static_cast<double>(acknowledged - rates_acknowledged_) / seconds))},
           {"acknowledged", absl::StrCat(acknowledged)},
           {"inflight_records", absl::StrCat(tracker_.outstanding_records())},
           {"inflight_bytes", absl::StrCat(tracker_.outstanding_bytes())},
           {"unconfirmed_bytes", absl::StrCat(server - confirmed)},
           {"lsn", tracker_.confirmable().ToString()}},
          StateName(stats_->state.load(std::memory_order_relaxed)));
  rates_logged_us_ = now_us_;
  rates_acknowledged_ = acknowledged;
}

}  // namespace postrider::relay
