// postrider monitor: the watcher and HTTP alone, while a relay runs or none does.
#include <csignal>

#include "base/clock.h"
#include "base/fault.h"
#include "base/log.h"
#include "cli/help.h"
#include "commands/commands.h"
#include "commands/start.h"
#include "monitor/monitor.h"

namespace postrider::commands {

int Monitor(const cli::Arguments& arguments) {
  const auto loaded = config::Load(SourcesOf(arguments));
  if (!loaded.ok()) return Refuse(loaded.status());
  const config::Config& config = loaded->config;
  if (config.monitor.http_address.empty()) {
    return Refuse(MakeFault(Fault::kConfiguration,
                            "postrider.http.address is off, and a monitor has nothing else to say what it sees by"));
  }
  // Waited for below; blocked before there are threads, which inherit that.
  sigset_t stops;
  sigemptyset(&stops);
  sigaddset(&stops, SIGTERM);
  sigaddset(&stops, SIGINT);
  pthread_sigmask(SIG_BLOCK, &stops, nullptr);

  const LogSession log(config.logging);
  LogInfo("monitoring", {{"slot", config.slot.name}}, cli::VersionLine());
  for (const std::string& warning : loaded->warnings) LogWarning("configuration", {}, warning);
  const auto running = monitor::Monitor::Start(config, &SystemClock(), {}, /*http_required=*/true);
  if (!running.ok()) return LogFailure(running.status());
  int signal = 0;
  sigwait(&stops, &signal);
  LogInfo("stopped", {{"slot", config.slot.name}}, "asked to stop");
  return 0;
}

}  // namespace postrider::commands
