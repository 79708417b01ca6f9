// One line of the log as text or as JSON. Pure functions, any thread. Tested by tests/unit/base/log_line_test.cc.
//
// Text:  2026-11-30T12:00:00.123Z INFO  streaming slot=debezium lsn=0/16B3748 repeated=4 "a sentence"
// JSON:
// {"ts":"2026-11-30T12:00:00.123Z","level":"INFO","event":"streaming","slot":"debezium",...,"repeated":4,"text":"..."}
//
// In text a value is quoted where it would not read as one word, with \" \\ \n \r \t \uXXXX as in JSON. Whatever a
// value holds, the result is one line of valid UTF-8: malformed bytes become U+FFFD, values are cut to
// kLogValueBytesMax.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/log.h"

namespace postrider {

inline constexpr size_t kLogValueBytesMax = 4096;

struct LogLine {
  std::chrono::system_clock::time_point time;
  LogLevel level = LogLevel::kInfo;
  std::string_view event;
  std::initializer_list<LogField> fields;
  uint64_t repeated = 0;  // lines like this one that were left out before it; not written when 0
  std::string_view text;
};

std::string FormatText(const LogLine& line);
std::string FormatJson(const LogLine& line);

}  // namespace postrider
