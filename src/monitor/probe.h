// Asks a running process for its health, as `postrider health` does. Blocking, three seconds at the most. Tested by
// tests/unit/monitor/http_server_test.cc.
#pragma once

#include <string>

namespace postrider::monitor {

struct Probe {
  bool good = false;
  std::string line;  // what it said, or why it could not be asked
};

// `address` as postrider.http.address, `path` as "/livez". A wildcard host is asked at its loopback address.
Probe AskHealth(const std::string& address, const std::string& path);

}  // namespace postrider::monitor
