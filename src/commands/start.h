// What every command that reads a configuration does first. Main thread, before any other.
#pragma once

#include "absl/status/status.h"
#include "cli/arguments.h"
#include "config/load.h"

namespace postrider::commands {

// One line on standard error; the fault's exit code.
int Refuse(const absl::Status& status);

// The files, --set and the environment of this process.
config::Sources SourcesOf(const cli::Arguments& arguments);

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
