// src/config/topic_groups.cc
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scratch.h"

namespace postrider::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr std::string_view kDefaults =
    "topic.creation.default.partitions=3\ntopic.creation.default.replication.factor=-1\n";

TEST(TopicGroups, NoneWithoutRules) {
  const auto loaded = LoadWith("topic.creation.enable=true");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(loaded->config.producer.topic_groups, IsEmpty());
}

TEST(TopicGroups, NoneWhereTheWorkerSwitchedThemOff) {
  const auto loaded = LoadWith("topic.creation.enable=false\n" + std::string(kDefaults));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_FALSE(loaded->config.producer.topic_creation_enable);
  EXPECT_THAT(loaded->config.producer.topic_groups, IsEmpty());
}

TEST(TopicGroups, DefaultIsLastAndMatchesAll) {
  const auto loaded =
      LoadWith(std::string(kDefaults) +
               "topic.creation.default.cleanup.policy=delete\ntopic.creation.groups=big, default\n"
               "topic.creation.big.include=outbox\\\\.event\\\\.order.*,x\ntopic.creation.big.exclude=y\n"
               "topic.creation.big.partitions=12\ntopic.creation.big.retention.ms=1000\n");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const std::vector<TopicGroup>& groups = loaded->config.producer.topic_groups;
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].name, "big");
  EXPECT_EQ(groups[0].include, "outbox\\.event\\.order.*,x");
  EXPECT_EQ(groups[0].exclude, "y");
  EXPECT_EQ(groups[0].partitions, 12);
  EXPECT_EQ(groups[0].replication_factor, -1);
  EXPECT_THAT(groups[0].properties, ElementsAre(Pair("retention.ms", "1000")));
  EXPECT_EQ(groups[1].name, "default");
  EXPECT_EQ(groups[1].include, ".*");
  EXPECT_EQ(groups[1].partitions, 3);
  EXPECT_THAT(groups[1].properties, ElementsAre(Pair("cleanup.policy", "delete")));
}

TEST(TopicGroups, TheDeadLetterTopicIsMadeByItselfAndTheOthersStayTheBrokers) {
  const auto loaded =
      LoadWith("errors.deadletterqueue.topic.name=dead.x\nerrors.deadletterqueue.topic.replication.factor=2\n");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const std::vector<TopicGroup>& groups = loaded->config.producer.topic_groups;
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].include, "\\Qdead.x\\E");
  EXPECT_EQ(groups[0].partitions, 1);
  EXPECT_EQ(groups[0].replication_factor, 2);
  for (const auto& [name, value] : loaded->config.producer.properties) {
    if (name == "allow.auto.create.topics") {
      EXPECT_EQ(*value.Read(), "true");
    }
  }
}

TEST(TopicGroups, RefusesWhatConnectRefuses) {
  EXPECT_THAT(ErrorWith("topic.creation.default.partitions=3"),
              HasSubstr("topic.creation.default.replication.factor is missing"));
  EXPECT_THAT(ErrorWith(std::string(kDefaults) + "topic.creation.default.partitions=0"),
              HasSubstr("allowed is -1 (the broker's default) or a number from 1"));
  EXPECT_THAT(ErrorWith(std::string(kDefaults) + "topic.creation.default.partitions=-2"),
              HasSubstr("allowed is a whole number from -1"));
  EXPECT_THAT(ErrorWith(std::string(kDefaults) + "topic.creation.groups=g"),
              HasSubstr("names g, but topic.creation.g.include is missing"));
  EXPECT_THAT(ErrorWith(std::string(kDefaults) + "topic.creation.groups=g\ntopic.creation.g.include=("),
              HasSubstr("not a regular expression"));
}

}  // namespace
}  // namespace postrider::config
