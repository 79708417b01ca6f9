#include "relay/runner.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "relay_harness.h"

namespace postrider::relay {
namespace {

// Signals belong to a whole process: each case has its own.
class RunnerDeathTest : public RelayHarness {
 protected:
  void StartStreaming() {
    relay_ = std::make_unique<Relay>(
        config_, Parts{.connector = &connector_, .producers = &kafka_, .router = &router_, .clock = &SystemClock()},
        &stats_);
    if (!relay_->Start().ok()) std::abort();
    stream_ = &connector_.Accept(Usual(100));
    stream_->answers = true;
    wakeup_.Ring();  // as the connector does
    HandleStopSignals(&wakeup_);
  }

  Wakeup wakeup_;
  FakeStream* stream_ = nullptr;
};

TEST_F(RunnerDeathTest, ASignalWakesTheSleepingLoopWhichDrainsAndEnds) {
  const auto run = [&] {
    StartStreaming();
    SendTransaction(*stream_, 200, {Row("a")});
    std::thread operator_thread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      kill(getpid(), SIGTERM);
    });
    const int code = relay::Run(*relay_, wakeup_, SystemClock());
    operator_thread.join();
    std::_Exit(stream_->last_status().flush == Lsn(250) ? code : 99);
  };
  const auto from = std::chrono::steady_clock::now();
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
  EXPECT_LT(std::chrono::steady_clock::now() - from, std::chrono::seconds(10));
}

TEST_F(RunnerDeathTest, ASecondSignalLeavesAtOnce) {
  const auto run = [&] {
    StartStreaming();
    raise(SIGINT);
    raise(SIGTERM);
    std::_Exit(99);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(8), "");
}

TEST_F(RunnerDeathTest, ALastingFaultEndsItWithItsCode) {
  const auto run = [&] {
    StartStreaming();
    stream_->Break(MakeFault(Fault::kSlot, "the slot was invalidated"));
    std::_Exit(relay::Run(*relay_, wakeup_, SystemClock()));
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(4), "");
}

}  // namespace
}  // namespace postrider::relay
