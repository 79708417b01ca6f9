#include "router/topic.h"

#include <string>

#include <gtest/gtest.h>

#include "base/fault.h"

namespace postrider::router {
namespace {

TopicRoute Made(const config::Router& config) {
  absl::StatusOr<TopicRoute> made = TopicRoute::Make(config);
  EXPECT_TRUE(made.ok()) << made.status();
  return *std::move(made);
}

TEST(Topic, TheDefaultPutsThePrefixBefore) {
  TopicRoute route = Made({});
  EXPECT_EQ(route.Resolve("order").topic, "outbox.event.order");
  EXPECT_EQ(route.Resolve("order").refusal, "");
  EXPECT_EQ(route.Resolve("").topic, "outbox.event.");
}

TEST(Topic, GroupsByNumberAndName) {
  TopicRoute route = Made({.route_topic_regex = "(.*)-(?<kind>.*)", .route_topic_replacement = "${kind}.$1"});
  EXPECT_EQ(route.Resolve("a-b").topic, "b.a");
}

TEST(Topic, WithoutAWholeMatchTheTextIsTheTopic) {
  TopicRoute route = Made({.route_topic_regex = "ord", .route_topic_replacement = "x"});
  EXPECT_EQ(route.Resolve("order").topic, "order");
  EXPECT_EQ(route.Resolve("ord").topic, "x");
}

TEST(Topic, OnlyTheFirstFindIsReplaced) {
  TopicRoute route = Made({.route_topic_regex = "a*?|aa", .route_topic_replacement = "x"});
  EXPECT_EQ(route.Resolve("aa").topic, "xaa");  // the whole matches, but find() begins with nothing
}

TEST(Topic, ARefusalNamesTheTopic) {
  TopicRoute route = Made({});
  EXPECT_NE(route.Resolve("t\xc3\xa4st").refusal.find("outbox.event.t\xc3\xa4st"), std::string::npos);
  EXPECT_NE(route.Resolve("a\nb").refusal.find("\"a\\nb\""), std::string::npos);  // '.' matches no line's end
  const std::string refusal = route.Resolve(std::string(5000, 'x')).refusal;
  EXPECT_NE(refusal, "");
  EXPECT_LT(refusal.size(), 500u);
}

TEST(Topic, NamesThatKafkaTakes) {
  EXPECT_TRUE(IsTopicName("a"));
  EXPECT_TRUE(IsTopicName("A.b_c-9"));
  EXPECT_TRUE(IsTopicName("..."));
  EXPECT_TRUE(IsTopicName(std::string(249, 'x')));
  for (const std::string& name :
       {std::string(), std::string("."), std::string(".."), std::string(250, 'x'), std::string("a b"),
        std::string("a/b"), std::string("a$b"), std::string("\xc3\xa4"), std::string("a\0b", 3)}) {
    EXPECT_FALSE(IsTopicName(name)) << name;
  }
}

TEST(Topic, WrongSettingsAreNamed) {
  const auto regex = TopicRoute::Make({.alias = "outbox", .route_topic_regex = "("});
  ASSERT_FALSE(regex.ok());
  EXPECT_EQ(FaultOf(regex.status()), Fault::kConfiguration);
  EXPECT_NE(regex.status().message().find("transforms.outbox.route.topic.regex"), std::string::npos);

  const auto replacement = TopicRoute::Make({.alias = "outbox", .route_topic_replacement = "${nobody}"});
  ASSERT_FALSE(replacement.ok());
  EXPECT_EQ(FaultOf(replacement.status()), Fault::kConfiguration);
  EXPECT_NE(replacement.status().message().find("transforms.outbox.route.topic.replacement"), std::string::npos);
}

TEST(Topic, StaysRightBeyondWhatItKeeps) {
  TopicRoute route = Made({});
  for (size_t i = 0; i < TopicRoute::kKeptMax + 10; ++i) {
    const std::string text = std::to_string(i);
    ASSERT_EQ(route.Resolve(text).topic, "outbox.event." + text);
    ASSERT_EQ(route.Resolve("0").topic, "outbox.event.0");
  }
}

}  // namespace
}  // namespace postrider::router
