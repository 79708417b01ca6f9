#include "postgres/timeline.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/text.h"

namespace postrider::postgres {

Lsn EndOfTimeline(std::string_view history, uint32_t timeline) {
  Lsn end;
  for (const absl::string_view line : absl::StrSplit(View(history), '\n')) {
    const std::vector<absl::string_view> fields = absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
    uint32_t ancestor = 0;
    if (fields.size() < 2 || !absl::SimpleAtoi(fields[0], &ancestor) || ancestor > timeline) continue;
    const absl::StatusOr<Lsn> lsn = Lsn::Parse({fields[1].data(), fields[1].size()});
    if (lsn.ok()) end = *lsn;
  }
  return end;
}

}  // namespace postrider::postgres
