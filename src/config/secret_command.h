// A secret that a command prints: postrider.database.password.command.
//
// For tokens of minutes (cloud IAM, Vault). `/bin/sh -c COMMAND` runs with this process's environment, nothing on
// standard input, no other descriptor of ours, in a process group of its own. What it prints on standard output, less
// the line ends behind it, is the secret. Its standard error goes nowhere: it may hold one. At the deadline, or above
// the limit of bytes, the whole group is killed; the shell is always waited for, but for a process that ends meanwhile.
// Errors never hold the command, which may hold a secret itself, nor anything that it printed.
//
// Blocks until the shell has ended: never on the loop's thread. Any thread; SIGCHLD must not be ignored (main.cc).
// Tested by tests/unit/config/secret_command_test.cc.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace postrider::config {

struct SecretCommandLimits {
  std::chrono::milliseconds deadline{10'000};
  size_t output_bytes_max = 64 * 1024;
};

// "ended with exit status 3", "did not end within 10 s", "printed nothing", ...: to follow the name of the key.
absl::StatusOr<std::string> RunSecretCommand(const std::string& command, const SecretCommandLimits& limits = {});

}  // namespace postrider::config
