#include "base/repeat_filter.h"

#include <algorithm>
#include <utility>

namespace postrider {

std::optional<uint64_t> RepeatFilter::Admit(std::string_view kind, Time now) {
  if (entries_.size() >= kKindsMax && !entries_.contains(std::string(kind))) ForgetOldest();
  const auto [it, inserted] = entries_.try_emplace(std::string(kind), Entry{now});
  if (inserted) return 0;
  Entry& entry = it->second;
  if (now - entry.written < kWindow) {
    ++entry.left_out;
    return std::nullopt;
  }
  entry.written = now;
  return std::exchange(entry.left_out, 0);
}

void RepeatFilter::ForgetOldest() {
  entries_.erase(std::min_element(entries_.begin(), entries_.end(), [](const auto& left, const auto& right) {
    return left.second.written < right.second.written;
  }));
}

}  // namespace postrider
