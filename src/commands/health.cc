// postrider health: asks a running `run` or `monitor` how it is, for an image's HEALTHCHECK.
#include <iostream>

#include "base/fault.h"
#include "commands/commands.h"
#include "commands/start.h"
#include "monitor/probe.h"

namespace postrider::commands {

int Health(const cli::Arguments& arguments) {
  if (arguments.Has("--live") == arguments.Has("--ready"))
    return Refuse(MakeFault(Fault::kConfiguration, "health takes one of --live and --ready"));
  const auto loaded = config::Load(SourcesOf(arguments));
  if (!loaded.ok()) return Refuse(loaded.status());
  const std::string& address = loaded->config.monitor.http_address;
  if (address.empty())
    return Refuse(MakeFault(Fault::kConfiguration, "postrider.http.address is off: there is nobody to ask"));
  const monitor::Probe probe = monitor::AskHealth(address, arguments.Has("--live") ? "/livez" : "/readyz");
  std::cout << probe.line << std::endl;
  return probe.good ? 0 : 1;
}

}  // namespace postrider::commands
