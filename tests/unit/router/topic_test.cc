#include "router/topic.h"

#include <string>

#include <gtest/gtest.h>

#include "base/fault.h"

namespace postrider::router {
namespace {

absl::StatusOr<TopicRoute> TryMake(std::string_view regex, std::string_view replacement) {
  return TopicRoute::Make("transforms.outbox.route.topic.regex", regex, "transforms.outbox.route.topic.replacement",
                          replacement);
}

TopicRoute Made(std::string_view regex = "(?<routedByValue>.*)",
                std::string_view replacement = "outbox.event.${routedByValue}") {
  absl::StatusOr<TopicRoute> made = TryMake(regex, replacement);
  EXPECT_TRUE(made.ok()) << made.status();
  return *std::move(made);
}

TEST(Topic, TheDefaultPutsThePrefixBefore) {
  TopicRoute route = Made();
  EXPECT_EQ(route.Resolve("order").topic, "outbox.event.order");
  EXPECT_EQ(route.Resolve("order").refusal, "");
  EXPECT_EQ(route.Resolve("").topic, "outbox.event.");
}

TEST(Topic, GroupsByNumberAndName) {
  TopicRoute route = Made("(.*)-(?<kind>.*)", "${kind}.$1");
  EXPECT_EQ(route.Resolve("a-b").topic, "b.a");
}

TEST(Topic, WithoutAWholeMatchTheTextIsTheTopic) {
  TopicRoute route = Made("ord", "x");
  EXPECT_EQ(route.Resolve("order").topic, "order");
  EXPECT_EQ(route.Resolve("ord").topic, "x");
}

TEST(Topic, OnlyTheFirstFindIsReplaced) {
  TopicRoute route = Made("a*?|aa", "x");
  EXPECT_EQ(route.Resolve("aa").topic, "xaa");  // the whole matches, but find() begins with nothing
}

TEST(Topic, ARefusalNamesTheTopic) {
  TopicRoute route = Made();
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
  const auto regex = TryMake("(", "x");
  ASSERT_FALSE(regex.ok());
  EXPECT_EQ(FaultOf(regex.status()), Fault::kConfiguration);
  EXPECT_NE(regex.status().message().find("transforms.outbox.route.topic.regex"), std::string::npos);

  const auto replacement = TryMake(".*", "${nobody}");
  ASSERT_FALSE(replacement.ok());
  EXPECT_EQ(FaultOf(replacement.status()), Fault::kConfiguration);
  EXPECT_NE(replacement.status().message().find("transforms.outbox.route.topic.replacement"), std::string::npos);
}

TEST(Topic, ARefusedNameIsStillATopicForWhatComesBehind) {
  TopicRoute route = Made();
  const TopicRoute::Target& target = route.Resolve("a b");
  EXPECT_EQ(target.topic, "outbox.event.a b");
  EXPECT_EQ(target.failure, "");
  EXPECT_NE(target.refusal, "");
}

TEST(Topic, AnExpressionThatNeedsTooManyStepsIsAFailure) {
  TopicRoute route = Made("..b(?:a+)+b", "x");
  const TopicRoute::Target& target = route.Resolve("xxb" + std::string(200, 'a'));
  EXPECT_NE(target.failure.find("transforms.outbox.route.topic.regex"), std::string::npos);
  EXPECT_EQ(target.refusal, target.failure);
}

}  // namespace
}  // namespace postrider::router
