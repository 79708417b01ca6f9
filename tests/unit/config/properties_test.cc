#include "config/properties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace postrider::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::vector<std::pair<std::string, std::string>> Pairs(std::string_view text) {
  const absl::StatusOr<std::vector<Entry>> entries = ParseProperties(text);
  EXPECT_TRUE(entries.ok()) << entries.status();
  std::vector<std::pair<std::string, std::string>> pairs;
  if (entries.ok())
    for (const Entry& entry : *entries) pairs.emplace_back(entry.key, entry.value);
  return pairs;
}

std::string Error(std::string_view text) {
  return std::string(ParseProperties(text).status().message());
}

TEST(Properties, TakesAllSeparators) {
  EXPECT_THAT(Pairs("a=1\nb:2\nc 3\nd\t4\ne = 5\nf : 6\ng   7\nh=\ni\n"),
              ElementsAre(Pair("a", "1"), Pair("b", "2"), Pair("c", "3"), Pair("d", "4"), Pair("e", "5"),
                          Pair("f", "6"), Pair("g", "7"), Pair("h", ""), Pair("i", "")));
}

TEST(Properties, SecondSeparatorBelongsToTheValue) {
  EXPECT_THAT(
      Pairs("a==1\nb=:2\nc := 3\nurl=jdbc:postgresql://h:5432/db?a=b\n"),
      ElementsAre(Pair("a", "=1"), Pair("b", ":2"), Pair("c", "= 3"), Pair("url", "jdbc:postgresql://h:5432/db?a=b")));
}

TEST(Properties, KeepsBlanksAtTheEndOfAValue) {
  EXPECT_THAT(Pairs("a=1 \t\n"), ElementsAre(Pair("a", "1 \t")));
}

TEST(Properties, SkipsCommentsAndBlankLines) {
  EXPECT_THAT(Pairs("# a=1\n  ! b=2\n\n \t\f\nc=3\n#\\\nd=4\n#end"), ElementsAre(Pair("c", "3"), Pair("d", "4")));
}

TEST(Properties, TakesAllLineEnds) {
  EXPECT_THAT(Pairs("a=1\r\nb=2\rc=3\n\rd=4"),
              ElementsAre(Pair("a", "1"), Pair("b", "2"), Pair("c", "3"), Pair("d", "4")));
}

TEST(Properties, JoinsContinuationLines) {
  EXPECT_THAT(Pairs("fruits  apple, banana, \\\n    pear, \\\r\n\tplum\nb=x\\\\\nc=x\\\\\\\n  y\n"),
              ElementsAre(Pair("fruits", "apple, banana, pear, plum"), Pair("b", "x\\"), Pair("c", "x\\y")));
}

TEST(Properties, CommentSignInAContinuationIsText) {
  EXPECT_THAT(Pairs("a=1\\\n#2\nb=3\\\n\nc=4\n"), ElementsAre(Pair("a", "1#2"), Pair("b", "3"), Pair("c", "4")));
}

TEST(Properties, BackslashAtTheEndOfTheTextIsDropped) {
  EXPECT_THAT(Pairs("a=1\\"), ElementsAre(Pair("a", "1")));
  EXPECT_THAT(Pairs("a=1\\\n"), ElementsAre(Pair("a", "1")));
}

TEST(Properties, Unescapes) {
  EXPECT_THAT(Pairs("a=\\t\\n\\r\\f\\q\\\\\\:\\=\nk\\ e\\:y\\==v\nt=Tenant\\\\.A\n"),
              ElementsAre(Pair("a", "\t\n\r\fq\\:="), Pair("k e:y=", "v"), Pair("t", "Tenant\\.A")));
}

TEST(Properties, UnicodeEscapesAndUtf8AreTheSame) {
  EXPECT_THAT(Pairs("a=\\u0041\\u00e9\\u20AC\\ud83d\\ude00\nb=A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\n"),
              ElementsAre(Pair("a", "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"),
                          Pair("b", "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80")));
}

TEST(Properties, NumbersTheLineWhereTheKeyBegins) {
  const absl::StatusOr<std::vector<Entry>> entries = ParseProperties("# head\r\na=1\\\n  2\n\n\rb=3\nc=4");
  ASSERT_TRUE(entries.ok());
  ASSERT_EQ(entries->size(), 3U);
  EXPECT_EQ((*entries)[0].line, 2);
  EXPECT_EQ((*entries)[1].line, 6);
  EXPECT_EQ((*entries)[2].line, 7);
}

TEST(Properties, KeepsAKeyThatIsGivenTwice) {
  EXPECT_THAT(Pairs("a=1\na=2\n"), ElementsAre(Pair("a", "1"), Pair("a", "2")));
}

TEST(Properties, RefusesWhatIsNoText) {
  EXPECT_THAT(Error("a=1\nb=\xFF\n"), HasSubstr("line 2: not UTF-8"));
  EXPECT_THAT(Error("a=\xED\xA0\x80\n"), HasSubstr("line 1: not UTF-8"));
  EXPECT_THAT(Error("a=\xC0\x80\n"), HasSubstr("line 1: not UTF-8"));
  EXPECT_THAT(Error("a=\xE2\x82"), HasSubstr("line 1: not UTF-8"));
  EXPECT_THAT(Error(std::string_view("a=\0b", 4)), HasSubstr("line 1: not UTF-8, or a NUL"));
  EXPECT_THAT(Error("\n\na=\\u00g0\n"), HasSubstr("line 3: \\u must be followed by four"));
  EXPECT_THAT(Error("a=\\u12"), HasSubstr("line 1: \\u must be followed by four"));
  EXPECT_THAT(Error("a=\\u0000"), HasSubstr("line 1: \\u0000 and half"));
  EXPECT_THAT(Error("a=\\ud83d"), HasSubstr("half a surrogate pair"));
  EXPECT_THAT(Error("a=\\ud83d\\u0041"), HasSubstr("half a surrogate pair"));
  EXPECT_THAT(Error("a=\\ude00"), HasSubstr("half a surrogate pair"));
}

TEST(Properties, HasLimits) {
  EXPECT_THAT(Error("b=1\na=" + std::string(kLogicalLineBytesMax, 'x')), HasSubstr("line 2: longer than"));
  std::string many;
  for (size_t i = 0; i <= kEntriesMax; ++i) many += "a=1\n";
  EXPECT_THAT(Error(many), HasSubstr("line 10001: more than 10000 settings"));
}

}  // namespace
}  // namespace postrider::config
