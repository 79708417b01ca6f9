#include "config/secret_command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string_view>
#include <system_error>

#include "absl/cleanup/cleanup.h"
#include "config/text.h"

namespace postrider::config {
namespace {

using Clock = std::chrono::steady_clock;

// How often the shell is looked at while it prints nothing: a pipe that a child of its own holds open tells no end.
constexpr std::chrono::milliseconds kLookEvery{20};

std::string Because(int error) {
  return std::generic_category().message(error);
}

// The pid of the shell, which leads a group of its own; its standard output is `output`.
absl::StatusOr<pid_t> Spawn(const std::string& command, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  const absl::Cleanup destroy = [&] {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  };
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  // Signals that we ignore or block are the command's own affair.
  sigset_t none, ours;
  sigemptyset(&none);
  sigemptyset(&ours);
  sigaddset(&ours, SIGPIPE);
  sigaddset(&ours, SIGHUP);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &ours);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  const char* words[] = {"sh", "-c", command.c_str(), nullptr};
  pid_t pid = 0;
  const int error = posix_spawn(&pid, "/bin/sh", &actions, &attributes, const_cast<char**>(words), environ);
  if (error != 0) return absl::UnavailableError(Cat("cannot be run: ", Because(error)));
  return pid;
}

// The shell and what it prints, until it has been waited for.
class Running {
 public:
  Running(pid_t pid, int output, const SecretCommandLimits& limits)
      : pid_(pid), output_(output), limits_(limits), deadline_(Clock::now() + limits.deadline) {}
  ~Running() {
    if (!status_) Kill();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  absl::StatusOr<std::string> Finish() {
    while (!status_) {
      if (absl::Status status = Look(); !status.ok()) return status;
    }
    // What it wrote last; a child that it left behind may hold the pipe open, and is not waited for.
    if (!Read()) return TooMuch();
    if (WIFSIGNALED(*status_)) return absl::UnavailableError(Cat("was ended by signal ", WTERMSIG(*status_)));
    if (WEXITSTATUS(*status_) != 0)
      return absl::UnavailableError(Cat("ended with exit status ", WEXITSTATUS(*status_)));
    return std::move(text_);
  }

 private:
  absl::Status Look() {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now());
    if (left.count() <= 0) return absl::UnavailableError(Cat("did not end within ", limits_.deadline.count(), " ms"));
    pollfd printed{.fd = at_end_ ? -1 : output_, .events = POLLIN, .revents = 0};
    poll(&printed, 1, static_cast<int>(std::min(left, kLookEvery).count()));
    if (!Read()) return TooMuch();
    int status = 0;
    const pid_t ended = waitpid(pid_, &status, WNOHANG);
    if (ended < 0 && errno != EINTR) {
      status_ = 0;  // nothing is left to wait for
      return absl::InternalError(Cat("cannot be waited for: ", Because(errno)));
    }
    if (ended == pid_) status_ = status;
    return absl::OkStatus();
  }

  // All that is there; false above the limit.
  bool Read() {
    char buffer[4096];
    while (!at_end_ && text_.size() <= limits_.output_bytes_max) {
      const ssize_t got = read(output_, buffer, sizeof buffer);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) break;  // EAGAIN
      if (got == 0) at_end_ = true;
      text_.append(buffer, static_cast<size_t>(got));
    }
    return text_.size() <= limits_.output_bytes_max;
  }

  absl::Status TooMuch() const {
    return absl::InvalidArgumentError(Cat("printed more than ", limits_.output_bytes_max, " bytes"));
  }

  void Kill() {
    kill(-pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  const pid_t pid_;
  const int output_;
  const SecretCommandLimits& limits_;
  const Clock::time_point deadline_;
  std::string text_;
  bool at_end_ = false;
  std::optional<int> status_;  // as waitpid gave it
};

}  // namespace

absl::StatusOr<std::string> RunSecretCommand(const std::string& command, const SecretCommandLimits& limits) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::UnavailableError(Cat("cannot be run: ", Because(errno)));
  const absl::Cleanup close_output = [&] { close(ends[0]); };
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  const absl::StatusOr<pid_t> pid = Spawn(command, ends[1]);
  close(ends[1]);
  if (!pid.ok()) return pid.status();
  absl::StatusOr<std::string> text = Running(*pid, ends[0], limits).Finish();
  if (!text.ok()) return text;
  while (text->ends_with('\n') || text->ends_with('\r')) text->pop_back();
  if (text->empty()) return absl::InvalidArgumentError("printed nothing");
  if (Contains(*text, std::string_view("\0", 1))) return absl::InvalidArgumentError("printed a NUL");
  return text;
}

}  // namespace postrider::config
