#include "base/nearest_name.h"

#include <algorithm>
#include <cstddef>

namespace postrider {
namespace {

constexpr size_t kNameMax = 200;  // longer ones are no typing errors

size_t EditDistance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: the swap of neighbours looks two rows back.
  std::vector<size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string_view NearestName(std::string_view name, const std::vector<std::string_view>& known) {
  std::string_view nearest;
  size_t best = std::max<size_t>(1, name.size() / 3) + 1;
  if (name.size() > kNameMax) return nearest;
  for (const std::string_view candidate : known) {
    if (candidate.size() > name.size() + best || name.size() > candidate.size() + best) continue;
    const size_t distance = EditDistance(name, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace postrider
