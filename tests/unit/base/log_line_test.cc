#include "base/log_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace postrider {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// 2026-11-30 12:00:00.123 UTC
constexpr std::chrono::system_clock::time_point kTime{std::chrono::milliseconds(1'796'040'000'123)};

std::string TextOf(std::string_view value) {
  return FormatText({kTime, LogLevel::kInfo, "e", {{"k", std::string(value)}}, 0, "t"});
}
std::string JsonOf(std::string_view value) {
  return FormatJson({kTime, LogLevel::kInfo, "e", {{"k", std::string(value)}}, 0, "t"});
}

TEST(FormatText, IsOneLineOfWords) {
  EXPECT_EQ(
      FormatText({kTime, LogLevel::kInfo, "streaming", {{"slot", "debezium"}, {"lsn", "0/16B3748"}}, 0, "a sentence"}),
      "2026-11-30T12:00:00.123Z INFO  streaming slot=debezium lsn=0/16B3748 \"a sentence\"");
  EXPECT_EQ(FormatText({kTime, LogLevel::kError, "held", {}, 12, "x"}),
            "2026-11-30T12:00:00.123Z ERROR held repeated=12 \"x\"");
  EXPECT_THAT(FormatText({kTime, LogLevel::kWarning, "e", {}, 0, ""}), EndsWith(" WARN  e \"\""));
  EXPECT_THAT(FormatText({kTime, LogLevel::kDebug, "e", {}, 0, ""}), EndsWith(" DEBUG e \"\""));
}

TEST(FormatText, WritesMillisecondsWithAllTheirDigits) {
  const auto start_of_second = std::chrono::system_clock::time_point(std::chrono::seconds(1'796'040'000));
  EXPECT_THAT(FormatText({start_of_second, LogLevel::kInfo, "e", {}, 0, ""}), StartsWith("2026-11-30T12:00:00.000Z "));
  EXPECT_THAT(FormatText({start_of_second + std::chrono::microseconds(7'999), LogLevel::kInfo, "e", {}, 0, ""}),
              StartsWith("2026-11-30T12:00:00.007Z "));
}

TEST(FormatText, QuotesWhatWouldNotReadAsOneWord) {
  EXPECT_THAT(TextOf("a-b/c.d:1"), HasSubstr(" k=a-b/c.d:1 \"t\""));
  EXPECT_THAT(TextOf("größe"), HasSubstr(" k=größe \"t\""));
  EXPECT_THAT(TextOf(""), HasSubstr(" k=\"\" \"t\""));
  EXPECT_THAT(TextOf("two words"), HasSubstr(" k=\"two words\" "));
  EXPECT_THAT(TextOf("a=b"), HasSubstr(" k=\"a=b\" "));
  EXPECT_THAT(TextOf("say \"x\""), HasSubstr(R"( k="say \"x\"" )"));
  EXPECT_THAT(TextOf("back\\slash"), HasSubstr(R"( k="back\\slash" )"));
}

TEST(FormatText, NoValueCanForgeASecondLine) {
  EXPECT_THAT(TextOf("a\nb\rc\td\x1b[31m\x7f"), HasSubstr(R"( k="a\nb\rc\td\u001b[31m\u007f" )"));
  EXPECT_THAT(TextOf(std::string_view("a\0b", 3)), HasSubstr(R"( k="a\u0000b" )"));
  EXPECT_THAT(FormatText({kTime, LogLevel::kInfo, "e", {}, 0, "a\nb"}), EndsWith(R"( "a\nb")"));
}

TEST(FormatJson, KeepsTheOrderOfFields) {
  EXPECT_EQ(FormatJson({kTime, LogLevel::kWarning, "e", {{"slot", "s"}, {"lsn", "0/1"}}, 3, "a \"b\"\n"}),
            R"({"ts":"2026-11-30T12:00:00.123Z","level":"WARN","event":"e","slot":"s","lsn":"0/1","repeated":3,)"
            R"("text":"a \"b\"\n"})");
  EXPECT_EQ(FormatJson({kTime, LogLevel::kInfo, "e", {}, 0, ""}),
            R"({"ts":"2026-11-30T12:00:00.123Z","level":"INFO","event":"e","text":""})");
}

TEST(Format, MalformedUtf8IsReplaced) {
  EXPECT_THAT(TextOf("a\xffz"), HasSubstr("k=a\uFFFDz"));
  EXPECT_THAT(JsonOf("a\xffz"), HasSubstr("\"a\uFFFDz\""));
  EXPECT_THAT(JsonOf("cut \xe2\x82"), HasSubstr("\"cut \uFFFD\uFFFD\""));
  EXPECT_THAT(JsonOf("\xed\xa0\x80"), HasSubstr("\"\uFFFD\uFFFD\uFFFD\"")) << "a surrogate";
  EXPECT_THAT(JsonOf("\xc0\xaf"), HasSubstr("\"\uFFFD\uFFFD\"")) << "an overlong slash";
  EXPECT_THAT(JsonOf("€ 😀"), HasSubstr("\"€ 😀\""));
}

TEST(Format, LongValuesAreCutBetweenCharacters) {
  std::string value;
  for (int i = 0; i < 5000; ++i) value += "€";
  const std::string line = TextOf(value);
  EXPECT_LT(line.size(), kLogValueBytesMax + 100);
  EXPECT_THAT(line, HasSubstr("€... \"t\""));
}

}  // namespace
}  // namespace postrider
