// Needs a server; see tests/unit/postgres/test_server.h.
#include "monitor/watcher.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "../postgres/test_server.h"

namespace postrider::monitor {
namespace {

class WatcherTest : public postgres::ServerTest {
 protected:
  bool Soon(const std::function<bool()>& condition) {
    for (int attempt = 0; attempt < 200; ++attempt) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }
};

TEST_F(WatcherTest, SeesTheSlotComeAndItsLag) {
  Watcher watcher(config_, &SystemClock(), nullptr);
  ASSERT_TRUE(Soon([&] { return watcher.Look().report != nullptr; }));
  EXPECT_FALSE(watcher.Look().report->slot.has_value());
  admin_->Sql("SELECT pg_create_logical_replication_slot('" + name_ + "', 'pgoutput')");
  ASSERT_TRUE(Soon([&] {
    const View view = watcher.Look();
    return view.report && view.report->slot;
  }));
  EXPECT_TRUE(Soon([&] { return watcher.Look().oldest_unpublished_us == 0; })) << "nothing was written since";
  admin_->Sql("SELECT pg_logical_emit_message(false, 'x', repeat('x', 100000))");
  EXPECT_TRUE(Soon([&] { return watcher.Look().oldest_unpublished_us.value_or(0) > 2'000'000; }));
  EXPECT_TRUE(Soon([&] {
    const View view = watcher.Look();
    return view.report && view.report->slot->unconfirmed_bytes.value_or(0) > 100'000;
  }));
}

TEST_F(WatcherTest, MakesItsConnectionAnewAndReadsThePasswordEachTime) {
  std::atomic<int> reads{0};
  config_.database.password = config::Secret("x", [&](const std::string&) -> absl::StatusOr<std::string> {
    ++reads;
    return std::string("first");
  });
  Watcher watcher(config_, &SystemClock(), nullptr);
  ASSERT_TRUE(Soon([&] { return watcher.Look().report != nullptr; }));
  const int before = reads;
  admin_->Sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + name_ + "'");
  ASSERT_TRUE(Soon([&] { return watcher.Look().failed_rounds > 0; }));
  ASSERT_TRUE(Soon([&] { return watcher.Look().report != nullptr; }));
  EXPECT_GT(reads, before);
}

TEST_F(WatcherTest, AServerThatIsAwayIsSaidAndTheEndDoesNotWaitForIt) {
  config_.database.port = "1";
  auto watcher = std::make_unique<Watcher>(config_, &SystemClock(), nullptr);
  ASSERT_TRUE(Soon([&] { return !watcher->Look().failure.empty(); }));
  EXPECT_EQ(watcher->Look().report, nullptr);
  const auto begun = std::chrono::steady_clock::now();
  watcher.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(1500));
}

}  // namespace
}  // namespace postrider::monitor
