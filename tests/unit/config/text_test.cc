#include "config/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace postrider::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Text, SplitsAtEachSeparator) {
  EXPECT_THAT(Split("a,,b,", ','), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(Split("", ','), ElementsAre(""));
}

TEST(Text, ListItemsAreTrimmedAndEmptyOnesDropped) {
  EXPECT_THAT(SplitList(" a , b,,\tc\n"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(SplitList(" , "), IsEmpty());
}

TEST(Text, FlagsAreTrueOrFalseInAnyCase) {
  EXPECT_EQ(ParseFlag(" True "), true);
  EXPECT_EQ(ParseFlag("FALSE"), false);
  EXPECT_EQ(ParseFlag("yes"), std::nullopt);
  EXPECT_EQ(ParseFlag(""), std::nullopt);
}

TEST(Text, NumbersAreWholeAndFit) {
  EXPECT_EQ(ParseNumber(" 42 "), 42);
  EXPECT_EQ(ParseNumber("-1"), -1);
  EXPECT_EQ(ParseNumber("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(ParseNumber("9223372036854775808"), std::nullopt);
  EXPECT_EQ(ParseNumber("1.5"), std::nullopt);
  EXPECT_EQ(ParseNumber("1s"), std::nullopt);
  EXPECT_EQ(ParseNumber(""), std::nullopt);
}

TEST(Text, TrimsAndCutsOff) {
  EXPECT_EQ(Trim(" \t a b \n"), "a b");
  EXPECT_EQ(Trim("  "), "");
  std::string_view text = "producer.acks";
  EXPECT_FALSE(ConsumePrefix(text, "consumer."));
  EXPECT_TRUE(ConsumePrefix(text, "producer."));
  EXPECT_FALSE(ConsumeSuffix(text, "x"));
  EXPECT_TRUE(ConsumeSuffix(text, "ks"));
  EXPECT_EQ(text, "ac");
}

TEST(Text, CatTakesViews) {
  std::string text = Cat(std::string_view("a"), 1, "b", std::string("c"));
  Append(text, std::string_view("d"));
  EXPECT_EQ(text, "a1bcd");
}

}  // namespace
}  // namespace postrider::config
