#include "router/topic_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace postrider::router {
namespace {

using testing::HasSubstr;

std::string Resolved(const config::Config& config, std::string_view route) {
  auto names = TopicNames::Make(config);
  if (!names.ok()) return names.status().ToString();
  const auto topic = names->Resolve(route);
  if (!topic.ok()) return topic.status().ToString();
  return topic->value_or("(dropped)");
}

config::Transform RegexRouter(const char* regex, const char* replacement) {
  config::Transform transform{.kind = config::Transform::Kind::kRegexRouter, .alias = "rename"};
  transform.regex = regex;
  transform.replacement = replacement;
  return transform;
}

TEST(TopicNames, AreWhatTheRouterAndTheTransformsBehindItMake) {
  config::Config config;
  EXPECT_EQ(Resolved(config, "Order"), "outbox.event.Order");
  config.router.behind = {RegexRouter("outbox\\.event\\.(.*)", "$1-events")};
  EXPECT_EQ(Resolved(config, "Order"), "Order-events");
}

TEST(TopicNames, AFilterBehindTheRouterDropsATopicThatItMatches) {
  config::Config config;
  config::Transform filter{.kind = config::Transform::Kind::kFilter, .alias = "drop"};
  filter.predicate = config::Predicate{.pattern = "outbox\\.event\\.Noise", .header = ""};
  config.router.behind = {filter};
  EXPECT_EQ(Resolved(config, "Noise"), "(dropped)");
  EXPECT_EQ(Resolved(config, "Order"), "outbox.event.Order");
}

TEST(TopicNames, ANameThatKafkaCannotHaveIsRefusedByItsFinalForm) {
  config::Config config;
  EXPECT_THAT(Resolved(config, "a b"), HasSubstr("cannot be the name of a topic"));
  config.router.behind = {RegexRouter(".*", "all")};
  EXPECT_EQ(Resolved(config, "a b"), "all");
}

TEST(TopicNames, AnExpressionThatIsWrongIsAFaultOfTheConfiguration) {
  config::Config config;
  config.router.route_topic_regex = "(";
  const auto names = TopicNames::Make(config);
  ASSERT_FALSE(names.ok());
  EXPECT_EQ(FaultOf(names.status()), Fault::kConfiguration);
}

}  // namespace
}  // namespace postrider::router
