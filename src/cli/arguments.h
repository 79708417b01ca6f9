// The command line: `postrider COMMAND [options] FILE...`.
//
// Options are the same for every command: --set key=value (as often as needed), --help; -- ends them; "-" is standard
// input. --accept-gap is for `run` alone. Own code and not absl's flags, because those keep only the last of a repeated
// option. Tested by tests/unit/cli/arguments_test.cc.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace postrider::cli {

struct Arguments {
  std::string command;
  bool help = false;
  std::vector<std::string> files;
  std::vector<std::pair<std::string, std::string>> overrides;  // --set
  bool accept_gap = false;                                     // --accept-gap
};

// A fault kConfiguration with one sentence: which word is wrong, and the nearest one that is right.
absl::StatusOr<Arguments> ParseArguments(const std::vector<std::string>& words);

}  // namespace postrider::cli
