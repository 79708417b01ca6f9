// src/config/heartbeat.cc
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "scratch.h"

namespace postrider::config {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Heartbeat, IsOffAndHasDebeziumsTopicWhereNothingIsWritten) {
  const auto loaded = LoadWith("topic.prefix=app");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->config.heartbeat.interval_ms, 0);
  EXPECT_EQ(loaded->config.heartbeat.action_query, "");
  EXPECT_EQ(loaded->config.heartbeat.topic, "__debezium-heartbeat.app");
}

TEST(Heartbeat, TakesIntervalQueryAndPrefix) {
  const auto loaded = LoadWith(
      "topic.prefix=app\nheartbeat.interval.ms=10000\nheartbeat.action.query=UPDATE beat SET at = now()\n"
      "topic.heartbeat.prefix=beats");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->config.heartbeat.interval_ms, 10'000);
  EXPECT_EQ(loaded->config.heartbeat.action_query, "UPDATE beat SET at = now()");
  EXPECT_EQ(loaded->config.heartbeat.topic, "beats.app");
}

TEST(Heartbeat, AWholeNameComesBeforeThePrefix) {
  const auto loaded = LoadWith("topic.prefix=app\ntopic.heartbeat.prefix=beats\ntopic.heartbeat.name=all.beats");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->config.heartbeat.topic, "all.beats");
}

TEST(Heartbeat, RefusesWhatIsNoIntervalAndNoTopic) {
  EXPECT_THAT(ErrorWith("heartbeat.interval.ms=-1"), HasSubstr("allowed is a whole number from 0 to 2147483647"));
  EXPECT_THAT(ErrorWith("heartbeat.interval.ms=10s"), HasSubstr("allowed is a whole number from 0 to 2147483647"));
  EXPECT_THAT(ErrorWith("topic.heartbeat.prefix=a b"), HasSubstr("allowed are letters, digits, '.', '_' and '-'"));
  EXPECT_THAT(ErrorWith("topic.heartbeat.name=a/b"), HasSubstr("allowed are letters, digits, '.', '_' and '-'"));
  EXPECT_THAT(ErrorWith("topic.heartbeat.prefix="), HasSubstr("topic.heartbeat.prefix is empty"));
  EXPECT_THAT(ErrorWith("topic.heartbeat.prefix=" + std::string(250, 'a')),
              HasSubstr("topic.heartbeat.prefix makes a topic's name of "));
}

TEST(Heartbeat, AQueryWithoutAnIntervalIsNeverRunAndThatIsSaid) {
  const auto loaded = LoadWith("heartbeat.action.query=SELECT 1");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(loaded->warnings, Contains(HasSubstr("heartbeat.action.query is never run")));
}

TEST(Heartbeat, FlushingByTheDriverImpliesAnIntervalAsInDebezium) {
  const auto loaded = LoadWith("topic.prefix=app\nlsn.flush.mode=connector_and_driver");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->config.heartbeat.interval_ms, 600'000);
  EXPECT_THAT(loaded->warnings, Contains(HasSubstr("records go to topic __debezium-heartbeat.app")));

  const auto written = LoadWith("topic.prefix=app\nlsn.flush.mode=connector_and_driver\nheartbeat.interval.ms=5000");
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(written->config.heartbeat.interval_ms, 5'000);
  EXPECT_THAT(written->warnings, Each(Not(HasSubstr("heartbeat"))));

  const auto monitored = LoadWith("lsn.flush.mode=connector_and_driver\nprovide.transaction.metadata=true");
  ASSERT_TRUE(monitored.ok()) << monitored.status();
  EXPECT_EQ(monitored->config.heartbeat.interval_ms, 0);
}

}  // namespace
}  // namespace postrider::config
