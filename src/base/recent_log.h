// The last warnings and errors of the log, for people who look at a page and not at the log itself.
//
// Those that were written, so none that only repeats another; kRecentLinesMax of them. Thread-safe. Tested by
// tests/unit/base/log_test.cc.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace postrider {

inline constexpr size_t kRecentLinesMax = 30;

// Oldest first, each one line of JSON (base/log_line.h), whatever form the log has.
std::vector<std::string> RecentTroubles();

}  // namespace postrider
