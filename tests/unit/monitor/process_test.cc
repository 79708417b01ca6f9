#include "monitor/process.h"

#include <gtest/gtest.h>

#include <ctime>

namespace postrider::monitor {
namespace {

TEST(ProcessFacts, AreThoseOfThisProcess) {
  const ProcessFacts facts = ReadProcessFacts();
  EXPECT_FALSE(facts.version.empty());
  EXPECT_FALSE(facts.librdkafka.empty());
  EXPECT_NEAR(facts.started_unix_s.value_or(0), static_cast<double>(std::time(nullptr)), 60);
  EXPECT_GT(facts.resident_bytes.value_or(0), 1e6);
  EXPECT_GE(facts.open_fds.value_or(0), 3);
  EXPECT_GE(facts.cpu_s.value_or(-1), 0);
}

}  // namespace
}  // namespace postrider::monitor
