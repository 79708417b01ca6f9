#include "kafka/topic_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace postrider::kafka {
namespace {

config::Producer WithGroups(std::vector<config::TopicGroup> groups) {
  config::Producer config;
  config.topic_groups = std::move(groups);
  return config;
}

config::TopicGroup Group(std::string name, std::string include, std::string exclude = "") {
  config::TopicGroup group;
  group.name = std::move(name);
  group.include = std::move(include);
  group.exclude = std::move(exclude);
  return group;
}

std::string GroupNameFor(const config::Producer& config, std::string_view topic) {
  const auto rules = TopicRules::Make(config);
  EXPECT_TRUE(rules.ok()) << rules.status();
  const config::TopicGroup* group = rules->GroupFor(topic);
  return group ? group->name : "none";
}

TEST(TopicRules, TheFirstGroupThatMatchesTheWholeName) {
  const auto config = WithGroups({Group("small", "outbox\\.small\\..*, tiny", "outbox\\.small\\.not.*"),
                                  Group("all", "outbox.*"), Group("default", "")});
  EXPECT_EQ(GroupNameFor(config, "outbox.small.a"), "small");
  EXPECT_EQ(GroupNameFor(config, "tiny"), "small");
  EXPECT_EQ(GroupNameFor(config, "tiny2"), "default");
  EXPECT_EQ(GroupNameFor(config, "outbox.small.not.this"), "all");
  EXPECT_EQ(GroupNameFor(config, "other"), "default");
}

TEST(TopicRules, WithoutGroupsOrSwitchedOffNone) {
  EXPECT_EQ(GroupNameFor(WithGroups({}), "any"), "none");
  auto config = WithGroups({Group("default", "")});
  config.topic_creation_enable = false;
  EXPECT_EQ(GroupNameFor(config, "any"), "none");
}

TEST(TopicRules, ABadExpressionNamesItsKey) {
  const auto rules = TopicRules::Make(WithGroups({Group("mine", "ok, (")}));
  ASSERT_FALSE(rules.ok());
  EXPECT_EQ(FaultOf(rules.status()), Fault::kConfiguration);
  EXPECT_THAT(std::string(rules.status().message()), testing::HasSubstr("topic.creation.mine.include"));
}

TEST(TopicRules, NumbersThatNoBrokerTakesAreRefused) {
  config::TopicGroup group = Group("mine", ".*");
  group.partitions = 0;
  const auto rules = TopicRules::Make(WithGroups({group}));
  ASSERT_FALSE(rules.ok());
  EXPECT_THAT(std::string(rules.status().message()), testing::HasSubstr("topic.creation.mine"));
}

}  // namespace
}  // namespace postrider::kafka
