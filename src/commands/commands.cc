#include "commands/commands.h"

#include <iostream>
#include <string_view>
#include <utility>

#include "cli/help.h"

namespace postrider::commands {

Handler FindHandler(std::string_view name) {
  static constexpr std::pair<std::string_view, Handler> kHandlers[] = {
      {"run", Run},         {"config", Config}, {"handback", Handback}, {"health", Health},   {"held", Held},
      {"monitor", Monitor}, {"pause", Pause},   {"resume", Resume},     {"version", Version}, {"status", Status},
      {"check", Check},     {"setup", Setup},   {"tail", Tail},
  };
  for (const auto& [known, handler] : kHandlers)
    if (known == name) return handler;
  return nullptr;
}

int Version(const cli::Arguments&) {
  std::cout << cli::VersionLine() << "\n";
  return 0;
}

}  // namespace postrider::commands
