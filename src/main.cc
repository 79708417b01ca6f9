// postrider: commands, signals, exit codes. The life of an event begins in relay/relay.h.

#include <unistd.h>

#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/text.h"
#include "base/wakeup.h"
#include "cli/arguments.h"
#include "cli/help.h"
#include "config/load.h"
#include "config/report.h"
#include "evidence/store.h"
#include "kafka/producer.h"
#include "postgres/connector.h"
#include "postgres/handback.h"
#include "relay/relay.h"
#include "relay/runner.h"
#include "router/router.h"

namespace postrider {
namespace {

int Refuse(const absl::Status& status) {
  std::cerr << "postrider: " << MessageOf(status) << "\n";
  return ExitCodeOf(FaultOf(status));
}

config::Sources SourcesOf(const cli::Arguments& arguments) {
  config::Sources sources{.files = arguments.files, .overrides = arguments.overrides, .environment = {}};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (const size_t equals = text.find('='); equals != std::string_view::npos)
      sources.environment.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return sources;
}

LogLevel LevelOf(const config::Logging& logging) {
  if (logging.level == "debug") return LogLevel::kDebug;
  if (logging.level == "warn") return LogLevel::kWarning;
  if (logging.level == "error") return LogLevel::kError;
  return LogLevel::kInfo;
}

// Ends the log whichever way the command ends.
class LogSession {
 public:
  explicit LogSession(const config::Logging& logging) {
    StartLog(LevelOf(logging), logging.format == "json" ? LogFormat::kJson : LogFormat::kText, LogTarget::kStdout);
  }
  ~LogSession() { StopLog(); }
  LogSession(const LogSession&) = delete;
  LogSession& operator=(const LogSession&) = delete;
};

int LogFailure(const absl::Status& status) {
  LogError("failed", {{"exit_code", std::to_string(ExitCodeOf(FaultOf(status)))}}, MessageOf(status));
  return ExitCodeOf(FaultOf(status));
}

// Null where no record can be kept and none was asked for.
absl::StatusOr<std::shared_ptr<evidence::Store>> OpenEvidence(const config::Evidence& options, const Wakeup* wakeup) {
  auto store = evidence::OpenFileStore(options.file, wakeup);
  if (store.ok()) return std::shared_ptr<evidence::Store>(*std::move(store));
  const std::string why(MessageOf(store.status()));
  if (options.required) return MakeFault(Fault::kConfiguration, "postrider.state.file cannot be kept: " + why);
  LogWarning("evidence_off", {{"file", options.file}},
             "no evidence record is kept, so a slot that is lost looks like a first start: make its folder, or set "
             "postrider.state.file (" +
                 why + ")");
  return std::shared_ptr<evidence::Store>();
}

int RunCommand(const cli::Arguments& arguments) {
  auto loaded = config::Load(SourcesOf(arguments));
  if (!loaded.ok()) return Refuse(loaded.status());
  config::Config& config = loaded->config;
  config.slot.accept_gap = arguments.accept_gap;
  const LogSession log(config.logging);
  LogInfo("starting", {{"slot", config.slot.name}, {"publication", config.publication.name}}, cli::VersionLine());
  for (const std::string& warning : loaded->warnings) LogWarning("configuration", {}, warning);

  const Wakeup wakeup;
  relay::HandleStopSignals(&wakeup);
  auto router = router::Router::Make(config);
  if (!router.ok()) return LogFailure(router.status());
  const auto producers = kafka::MakeProducerFactory(config.producer, &wakeup);
  auto evidence = OpenEvidence(config.evidence, &wakeup);
  if (!evidence.ok()) return LogFailure(evidence.status());
  const auto connector = postgres::MakeConnector(config, &wakeup, *evidence);
  relay::Stats stats;
  relay::Relay relay(config,
                     relay::Parts{.connector = connector.get(),
                                  .producers = producers.get(),
                                  .router = router->get(),
                                  .evidence = evidence->get(),
                                  .clock = &SystemClock()},
                     &stats);
  if (absl::Status status = relay.Start(); !status.ok()) return LogFailure(status);
  return relay::Run(relay, wakeup, SystemClock());
}

int HandbackCommand(const cli::Arguments& arguments) {
  const auto loaded = config::Load(SourcesOf(arguments));
  if (!loaded.ok()) return Refuse(loaded.status());
  const config::Config& config = loaded->config;
  const auto slot = postgres::SlotToHandBack(config);
  if (!slot.ok()) return Refuse(slot.status());
  const auto marked = evidence::MarkHandedBack(config.evidence.file);
  if (!marked.ok()) {
    return Refuse(
        MakeFault(Fault::kConfiguration, "the evidence record " + config.evidence.file +
                                             " cannot be marked: " + std::string(MessageOf(marked.status()))));
  }
  std::cout << postgres::OffsetsBody(config.topic_prefix, *slot, SystemClock().UnixMillis() * 1000) << std::endl;
  std::cerr << cli::HandbackAdvice({.connector = config.name,
                                    .slot = config.slot.name,
                                    .lsn = slot->confirmed_lsn.ToString(),
                                    .record = *marked ? config.evidence.file : ""});
  return 0;
}

int ConfigCommand(const cli::Arguments& arguments) {
  const config::Inspection inspection = config::Inspect(SourcesOf(arguments));
  std::cout << config::FormatReport(inspection) << std::flush;
  return inspection.status.ok() ? 0 : Refuse(inspection.status);
}

int Main(const std::vector<std::string>& words) {
  auto arguments = cli::ParseArguments(words);
  if (!arguments.ok()) return Refuse(arguments.status());
  const cli::Command* command = cli::FindCommand(arguments->command);
  if (arguments->help || command == nullptr) {
    std::cout << (command == nullptr ? cli::HelpText() : cli::HelpText(*command));
    return 0;
  }
  if (command->name == "version") {
    std::cout << cli::VersionLine() << "\n";
    return 0;
  }
  if (arguments->files.empty()) {
    return Refuse(MakeFault(Fault::kConfiguration, "no configuration file given: " + std::string(command->usage) +
                                                       "; see postrider " + std::string(command->name) + " --help"));
  }
  if (command->name == "handback") return HandbackCommand(*arguments);
  return command->name == "run" ? RunCommand(*arguments) : ConfigCommand(*arguments);
}

}  // namespace
}  // namespace postrider

int main(int argc, char** argv) {
  return postrider::Main(std::vector<std::string>(argv + 1, argv + argc));
}
