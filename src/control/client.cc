#include "control/client.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/text.h"
#include "control/address.h"

namespace postrider::control {
namespace {

constexpr timeval kTimeout = {.tv_sec = 10, .tv_usec = 0};
constexpr size_t kAnswerMax = 64 * 1024 * 1024;

}  // namespace

absl::StatusOr<std::string> Send(const std::string& path, std::string_view line) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const absl::Cleanup closes = [fd] { close(fd); };
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &kTimeout, sizeof kTimeout);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &kTimeout, sizeof kTimeout);
  const sockaddr_un address = AddressOf(path);
  if (connect(fd, Raw(address), sizeof address) != 0) {
    return absl::UnavailableError(absl::StrCat("no relay listens at ", path, " (", std::strerror(errno),
                                               "): is it running, on this host, with this configuration?"));
  }
  const std::string request = absl::StrCat(View(line), "\n");
  if (send(fd, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size()))
    return absl::UnavailableError(absl::StrCat("the relay at ", path, " does not listen"));
  std::string answer;
  char buffer[16 * 1024];
  ssize_t size = 0;
  while ((size = recv(fd, buffer, sizeof buffer, 0)) > 0 && answer.size() < kAnswerMax)
    answer.append(buffer, static_cast<size_t>(size));
  absl::string_view text = answer;
  if (absl::ConsumePrefix(&text, "ok\n")) return std::string(text);
  if (absl::ConsumePrefix(&text, "error\n")) return absl::FailedPreconditionError(absl::StripSuffix(text, "\n"));
  return absl::UnavailableError(absl::StrCat("the relay at ", path, " did not answer in time"));
}

}  // namespace postrider::control
