#include "base/log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/recent_log.h"

namespace postrider {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using Clock = std::chrono::steady_clock;

// Standard output leads into a pipe for as long as this lives.
class CapturedStdout {
 public:
  CapturedStdout() : saved_(dup(STDOUT_FILENO)) {
    EXPECT_EQ(pipe(ends_), 0);
    dup2(ends_[1], STDOUT_FILENO);
  }
  ~CapturedStdout() {
    Restore();
    close(ends_[0]);
  }

  // What was written. Standard output leads back to where it did before.
  std::vector<std::string> Lines() {
    Restore();
    fcntl(ends_[0], F_SETFL, O_NONBLOCK);
    std::string all;
    char buffer[65536];
    for (ssize_t n; (n = read(ends_[0], buffer, sizeof buffer)) > 0;) all.append(buffer, static_cast<size_t>(n));
    std::vector<std::string> lines = absl::StrSplit(all, '\n');
    EXPECT_EQ(lines.back(), "") << "the last line must be ended";
    lines.pop_back();
    return lines;
  }

 private:
  void Restore() {
    if (saved_ < 0) return;
    dup2(saved_, STDOUT_FILENO);
    close(saved_);
    close(ends_[1]);
    saved_ = -1;
  }

  int saved_;
  int ends_[2];
};

TEST(Log, WritesTextLinesInOrder) {
  CapturedStdout captured;
  StartLog(LogLevel::kInfo, LogFormat::kText, LogTarget::kStdout);
  LogInfo("streaming", {{"slot", "debezium"}, {"lsn", "0/16B3748"}}, "from the slot's position");
  LogError("failed", {}, "second");
  StopLog();
  EXPECT_THAT(captured.Lines(),
              ElementsAre(HasSubstr("Z INFO  streaming slot=debezium lsn=0/16B3748 \"from the slot's position\""),
                          HasSubstr("Z ERROR failed \"second\"")));
}

TEST(Log, WritesJson) {
  CapturedStdout captured;
  StartLog(LogLevel::kInfo, LogFormat::kJson, LogTarget::kStdout);
  LogWarning("e", {{"k", "v"}}, "t");
  StopLog();
  EXPECT_THAT(captured.Lines(), ElementsAre(HasSubstr(R"(Z","level":"WARN","event":"e","k":"v","text":"t"})")));
}

TEST(Log, LeavesOutLowerLevels) {
  CapturedStdout captured;
  StartLog(LogLevel::kWarning, LogFormat::kText, LogTarget::kStdout);
  Log(LogLevel::kDebug, "a", {}, "");
  LogInfo("b", {}, "");
  LogWarning("c", {}, "");
  StopLog();
  EXPECT_THAT(captured.Lines(), ElementsAre(HasSubstr(" c ")));
}

TEST(Log, TheLevelCanChangeWhileItRuns) {
  CapturedStdout captured;
  StartLog(LogLevel::kInfo, LogFormat::kText, LogTarget::kStdout);
  SetLogLevel(LogLevel::kError);
  LogWarning("a", {}, "");
  SetLogLevel(LogLevel::kDebug);
  Log(LogLevel::kDebug, "b", {}, "");
  StopLog();
  EXPECT_THAT(captured.Lines(), ElementsAre(HasSubstr(" b ")));
}

TEST(Log, DropsLinesBeforeStartAndAfterStop) {
  CapturedStdout captured;
  LogInfo("before", {}, "");
  StartLog(LogLevel::kInfo, LogFormat::kText, LogTarget::kStdout);
  LogInfo("between", {}, "");
  StopLog();
  LogInfo("after", {}, "");
  StopLog();
  EXPECT_THAT(captured.Lines(), ElementsAre(HasSubstr("between")));
}

TEST(Log, WritesToStderrWhereAsked) {
  CapturedStdout captured;
  StartLog(LogLevel::kInfo, LogFormat::kText, LogTarget::kStderr);
  testing::internal::CaptureStderr();
  LogInfo("e", {}, "to stderr");
  StopLog();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("to stderr"));
  EXPECT_THAT(captured.Lines(), SizeIs(0));
}

TEST(Log, WritesARepeatOnce) {
  CapturedStdout captured;
  StartLog(LogLevel::kInfo, LogFormat::kText, LogTarget::kStdout);
  for (int i = 0; i < 100; ++i) LogInfo("same", {{"n", std::to_string(i)}}, "the same text");
  LogInfo("same", {}, "another text");
  LogError("same", {}, "the same text");
  LogInfo("other", {}, "the same text");
  StopLog();
  EXPECT_THAT(captured.Lines(), ElementsAre(HasSubstr("same n=0 \"the same text\""), HasSubstr("another text"),
                                            HasSubstr("ERROR same"), HasSubstr("other")));
}

TEST(Log, AKeyStandsForTheTextAndAStateIsALineOfItsOwn) {
  CapturedStdout captured;
  StartLog(LogLevel::kInfo, LogFormat::kText, LogTarget::kStdout);
  LogInfo("kafka", {{"key", "FAIL"}}, "after 3 ms");
  LogInfo("kafka", {{"key", "FAIL"}}, "after 5 ms");
  LogInfo("kafka", {{"key", "ERROR"}}, "after 5 ms");
  LogInfo("state", {{"state", "connecting"}}, "reason");
  LogInfo("state", {{"state", "streaming"}}, "reason");
  LogInfo("state", {{"state", "streaming"}}, "reason");
  StopLog();
  EXPECT_THAT(captured.Lines(), ElementsAre(HasSubstr("after 3 ms"), HasSubstr("key=ERROR"),
                                            HasSubstr("state=connecting"), HasSubstr("state=streaming")));
}

// In a process of its own, since a thread is left behind there. Ends with 0 where all went well.
[[noreturn]] void LogIntoAPipeThatNobodyReads() {
  int ends[2];
  if (pipe(ends) != 0) std::exit(2);
  dup2(ends[1], STDOUT_FILENO);
  StartLog(LogLevel::kInfo, LogFormat::kText, LogTarget::kStdout);
  const std::string padding(1000, 'x');
  const auto start = Clock::now();
  for (int i = 0; i < 5000; ++i) LogInfo("e", {{"padding", padding}}, std::to_string(i));
  if (Clock::now() - start > std::chrono::seconds(10)) std::exit(3);
  const auto stop = Clock::now();
  StopLog();
  std::exit(Clock::now() - stop > std::chrono::seconds(3) ? 4 : 0);
}

TEST(LogDeathTest, NeverBlocksAndStopsInASecondWhereNobodyReads) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(LogIntoAPipeThatNobodyReads(), testing::ExitedWithCode(0), "");
}

