#include "relay/recorder.h"

#include <algorithm>

namespace postrider::relay {
namespace {

constexpr int64_t kWriteEveryUs = 100'000;

}  // namespace

void Recorder::Connected(const postgres::ServerIdentity& identity, Lsn start_lsn, int64_t now_us) {
  identity_ = identity;
  wanted_ = start_lsn;
  covered_ = Lsn();
  if (store_ != nullptr) Write(start_lsn, true, now_us);
}

Lsn Recorder::Cover(Lsn confirmable, bool urgent, int64_t now_us) {
  if (store_ == nullptr) return confirmable;
  wanted_ = confirmable;
  if (confirmable > written_ && (urgent || now_us - written_us_ >= kWriteEveryUs)) Write(confirmable, false, now_us);
  // Positions only grow on a connection; what the store says of an earlier one is no news.
  covered_ = std::max(covered_, std::min(store_->covered(), written_));
  return std::min(confirmable, covered_);
}

void Recorder::Write(Lsn lsn, bool anew, int64_t now_us) {
  store_->Write({.system_identifier = identity_.system_identifier,
                 .timeline = identity_.timeline,
                 .slot = slot_,
                 .lsn = lsn,
                 .time_ms = clock_->UnixMillis()},
                anew);
  written_ = lsn;
  written_us_ = now_us;
}

int64_t Recorder::next_deadline_us(int64_t now_us) const {
  if (store_ == nullptr || wanted_ <= written_) return now_us + kWriteEveryUs * 10;
  return written_us_ + kWriteEveryUs;
}

}  // namespace postrider::relay
