// postrider: finds the command. What it does is in commands/; the life of an event begins in relay/relay.h.

#include <signal.h>

#include <iostream>
#include <string>
#include <vector>

#include "base/fault.h"
#include "cli/arguments.h"
#include "cli/help.h"
#include "commands/commands.h"
#include "commands/start.h"

namespace postrider {
namespace {

int Main(const std::vector<std::string>& words) {
  auto arguments = cli::ParseArguments(words);
  if (!arguments.ok()) return commands::Refuse(arguments.status());
  const cli::Command* command = cli::FindCommand(arguments->command);
  if (arguments->help || command == nullptr) {
    std::cout << (command == nullptr ? cli::HelpText() : cli::HelpText(*command));
    return 0;
  }
  if (arguments->files.empty() && command->wants_files) {
    return commands::Refuse(
        MakeFault(Fault::kConfiguration, "no configuration file given: " + std::string(command->usage) +
                                             "; see postrider " + std::string(command->name) + " --help"));
  }
  return commands::FindHandler(command->name)(*arguments);
}

}  // namespace
}  // namespace postrider

int main(int argc, char** argv) {
  // Who started us may ignore it, and then no child could be waited for (config/secret_command.h).
  signal(SIGCHLD, SIG_DFL);
  return postrider::Main(std::vector<std::string>(argv + 1, argv + argc));
}