TEST(Log, TakesLinesOfSeveralThreadsWhole) {
  CapturedStdout captured;
  StartLog(LogLevel::kInfo, LogFormat::kText, LogTarget::kStdout);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 50; ++i) LogInfo("e", {{"t", std::to_string(t)}}, std::to_string(t * 100 + i));
    });
  }
  for (std::thread& thread : threads) thread.join();
  StopLog();
  const auto lines = captured.Lines();
  EXPECT_THAT(lines, SizeIs(200));
  EXPECT_THAT(lines, testing::Each(testing::MatchesRegex("[0-9TZ:.-]+ INFO  e t=[0-3] \"[0-9]+\"")));
}

TEST(RecentTroubles, AreTheLastWarningsAndErrorsAsJson) {
  CapturedStdout output;
  StartLog(LogLevel::kInfo, LogFormat::kText, LogTarget::kStdout);
  LogInfo("fine", {}, "nothing to see");
  for (size_t i = 0; i <= kRecentLinesMax; ++i) LogWarning("away", {{"key", std::to_string(i)}}, "gone");
  LogError("held", {}, "no such topic");
  StopLog();
  const std::vector<std::string> troubles = RecentTroubles();
  ASSERT_EQ(troubles.size(), kRecentLinesMax);
  EXPECT_THAT(troubles.back(), HasSubstr("\"event\":\"held\""));
  EXPECT_THAT(troubles.front(), HasSubstr("\"key\":\"2\""));
}

}  // namespace
}  // namespace postrider
