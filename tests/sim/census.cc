#include "sim/census.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace postrider::sim {

uint64_t Census::Rarest(const std::string& group) const {
  uint64_t rarest = std::numeric_limits<uint64_t>::max();
  const auto names = counts_.find(group);
  if (names == counts_.end()) return 0;
  for (const auto& [name, count] : names->second) rarest = std::min(rarest, count);
  return rarest;
}

std::string Census::Table() const {
  std::string table;
  for (const auto& [group, names] : counts_) {
    absl::StrAppend(&table, group, "\n");
    for (const auto& [name, count] : names) absl::StrAppendFormat(&table, "  %-28s %10d\n", name, count);
  }
  return table;
}

}  // namespace postrider::sim
