#include "commands/start.h"

#include <unistd.h>

#include <iostream>
#include <string>
#include <string_view>

#include "base/fault.h"
#include "base/log.h"
#include "base/text.h"
#include "kafka/topic_place.h"

namespace postrider::commands {

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

std::unique_ptr<evidence::Place> EvidencePlace(const config::Config& config) {
  if (config.evidence.topic.empty()) return evidence::MakeFilePlace(config.evidence.file);
  return kafka::MakeTopicPlace(config.producer, config.evidence.topic, config.slot.name);
}

LogLevel LevelOf(const config::Logging& logging) {
  if (logging.level == "debug") return LogLevel::kDebug;
  if (logging.level == "warn") return LogLevel::kWarning;
  if (logging.level == "error") return LogLevel::kError;
  return LogLevel::kInfo;
}

LogSession::LogSession(const config::Logging& logging) {
  StartLog(LevelOf(logging), logging.format == "json" ? LogFormat::kJson : LogFormat::kText, LogTarget::kStdout);
}

LogSession::~LogSession() {
  StopLog();
}

int LogFailure(const absl::Status& status) {
  LogError("failed", {{"exit_code", std::to_string(ExitCodeOf(FaultOf(status)))}}, MessageOf(status));
  return ExitCodeOf(FaultOf(status));
}

}  // namespace postrider::commands
