#include "base/regex_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace postrider {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RegexList, EscapedCommaBelongsToARegex) {
  EXPECT_THAT(SplitRegexList("public.outbox, a{1\\,3}\\.b ,,"), ElementsAre("public.outbox", "a{1,3}\\.b"));
}

TEST(RegexList, AnEscapedBackslashHidesNoComma) {
  EXPECT_THAT(SplitRegexList("public\\.b\\\\,public\\.c"), ElementsAre("public\\.b\\\\", "public\\.c"));
}

TEST(RegexList, NothingButCommasAndBlanksIsEmpty) {
  EXPECT_THAT(SplitRegexList(""), IsEmpty());
  EXPECT_THAT(SplitRegexList(" , ,\t"), IsEmpty());
}

}  // namespace
}  // namespace postrider
