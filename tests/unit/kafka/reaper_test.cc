#include "kafka/reaper.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace postrider::kafka {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Reaper, RunsAllInOrderBeforeItEnds) {
  std::vector<int> done;
  {
    Reaper reaper;
    for (int i = 0; i < 10; ++i) {
      reaper.Take([&done, i] {
        std::this_thread::sleep_for(milliseconds(5));
        done.push_back(i);
      });
    }
  }
  EXPECT_EQ(done, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(Reaper, TakeDoesNotWaitForTheWork) {
  Reaper reaper;
  const auto start = Clock::now();
  reaper.Take([] { std::this_thread::sleep_for(milliseconds(300)); });
  reaper.Take([] {});
  EXPECT_LT(Clock::now() - start, milliseconds(200));
}

TEST(Reaper, ItsEndIsBounded) {
  auto released = std::make_shared<std::atomic<bool>>(false);
  const auto start = Clock::now();
  {
    Reaper reaper;
    reaper.Take([released] {
      while (!*released) std::this_thread::sleep_for(milliseconds(10));
    });
  }
  EXPECT_LT(Clock::now() - start, seconds(4));
  *released = true;
}

}  // namespace
}  // namespace postrider::kafka
