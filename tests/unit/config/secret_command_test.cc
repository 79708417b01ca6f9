// src/config/secret_command.cc
#include "config/secret_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "scratch.h"

namespace postrider::config {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

std::string ErrorOf(const std::string& command, const SecretCommandLimits& limits = {}) {
  const absl::StatusOr<std::string> printed = RunSecretCommand(command, limits);
  return printed.ok() ? "" : std::string(printed.status().message());
}

bool HasChildren() {
  return waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD;
}

// Gone, or at least killed: a process whose parent has gone is waited for by another one, a little later.
bool EndsSoon(pid_t pid) {
  for (int i = 0; i < 200; ++i) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    if (!std::getline(stat, text) || text.find(") Z") != std::string::npos) return true;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return false;
}

TEST(SecretCommand, GivesWhatIsPrintedWithoutTheLineEndsBehindIt) {
  EXPECT_EQ(*RunSecretCommand("echo token"), "token");
  EXPECT_EQ(*RunSecretCommand("printf ' a\\nb \\r\\n\\n'"), " a\nb ");
  EXPECT_EQ(*RunSecretCommand("printf no-line-end"), "no-line-end");
  EXPECT_FALSE(HasChildren());
}

TEST(SecretCommand, RunsInAShellWithOurEnvironment) {
  setenv("POSTRIDER_TEST_TOKEN", "from-the-environment", 1);
  EXPECT_EQ(*RunSecretCommand("printf '%s' \"$POSTRIDER_TEST_TOKEN\" | tr a-z A-Z"), "FROM-THE-ENVIRONMENT");
  unsetenv("POSTRIDER_TEST_TOKEN");
}

TEST(SecretCommand, NamesTheExitStatusAndNothingThatWasPrinted) {
  EXPECT_EQ(ErrorOf("echo geheim; echo geheim >&2; exit 3"), "ended with exit status 3");
  EXPECT_EQ(ErrorOf("no-such-program-anywhere"), "ended with exit status 127");
  EXPECT_EQ(ErrorOf("kill -TERM $$"), "was ended by signal 15");
  EXPECT_FALSE(HasChildren());
}

TEST(SecretCommand, PrintsNothingOfItsStandardErrorIntoOurs) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(*RunSecretCommand("echo geheim >&2; echo token"), "token");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(SecretCommand, RefusesWhatIsNoSecret) {
  EXPECT_EQ(ErrorOf("true"), "printed nothing");
  EXPECT_EQ(ErrorOf("echo"), "printed nothing");
  EXPECT_EQ(ErrorOf("printf 'a\\000b'"), "printed a NUL");
}

TEST(SecretCommand, TakesAsMuchAsTheLimitAndNoMore) {
  EXPECT_EQ(RunSecretCommand("head -c 65536 /dev/zero | tr '\\0' x")->size(), 65536U);
  EXPECT_EQ(ErrorOf("head -c 65537 /dev/zero | tr '\\0' x"), "printed more than 65536 bytes");
  const Clock::time_point begin = Clock::now();
  EXPECT_EQ(ErrorOf("yes"), "printed more than 65536 bytes");
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5));
  EXPECT_FALSE(HasChildren());
}

TEST(SecretCommand, KillsTheWholeGroupAtTheDeadline) {
  const Scratch scratch;
  const std::string pid_file = scratch.Path("pid");
  const Clock::time_point begin = Clock::now();
  EXPECT_EQ(ErrorOf("trap '' TERM; sleep 1000 & echo $! > " + pid_file + "; wait; sleep 1000",
                    {.deadline = milliseconds(300)}),
            "did not end within 300 ms");
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5));
  EXPECT_FALSE(HasChildren());
  pid_t below = 0;
  std::ifstream(pid_file) >> below;
  ASSERT_GT(below, 0);
  EXPECT_TRUE(EndsSoon(below));
}

TEST(SecretCommand, DoesNotWaitForAChildThatKeepsThePipe) {
  const Clock::time_point begin = Clock::now();
  EXPECT_EQ(*RunSecretCommand("echo token; sleep 3 &"), "token");
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(2));
}

TEST(SecretCommand, GetsNoDescriptorOfOursAndNoSignalOfOurs) {
  const int leaked = dup(STDERR_FILENO);  // not closed at exec by itself
  const auto before = signal(SIGPIPE, SIG_IGN);
  sigset_t blocked, old;
  sigfillset(&blocked);
  pthread_sigmask(SIG_BLOCK, &blocked, &old);
  EXPECT_EQ(*RunSecretCommand("test -e /proc/$$/fd/" + std::to_string(leaked) + " && echo leaked || echo closed"),
            "closed");
  // Not ignored and not blocked: a writer whose reader has gone ends, as everywhere else.
  EXPECT_EQ(ErrorOf("kill -PIPE $$; echo survived"), "was ended by signal 13");
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  signal(SIGPIPE, before);
  close(leaked);
}

TEST(SecretCommand, ManyAtOnceDoNotDisturbEachOther) {
  std::thread threads[4];
  std::string printed[4];
  for (int i = 0; i < 4; ++i) {
    threads[i] = std::thread([i, &printed] {
      for (int n = 0; n < 5; ++n) {
        const auto text = RunSecretCommand("echo token-" + std::to_string(i));
        printed[i] += text.ok() ? *text : std::string(text.status().message());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 4; ++i) {
    std::string expected;
    for (int n = 0; n < 5; ++n) expected += "token-" + std::to_string(i);
    EXPECT_EQ(printed[i], expected);
  }
  EXPECT_FALSE(HasChildren());
}

}  // namespace
}  // namespace postrider::config
