#include "monitor/http_server.h"

#include <httplib.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace postrider::monitor {
namespace {

constexpr size_t kRequestsPerConnection = 20;
constexpr int kStartsWithinMs = 1000;

// Not the library's own, which lets two processes listen at the same port.
void SetOptions(socket_t socket) {
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

void Respond(const Answer& answer, httplib::Response& response) {
  response.status = answer.status;
  response.set_header("Cache-Control", "no-store");
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_content(answer.body, answer.content_type);
}

httplib::Server::HandlerResponse Route(const HttpServer::Pages& pages, const httplib::Request& request,
                                       httplib::Response& response) {
  const auto page = pages.find(request.path);
  if (request.method != "GET" && request.method != "HEAD") {
    response.set_header("Allow", "GET, HEAD");
    Respond({.status = 405, .body = "GET and HEAD only\n"}, response);
  } else if (page == pages.end()) {
    Respond({.status = 404, .body = "there is no such page\n"}, response);
  } else {
    Respond(page->second(), response);
  }
  return httplib::Server::HandlerResponse::Handled;
}

}  // namespace

struct HttpServer::Listener {
  Pages pages;
  httplib::Server server;
  int port = 0;
  std::thread thread;
};

std::pair<std::string, int> SplitAddress(const std::string& address) {
  const size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  int port = 0;
  if (!absl::SimpleAtoi(address.substr(colon + 1), &port)) port = 0;
  return {host, port};
}

HttpServer::HttpServer(std::unique_ptr<Listener> listener) : listener_(std::move(listener)) {}

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const std::string& address, Pages pages) {
  auto listener = std::make_unique<Listener>();
  listener->pages = std::move(pages);
  httplib::Server& server = listener->server;
  server.new_task_queue = [] { return new httplib::ThreadPool(kWorkers); };
  server.set_socket_options(SetOptions);
  server.set_keep_alive_max_count(kRequestsPerConnection);
  server.set_keep_alive_timeout(1);
  server.set_read_timeout(1);
  server.set_write_timeout(1);
  server.set_payload_max_length(1024);
  server.set_pre_routing_handler(
      [&pages = listener->pages](const httplib::Request& request, httplib::Response& response) {
        return Route(pages, request, response);
      });
  const auto [host, port] = SplitAddress(address);
  errno = 0;
  if (port == 0) {
    listener->port = server.bind_to_any_port(host);
  } else {
    listener->port = server.bind_to_port(host, port) ? port : -1;
  }
  if (listener->port < 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen at ", address, ": ", errno == 0 ? "no such host" : std::strerror(errno)));
  }
  listener->thread = std::thread([&server] { server.listen_after_bind(); });
  // A server that does not run yet cannot be stopped.
  for (int waited_ms = 0; !server.is_running() && waited_ms < kStartsWithinMs; ++waited_ms)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(listener)));
}

HttpServer::~HttpServer() {
  listener_->server.stop();
  listener_->thread.join();
}

int HttpServer::port() const {
  return listener_->port;
}

}  // namespace postrider::monitor
