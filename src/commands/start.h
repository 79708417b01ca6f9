// What every command that reads a configuration does first. Main thread, before any other.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "base/log.h"
#include "cli/arguments.h"
#include "config/load.h"
#include "evidence/place.h"

namespace postrider::commands {

// One line on standard error; the fault's exit code.
int Refuse(const absl::Status& status);

// The files, --set and the environment of this process.
config::Sources SourcesOf(const cli::Arguments& arguments);

// Where the evidence record of this slot is kept: the file, or the topic.
std::unique_ptr<evidence::Place> EvidencePlace(const config::Config& config);

LogLevel LevelOf(const config::Logging& logging);

// The log of a command that goes on (`run`, `monitor`); ended whichever way the command ends.
class LogSession {
 public:
  explicit LogSession(const config::Logging& logging);
  ~LogSession();
  LogSession(const LogSession&) = delete;
  LogSession& operator=(const LogSession&) = delete;
};

// The one ERROR line of a lasting fault; its exit code.
int LogFailure(const absl::Status& status);

}  // namespace postrider::commands
