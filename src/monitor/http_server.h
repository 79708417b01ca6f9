// A small HTTP server for pages that are made on request: GET and HEAD, exact paths, nothing that changes anything.
//
// cpp-httplib inside, with limits: kWorkers clients at once (others wait in the kernel's queue), lines of a request of
// 8 kB, no body, a second for each read and write. Pages are made on the workers' threads, at the same time. The end
// waits for requests that run, two seconds at the most. Tested by tests/unit/monitor/http_server_test.cc.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace postrider::monitor {

struct Answer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

class HttpServer {
 public:
  static constexpr int kWorkers = 4;
  using Pages = std::map<std::string, std::function<Answer()>>;  // by path

  // Listens at "host:port" or "[v6]:port" (port 0: any); Unavailable with the reason where it cannot.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const std::string& address, Pages pages);
  ~HttpServer();

  int port() const;

 private:
  struct Listener;
  explicit HttpServer(std::unique_ptr<Listener> listener);

  std::unique_ptr<Listener> listener_;
};

// "host:port" -> its parts, without brackets.
std::pair<std::string, int> SplitAddress(const std::string& address);

}  // namespace postrider::monitor
