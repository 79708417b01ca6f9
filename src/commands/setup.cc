// postrider setup: makes what a first start needs and is missing, or prints it.
#include <iostream>
#include <utility>

#include "base/log.h"
#include "base/wakeup.h"
#include "check/report.h"
#include "commands/commands.h"
#include "commands/site.h"
#include "commands/start.h"
#include "kafka/topic_setup.h"
#include "relay/runner.h"

namespace postrider::commands {

int Setup(const cli::Arguments& arguments) {
  const auto loaded = config::Load(SourcesOf(arguments));
  if (!loaded.ok()) return Refuse(loaded.status());
  const config::Config& config = loaded->config;
  const bool print = arguments.Has("--print");
  const Wakeup stop;
  relay::HandleStopSignals(&stop);
  const auto site = LookAtSite(config, stop);
  if (!site.ok()) return Refuse(site.status());
  StartLog(LogLevel::kWarning, LogFormat::kText, LogTarget::kStderr);  // who is waited for while a slot is made
  SetupSteps steps = site->database.SetUp(site->record, site->place, print, &stop);
  for (SetupStep& step : kafka::SetUpTopics(config.producer, site->rules, site->topics, site->cluster, print, &stop))
    steps.push_back(std::move(step));
  std::cout << (print ? check::StepsAsScript(steps) : check::FormatSteps(steps)) << std::flush;
  StopLog();
  return check::ExitCodeOf(steps);
}

}  // namespace postrider::commands
