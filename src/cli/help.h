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
  std::string_view text;                // what it does, an example, exit codes
  std::vector<std::string_view> flags;  // options of its own: "--accept-gap"
  bool wants_files = true;              // a configuration is needed
};

const std::vector<Command>& Commands();
const Command* FindCommand(std::string_view name);

std::string HelpText();                        // postrider --help
std::string HelpText(const Command& command);  // postrider COMMAND --help
std::string VersionLine();

// What handback says beside the body that it prints.
struct Handback {
  std::string connector;  // `name`; empty where the configuration has none
  std::string slot;
  std::string lsn;
  std::string record;  // where the evidence record is that was marked ("the file ..."); empty where there is none
};
std::string HandbackAdvice(const Handback& handback);

}  // namespace postrider::cli
