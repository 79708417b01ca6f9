#include "monitor/samples.h"

#include <algorithm>

#include "base/check.h"

namespace postrider::monitor {
namespace {

// The last element that is not beyond `bound`, by `key`; the end where there is none.
template <typename Key, typename Bound>
std::deque<Sample>::const_iterator LastUpTo(const std::deque<Sample>& samples, Key key, const Bound& bound) {
  const auto beyond = std::upper_bound(samples.begin(), samples.end(), bound,
                                       [&](const Bound& value, const Sample& sample) { return value < key(sample); });
  return beyond == samples.begin() ? samples.end() : beyond - 1;
}

int64_t TimeOf(const Sample& sample) {
  return sample.us;
}

Lsn PositionOf(const Sample& sample) {
  return sample.current_lsn;
}

}  // namespace

void Samples::Add(const Sample& sample) {
  if (!fine_.empty()) {
    POSTRIDER_CHECK(sample.us >= fine_.back().us);
    if (sample.current_lsn < fine_.back().current_lsn) Reset();
  }
  if (!fine_.empty() && sample.us - fine_.back().us < kSecond / 2) return;
  fine_.push_back(sample);
  while (fine_.front().us < sample.us - kFineUs) {
    if (coarse_.empty() || fine_.front().us - coarse_.back().us >= kCoarseStepUs) coarse_.push_back(fine_.front());
    fine_.pop_front();
  }
  if (coarse_.size() > kCoarseMax) coarse_.pop_front();
}

void Samples::Reset() {
  coarse_.clear();
  fine_.clear();
}

std::optional<Sample> Samples::NewestAtOrBelow(Lsn lsn) const {
  if (const auto found = LastUpTo(fine_, PositionOf, lsn); found != fine_.end()) return *found;
  if (const auto found = LastUpTo(coarse_, PositionOf, lsn); found != coarse_.end()) return *found;
  return std::nullopt;
}

bool Samples::IsUpToDate(Lsn lsn) const {
  if (fine_.empty()) return false;
  return fine_[fine_.size() - std::min<size_t>(fine_.size(), 2)].current_lsn <= lsn;
}

const Sample& Samples::Before(int64_t us) const {
  POSTRIDER_CHECK(!empty());
  if (const auto found = LastUpTo(fine_, TimeOf, us); found != fine_.end()) return *found;
  if (const auto found = LastUpTo(coarse_, TimeOf, us); found != coarse_.end()) return *found;
  return oldest();
}

}  // namespace postrider::monitor
