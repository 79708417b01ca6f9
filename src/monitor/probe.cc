#include "monitor/probe.h"

#include <httplib.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "monitor/http_server.h"

namespace postrider::monitor {
namespace {

constexpr int kTimeoutS = 3;

}  // namespace

Probe AskHealth(const std::string& address, const std::string& path) {
  auto [host, port] = SplitAddress(address);
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "::") host = "::1";
  httplib::Client client(host, port);
  client.set_connection_timeout(kTimeoutS);
  client.set_read_timeout(kTimeoutS);
  client.set_write_timeout(kTimeoutS);
  const httplib::Result result = client.Get(path);
  if (!result) return {.line = absl::StrCat("no answer from ", address, ": ", httplib::to_string(result.error()))};
  return {.good = result->status == 200, .line = std::string(absl::StripSuffix(result->body, "\n"))};
}

}  // namespace postrider::monitor
