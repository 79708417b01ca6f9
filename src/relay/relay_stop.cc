// How the relay ends: asked to stop, or by a lasting fault.
#include "relay/relay.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/text.h"

namespace postrider::relay {
namespace {

constexpr int64_t kClosingUs = 1'000'000;       // for the server's answer to the last status
constexpr int64_t kFailureDrainUs = 6'000'000;  // a lasting fault: what is in flight may still be confirmed

}  // namespace

void Relay::RequestStop() {
  if (stopping_) return;
  stopping_ = true;
  stop_deadline_us_ = parts_.clock->MonotonicMicros() + config_.relay.drain_timeout_ms * 1000;
  reason_ = "asked to stop";
}

void Relay::StepDraining() {
  reads_ = false;
  if (publisher_.rewind_wanted()) stop_deadline_us_ = now_us_;
  if (server_stopping_us_ != 0) stop_deadline_us_ = std::min(stop_deadline_us_, ServerStopDeadline());
  const Lsn recorded = recorder_.Cover(tracker_.confirmable(), true, now_us_);
  const bool done = tracker_.outstanding_records() == 0 && recorded >= tracker_.confirmable();
  const bool waits = !done && now_us_ < stop_deadline_us_;
  if (source_->is_snapshot()) {
    // Whatever was sent of a snapshot is sent again: the slot that would remember it does not exist yet.
    if (!waits) Finish();
    return;
  }
  absl::Status status = waits ? confirmer_.Step(*source_, tracker_.received(), recorded, false, now_us_)
                              : confirmer_.SendFinal(*source_, tracker_.received(), recorded, now_us_);
  if (status.ok()) status = source_->Flush();
  if (!status.ok()) return Finish();
  if (waits) return;
  answered_ = false;
  reads_ = true;
  phase_ = Phase::kClosing;
  closing_deadline_us_ = now_us_ + kClosingUs;
}

// The server's answer proves that it has read the last status. Whatever else it sends is discarded and will come again.
void Relay::StepClosing() {
  for (;;) {
    if (now_us_ >= closing_deadline_us_ || !source_->Flush().ok()) return Finish();
    auto message = source_->Next();
    if (!message.ok()) return Finish();
    if (!message->has_value()) return;
    const auto* keepalive = std::get_if<postgres::Keepalive>(&**message);
    answered_ = keepalive != nullptr && !keepalive->reply_requested && !source_->wants_write();
    if (answered_) return Finish();
    now_us_ = parts_.clock->MonotonicMicros();
  }
}

void Relay::Finish() {
  source_.reset();
  reads_ = false;
  // Acknowledged is not enough: what the server was not told, and what no slot remembers, comes again.
  const bool confirmed =
      tracker_.idle() && !snapshot_open_ && answered_ && confirmer_.reported() >= tracker_.confirmable();
  if (failure_) {
    exit_code_ = ExitCodeOf(FaultOf(*failure_));
  } else {
    exit_code_ = confirmed ? 0 : ExitCodeOf(Fault::kStoppedEarly);
    if (config_.slot.drop_on_stop) {
      absl::Status status = parts_.connector->DropSlot();
      if (!status.ok()) LogError("slot_not_dropped", {{"slot", config_.slot.name}}, MessageOf(status));
    }
    LogInfo("stopped",
            {{"lsn", tracker_.confirmable().ToString()},
             {"unconfirmed_records", absl::StrCat(tracker_.outstanding_records())}},
            confirmed ? "stopped: everything received is confirmed"
                      : "stopped before everything was confirmed: it will be sent again");
  }
  phase_ = Phase::kFinished;
}

void Relay::Fail(const absl::Status& status) {
  if (failure_ || phase_ == Phase::kFinished) return;
  failure_ = status;
  reason_ = std::string(MessageOf(status));
  stats_->state.store(State::kFailed, std::memory_order_relaxed);
  LogError("failed", {{"exit_code", absl::StrCat(ExitCodeOf(FaultOf(status)))}, {"slot", config_.slot.name}},
           MessageOf(status));
  if (!source_ || source_->is_snapshot()) return Finish();
  stopping_ = true;
  stop_deadline_us_ = now_us_ + kFailureDrainUs;
  phase_ = Phase::kDraining;
}

}  // namespace postrider::relay
