// Which lines of the log are repeats: of each kind one in kWindow is let through, with the number left out before it.
//
// A kind is any text; at most kKindsMax are remembered, and then the one written longest ago is forgotten (its next
// line is written, too early and without a count). Not thread-safe: guarded by the log's mutex. The time is the
// caller's, any clock that does not go back. Tested by tests/unit/base/repeat_filter_test.cc.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"

namespace postrider {

class RepeatFilter {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kWindow{30};
  static constexpr size_t kKindsMax = 256;

  // nullopt: a repeat, leave it out. Else the number of repeats left out since the last one that was written.
  std::optional<uint64_t> Admit(std::string_view kind, Time now);

 private:
  struct Entry {
    Time written;
    uint64_t left_out = 0;
  };

  void ForgetOldest();

  absl::flat_hash_map<std::string, Entry> entries_;
};

}  // namespace postrider
