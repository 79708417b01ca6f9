#include "sim/census.h"

#include <cstdlib>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace postrider::sim {

void Census::Add(const Census& other) {
  for (const auto& [group, names] : other.counts_)
    for (const auto& [name, count] : names) Count(group, name, count);
}

std::string Census::RarerThan(uint64_t least) const {
  std::string rare;
  for (const auto& [group, names] : counts_) {
    if (group == "exits") continue;  // what they are to be is judged at each
    for (const auto& [name, count] : names) {
      if (count >= least) continue;
      absl::StrAppend(&rare, rare.empty() ? "less often than " : ", ",
                      rare.empty() ? absl::StrCat(least, " times: ") : "", name, " (", group, ", ", count, ")");
    }
  }
  return rare;
}

std::string Census::Table() const {
  std::string table;
  for (const auto& [group, names] : counts_) {
    absl::StrAppend(&table, group, "\n");
    for (const auto& [name, count] : names) absl::StrAppendFormat(&table, "  %-28s %10d\n", name, count);
  }
  return table;
}

std::string Census::Lines() const {
  std::string lines;
  for (const auto& [group, names] : counts_)
    for (const auto& [name, count] : names) absl::StrAppend(&lines, group, "\t", name, "\t", count, "\n");
  return lines;
}

Census Census::FromLines(std::string_view lines) {
  Census census;
  const std::string text(lines);
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(text, '\n', absl::SkipEmpty()))) {
    const std::vector<std::string> fields = absl::StrSplit(line, '\t');
    if (fields.size() == 3) census.Count(fields[0], fields[1], std::strtoull(fields[2].c_str(), nullptr, 10));
  }
  return census;
}

}  // namespace postrider::sim
