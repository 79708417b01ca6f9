#include "monitor/forecast.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace postrider::monitor {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr int64_t kSecond = Samples::kSecond;
constexpr int64_t kWindowsUs[] = {30 * kSecond, 120 * kSecond, 600 * kSecond, 3'600 * kSecond, 6 * 3'600 * kSecond};
// An answer may lie this many windows ahead.
constexpr double kWindowsAhead = 8;
// From here on a window is long enough to say that the slot keeps up.
constexpr int64_t kConclusiveUs = 600 * kSecond;
constexpr int64_t kPinnedAfterUs = 10 * kSecond;
constexpr size_t kStepsMax = 5;
constexpr size_t kCheckpointsMax = 4;

double SecondsBetween(const Sample& from, const Sample& to) {
  return static_cast<double>(to.us - from.us) / static_cast<double>(kSecond);
}

double BytesBetween(Lsn from, Lsn to) {
  return to < from ? 0 : static_cast<double>(to.value() - from.value());
}

}  // namespace

std::optional<double> WalRate(const Samples& samples, int64_t window_us) {
  if (samples.empty()) return std::nullopt;
  const Sample& from = samples.Before(samples.newest().us - window_us);
  const double seconds = SecondsBetween(from, samples.newest());
  if (seconds < 0.9) return std::nullopt;
  return BytesBetween(from.current_lsn, samples.newest().current_lsn) / seconds;
}

void Forecast::Reset() {
  steps_.clear();
  checkpoint_us_.reset();
  checkpoints_seen_us_.clear();
}

void Forecast::SeeRestart(const Sample& sample) {
  if (!steps_.empty() && steps_.back().restart_lsn == sample.restart_lsn) return;
  steps_.push_back({sample.us, sample.restart_lsn});
  if (steps_.size() > kStepsMax) steps_.pop_front();
}

void Forecast::SeeCheckpoint(std::optional<int64_t> checkpoint_us, int64_t now_us) {
  if (!checkpoint_us) return;
  // The first look tells of one that was made before; when, is known by another clock only.
  if (checkpoint_us_ && *checkpoint_us != *checkpoint_us_) {
    checkpoints_seen_us_.push_back(now_us);
    if (checkpoints_seen_us_.size() > kCheckpointsMax) checkpoints_seen_us_.pop_front();
  }
  checkpoint_us_ = checkpoint_us;
}

// Nobody reads the slot, or restart_lsn has stood for longer than its steps used to take.
bool Forecast::IsPinned(int64_t now_us, bool active) const {
  if (!active || steps_.empty()) return true;
  int64_t longest_us = 0;
  for (size_t i = 1; i < steps_.size(); ++i) longest_us = std::max(longest_us, steps_[i].us - steps_[i - 1].us);
  return now_us - steps_.back().us > std::max(kPinnedAfterUs, 3 * longest_us);
}

// The loss comes with the first checkpoint after the limit is passed.
double Forecast::UntilCheckpoint(double seconds, int64_t now_us) const {
  if (checkpoints_seen_us_.size() < 2) return seconds;
  const double gap = static_cast<double>(checkpoints_seen_us_.back() - checkpoints_seen_us_.front()) /
                     static_cast<double>(kSecond) / static_cast<double>(checkpoints_seen_us_.size() - 1);
  const double since = static_cast<double>(now_us - checkpoints_seen_us_.back()) / static_cast<double>(kSecond);
  if (gap <= 0 || since > 2 * gap) return seconds;  // they come no more as they did
  return std::ceil((seconds + since) / gap) * gap - since;
}

std::optional<double> Forecast::SecondsToLoss(const Samples& samples, const Situation& situation) {
  if (samples.empty()) return std::nullopt;
  const Sample& now = samples.newest();
  SeeRestart(now);
  SeeCheckpoint(situation.checkpoint_us, now.us);
  if (!situation.safe_bytes || !now.restart_lsn.valid()) return std::nullopt;
  const auto safe = static_cast<double>(std::max<int64_t>(*situation.safe_bytes, 0));
  const bool pinned = IsPinned(now.us, situation.active);
  if (safe == 0 && pinned) return 0;

  std::optional<double> answer;
  for (const int64_t window_us : kWindowsUs) {
    const std::optional<double> rate = WalRate(samples, window_us);
    if (!rate) return std::nullopt;
    const Sample& from = samples.Before(now.us - window_us);
    double growth = *rate;
    if (!pinned && from.restart_lsn.valid())
      growth -= BytesBetween(from.restart_lsn, now.restart_lsn) / SecondsBetween(from, now);
    answer = growth > 0 ? UntilCheckpoint(safe / growth, now.us) : kNever;
    const double window_s = static_cast<double>(window_us) / static_cast<double>(kSecond);
    if (*answer <= kWindowsAhead * window_s) break;
    if (*answer == kNever && window_us >= kConclusiveUs) break;
    if (from.us > now.us - window_us) break;  // longer windows see no more than this one
  }
  return answer;
}

}  // namespace postrider::monitor
