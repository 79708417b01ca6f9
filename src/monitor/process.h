// What the kernel says of this process, and which build it is. Any thread. Tested by
// tests/unit/monitor/process_test.cc.
#pragma once

#include <optional>
#include <string>

namespace postrider::monitor {

// Absent: /proc does not say.
struct ProcessFacts {
  std::string version;
  std::string librdkafka;
  std::optional<double> started_unix_s;
  std::optional<double> cpu_s;
  std::optional<double> resident_bytes;
  std::optional<double> open_fds;
};

ProcessFacts ReadProcessFacts();

}  // namespace postrider::monitor
