#include "control/server.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/text.h"
#include "control/address.h"
#include "control/order.h"

namespace postrider::control {
namespace {

constexpr int kBindEveryMs = 5'000;
constexpr timeval kClientTimeout = {.tv_sec = 2, .tv_usec = 0};
constexpr size_t kLineMax = 4'096;
constexpr std::chrono::seconds kLoopTimeout(5);

std::string ErrorText() {
  return std::strerror(errno);
}

// Nobody listens at what lies there.
bool IsLeftBehind(const std::string& path) {
  struct stat file = {};
  if (lstat(path.c_str(), &file) != 0 || !S_ISSOCK(file.st_mode)) return false;
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = AddressOf(path);
  const bool refused = connect(probe, Raw(address), sizeof address) != 0 && errno == ECONNREFUSED;
  close(probe);
  return refused;
}

std::string ReadLine(int client) {
  std::string line;
  char byte = 0;
  while (line.size() < kLineMax && recv(client, &byte, 1, 0) == 1 && byte != '\n') line.push_back(byte);
  return line;
}

void SendAll(int client, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(client, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    text.remove_prefix(static_cast<size_t>(sent));
  }
}

}  // namespace

Server::Server(std::string path, relay::Desk* desk, const Clock* clock)
    : path_(std::move(path)), desk_(desk), clock_(clock) {}

absl::StatusOr<std::unique_ptr<Server>> Server::Listen(std::string path, relay::Desk* desk, const Clock* clock) {
  std::unique_ptr<Server> server(new Server(std::move(path), desk, clock));
  absl::Status bound = server->Bind();
  if (!bound.ok() && !absl::IsUnavailable(bound)) return bound;
  server->thread_ = std::thread([self = server.get()] { self->Work(); });
  return server;
}

Server::~Server() {
  stop_.Ring();
  if (thread_.joinable()) thread_.join();
  if (socket_ < 0) return;
  unlink(path_.c_str());
  close(socket_);
}

absl::Status Server::Bind() {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return absl::InternalError(ErrorText());
  fchmod(fd, 0600);  // Linux gives the file this mode when it makes it: at no moment has another user a right to it
  const sockaddr_un address = AddressOf(path_);
  int bound = bind(fd, Raw(address), sizeof address);
  if (bound != 0 && errno == EADDRINUSE && IsLeftBehind(path_)) {
    unlink(path_.c_str());
    bound = bind(fd, Raw(address), sizeof address);
  }
  if (bound != 0 || listen(fd, 4) != 0) {
    const bool taken = errno == EADDRINUSE;
    std::string text = absl::StrCat(path_, ": ", ErrorText());
    close(fd);
    return taken ? absl::UnavailableError(text) : absl::FailedPreconditionError(text);
  }
  socket_ = fd;
  listens_ = true;
  return absl::OkStatus();
}

void Server::Work() {
  for (;;) {
    pollfd waits[2] = {{.fd = stop_.fd(), .events = POLLIN, .revents = 0},
                       {.fd = socket_, .events = POLLIN, .revents = 0}};
    const int ready = poll(waits, 2, socket_ < 0 ? kBindEveryMs : -1);
    if (waits[0].revents != 0) return;
    if (ready == 0) {
      if (Bind().ok()) LogInfo("control", {{"socket", path_}}, "the control socket is free now, and taken");
      continue;
    }
    if (ready < 0 || (waits[1].revents & POLLIN) == 0) continue;
    const int client = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    Serve(client);
    close(client);
  }
}

void Server::Serve(int client) {
  setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &kClientTimeout, sizeof kClientTimeout);
  setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &kClientTimeout, sizeof kClientTimeout);
  const absl::StatusOr<Request> request = ParseRequest(ReadLine(client));
  if (!request.ok()) return SendAll(client, absl::StrCat("error\n", View(MessageOf(request.status())), "\n"));
  const absl::StatusOr<relay::Report> report = desk_->Ask(request->order, kLoopTimeout);
  if (!report.ok()) return SendAll(client, absl::StrCat("error\n", View(MessageOf(report.status())), "\n"));
  SendAll(client, absl::StrCat("ok\n", Render(*request, *report, clock_->UnixMillis())));
}

}  // namespace postrider::control
