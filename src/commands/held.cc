// postrider held, pause, resume: orders to the running relay, through its control socket.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "base/fault.h"
#include "base/text.h"
#include "commands/commands.h"
#include "commands/start.h"
#include "control/client.h"

namespace postrider::commands {
namespace {

int Order(const cli::Arguments& arguments, const std::string& line) {
  const auto loaded = config::Load(SourcesOf(arguments));
  if (!loaded.ok()) return Refuse(loaded.status());
  const std::string& socket = loaded->config.control.socket;
  if (socket.empty()) return Refuse(MakeFault(Fault::kConfiguration, "set postrider.control.socket: there is none"));
  const auto answer = control::Send(socket, line);
  if (!answer.ok()) return Refuse(answer.status());
  std::cout << *answer << std::flush;
  return 0;
}

int Usage(std::string_view what) {
  return Refuse(MakeFault(Fault::kConfiguration, std::string(what) + "; see postrider held --help"));
}

}  // namespace

int Held(const cli::Arguments& arguments) {
  static const std::vector<std::string> kWithId = {"show", "park", "skip", "release"};
  cli::Arguments rest = arguments;
  const std::string verb = rest.files.front();
  rest.files.erase(rest.files.begin());
  std::string line = verb;
  if (std::ranges::find(kWithId, verb) != kWithId.end()) {
    if (rest.files.empty()) return Usage("held " + verb + " needs an event's id");
    line += " " + rest.files.front();
    rest.files.erase(rest.files.begin());
  } else if (verb == "list") {
    if (rest.Has("--json")) line = "list-json";
  } else if (verb != "retry") {
    return Usage("held takes list, show ID, retry, park ID, skip ID or release ID, not \"" + verb + "\"");
  }
  if (verb == "skip" && !rest.Has("--yes"))
    return Usage("held skip gives an event up for good: say --yes if that is what you want");
  if (rest.files.empty()) return Usage("no configuration file given");
  return Order(rest, line);
}

int Pause(const cli::Arguments& arguments) {
  return Order(arguments, "pause");
}

int Resume(const cli::Arguments& arguments) {
  return Order(arguments, "resume");
}

}  // namespace postrider::commands
