// The command line: `postrider COMMAND [options] WORD...`, where the words are configuration files for most commands.
//
// --set key=value (as often as needed) and --help are every command's; what else it takes stands in its row of the
// table (cli/help.h). -- ends the options; "-" is standard input. Own code and not absl's flags, because those keep
// only the last of a repeated option. Tested by tests/unit/cli/arguments_test.cc.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace postrider::cli {

struct Arguments {
  std::string command;
  bool help = false;
  std::vector<std::string> files;  // what is no option: files, and for some commands words before
  std::vector<std::pair<std::string, std::string>> overrides;  // --set
  std::vector<std::string> flags;  // the command's own options that were given: "--accept-gap"

  bool Has(std::string_view flag) const;
};

// A fault kConfiguration with one sentence: which word is wrong, and the nearest one that is right.
absl::StatusOr<Arguments> ParseArguments(const std::vector<std::string>& words);

}  // namespace postrider::cli
