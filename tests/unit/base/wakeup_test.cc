#include "base/wakeup.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <thread>

namespace postrider {
namespace {

bool Readable(const Wakeup& wakeup, int timeout_ms) {
  pollfd entry{wakeup.fd(), POLLIN, 0};
  return poll(&entry, 1, timeout_ms) == 1;
}

TEST(Wakeup, RingsUntilCleared) {
  const Wakeup wakeup;
  EXPECT_FALSE(Readable(wakeup, 0));
  wakeup.Ring();
  wakeup.Ring();
  EXPECT_TRUE(Readable(wakeup, 0));
  EXPECT_TRUE(Readable(wakeup, 0)) << "polling alone must not silence it";
  wakeup.Clear();
  EXPECT_FALSE(Readable(wakeup, 0)) << "one Clear answers any number of rings";
}

TEST(Wakeup, ClearWithoutARingDoesNotBlock) {
  const Wakeup wakeup;
  wakeup.Clear();
  EXPECT_FALSE(Readable(wakeup, 0));
}

TEST(Wakeup, WakesAPollOfAnotherThread) {
  const Wakeup wakeup;
  std::thread ringer([&] { wakeup.Ring(); });
  EXPECT_TRUE(Readable(wakeup, 10'000));
  ringer.join();
}

}  // namespace
}  // namespace postrider
