// The commands and their help texts: one table, from which usage, --help and suggestions come.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace postrider::cli {

struct Command {
  std::string_view name;
  std::string_view summary;  // one line
  std::string_view usage;
  std::string_view text;  // what it does, an example, exit codes
};

const std::vector<Command>& Commands();
const Command* FindCommand(std::string_view name);

std::string HelpText();                        // postrider --help
std::string HelpText(const Command& command);  // postrider COMMAND --help
std::string VersionLine();

}  // namespace postrider::cli
