// The log: events with stable names, through spdlog, to standard output (text or JSON; UTC, milliseconds).
//
//   LogInfo("streaming", {{"slot", slot}, {"lsn", lsn.ToString()}}, "streaming from the slot's confirmed position");
//
// `event` is one of a fixed set of names (the same in metrics, page and runbook); fields are key=value; `text` is a
// sentence for a person. No payload and no secret may be given to any of them.
//
// A line that repeats (same level, event and text) is written once in 30 s; the next one carries the number that were
// left out. A field `key` stands for the text where the text itself varies (librdkafka's lines), a field `state` makes
// each state a line of its own. Thread-safe. Writing never blocks the caller: a bounded queue, the oldest line dropped
// when full. Tested by tests/unit/base/log_test.cc; the form of a line is in base/log_line.h.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace postrider {

enum class LogLevel { kDebug, kInfo, kWarning, kError };
enum class LogFormat { kText, kJson };
// Commands whose output goes to stdout write their log to stderr.
enum class LogTarget { kStdout, kStderr };

struct LogField {
  std::string_view key;
  std::string value;
};

// Starts the log. Until then, and after StopLog, lines are dropped.
void StartLog(LogLevel level, LogFormat format, LogTarget target);
// From now on; a line of a lower level is dropped.
void SetLogLevel(LogLevel level);
// Writes what is queued and ends the writing thread; bounded to a second.
void StopLog();

void Log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields, std::string_view text);

inline void LogInfo(std::string_view event, std::initializer_list<LogField> fields, std::string_view text) {
  Log(LogLevel::kInfo, event, fields, text);
}
inline void LogWarning(std::string_view event, std::initializer_list<LogField> fields, std::string_view text) {
  Log(LogLevel::kWarning, event, fields, text);
}
inline void LogError(std::string_view event, std::initializer_list<LogField> fields, std::string_view text) {
  Log(LogLevel::kError, event, fields, text);
}

}  // namespace postrider
