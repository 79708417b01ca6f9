#include "relay/desk.h"

#include <utility>

namespace postrider::relay {

absl::StatusOr<Report> Desk::Ask(Order order, std::chrono::milliseconds timeout) {
  const std::lock_guard<std::mutex> turn(turn_);
  std::unique_lock<std::mutex> lock(mutex_);
  order_ = std::move(order);
  answer_.reset();
  ++asked_;
  loop_->Ring();
  if (!answered_.wait_for(lock, timeout, [this] { return answer_.has_value(); })) {
    order_.reset();
    return absl::DeadlineExceededError("the relay does not answer: its loop is busy, or the process is frozen");
  }
  return *std::exchange(answer_, std::nullopt);
}

std::optional<Order> Desk::Take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  taken_ = asked_;
  return std::exchange(order_, std::nullopt);
}

void Desk::Answer(absl::StatusOr<Report> report) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (taken_ != asked_) return;  // who asked has left
  answer_ = std::move(report);
  answered_.notify_all();
}

}  // namespace postrider::relay
