// What Java itself answers is in java_regex_cases.tsv, made by JavaRegexCases.java beside this file.
#include "base/java_regex.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_split.h"

namespace postrider {
namespace {

using testing::HasSubstr;

JavaRegex Compiled(std::string_view pattern, JavaRegex::Flags flags = {}) {
  auto regex = JavaRegex::Compile(pattern, flags);
  EXPECT_TRUE(regex.ok()) << pattern << ": " << regex.status();
  return *std::move(regex);
}

std::string Refusal(std::string_view pattern, JavaRegex::Flags flags = {}) {
  const auto regex = JavaRegex::Compile(pattern, flags);
  EXPECT_EQ(regex.status().code(), absl::StatusCode::kInvalidArgument) << pattern << " was taken";
  return std::string(regex.status().message());
}

std::string Unescape(const std::string& escaped) {
  std::string text;
  for (size_t i = 0; i < escaped.size(); ++i) {
    if (escaped[i] != '%') {
      text.push_back(escaped[i]);
      continue;
    }
    text.append(absl::HexStringToBytes(escaped.substr(i + 1, 2)));
    i += 2;
  }
  return text;
}

TEST(JavaRegex, AnswersAsJavaDoes) {
  std::ifstream file(POSTRIDER_TEST_DATA "/java_regex_cases.tsv");
  int cases = 0;
  for (std::string line; std::getline(file, line); ++cases) {
    const std::vector<std::string> fields = absl::StrSplit(line, '\t');
    ASSERT_EQ(fields.size(), 6u) << line;
    const auto regex = JavaRegex::Compile(Unescape(fields[0]), {.case_insensitive = fields[1] == "i"});
    ASSERT_TRUE(regex.ok()) << line << ": " << regex.status();
    const std::string subject = Unescape(fields[2]);
    const auto matches = regex->Matches(subject);
    ASSERT_TRUE(matches.ok()) << line << ": " << matches.status();
    EXPECT_EQ(*matches, fields[4] == "1") << line;
    const auto replaced = regex->ReplaceFirst(subject, Unescape(fields[3]));
    if (fields[5] == "!") {
      EXPECT_EQ(replaced.status().code(), absl::StatusCode::kInvalidArgument) << line;
    } else {
      ASSERT_TRUE(replaced.ok()) << line << ": " << replaced.status();
      EXPECT_EQ(*replaced, Unescape(fields[5])) << line;
    }
  }
  EXPECT_GT(cases, 1000);
}

TEST(JavaRegex, TheDefaultRouteKeepsTheWholeValue) {
  const JavaRegex regex = Compiled("(?<routedByValue>.*)");
  EXPECT_TRUE(regex.Matches("order").value());
  EXPECT_EQ(regex.ReplaceFirst("order", "outbox.event.${routedByValue}").value(), "outbox.event.order");
  EXPECT_EQ(regex.ReplaceFirst("", "outbox.event.${routedByValue}").value(), "outbox.event.");
  EXPECT_FALSE(regex.Matches("two\nlines").value());
}

TEST(JavaRegex, MatchesTheWholeButReplacesTheFirstFind) {
  const JavaRegex regex = Compiled("a|ab");
  EXPECT_TRUE(regex.Matches("ab").value());
  EXPECT_EQ(regex.ReplaceFirst("ab", "<replacement>").value(), "<replacement>b");
}

TEST(JavaRegex, CheckReplacementSaysWhatReplaceFirstWould) {
  const JavaRegex regex = Compiled("(?<name>a)(b)");
  for (const char* good : {"", "plain", "$0", "$1$2", "${name}", "\\$", "\\\\", "$19", "$2a", "\\é"}) {
    EXPECT_TRUE(regex.CheckReplacement(good).ok()) << good;
    EXPECT_TRUE(regex.ReplaceFirst("ab", good).ok()) << good;
  }
  const std::pair<const char*, const char*> bad[] = {
      {"a$", "ends with $"},
      {"a\\", "ends with \\"},
      {"$3", "the expression has 2 groups"},
      {"$9", "has 2 groups"},
      {"${other}", "${other}"},
      {"${name", "without a name"},
      {"${}", "does not have"},
      {"${na me}", "without a name"},
      {"$-1", "a $ without a group"},
      {"$name", "a $ without a group"},
      {"${1}", "does not have"},
  };
  for (const auto& [replacement, reason] : bad) {
    const absl::Status status = regex.CheckReplacement(replacement);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << replacement;
    EXPECT_THAT(std::string(status.message()), HasSubstr(reason)) << replacement;
    EXPECT_EQ(regex.ReplaceFirst("ab", replacement).status(), status) << replacement;
  }
}

TEST(JavaRegex, WithoutAFindTheReplacementIsNotRead) {
  EXPECT_EQ(Compiled("x").ReplaceFirst("abc", "${none}").value(), "abc");
}

TEST(JavaRegex, RegardOfCaseIsAsciiAloneAsInJava) {
  constexpr JavaRegex::Flags kAnyCase{.case_insensitive = true};
  EXPECT_TRUE(Compiled("public\\.outbox", kAnyCase).Matches("PUBLIC.OutBox").value());
  EXPECT_FALSE(Compiled("é", kAnyCase).Matches("É").value());
  EXPECT_FALSE(Compiled("k", kAnyCase).Matches("\u212a").value()) << "the Kelvin sign";
  EXPECT_FALSE(Compiled("public", {}).Matches("Public").value());
}

TEST(JavaRegex, DotStopsAtJavasLineTerminatorsAndAtNoOthers) {
  const JavaRegex dot = Compiled(".");
  for (const char* terminator : {"\n", "\r", "\u0085", "\u2028", "\u2029"})
    EXPECT_FALSE(dot.Matches(terminator).value());
  for (const char* other : {"\v", "\f", "\x1c", "a", "é", "😀"}) EXPECT_TRUE(dot.Matches(other).value()) << other;
}

TEST(JavaRegex, RefusesWhatJavaRefuses) {
  EXPECT_THAT(Refusal("a)"), HasSubstr("at offset 1: a ) closes no group"));
  EXPECT_THAT(Refusal("(a"), HasSubstr("at offset 0: a group is not closed"));
  EXPECT_THAT(Refusal("[a"), HasSubstr("at offset 0: a character class is not closed"));
  EXPECT_THAT(Refusal("[]"), HasSubstr("not closed"));
  EXPECT_THAT(Refusal("a[b-a]"), HasSubstr("at offset 2: a range of characters ends before it begins"));
  EXPECT_THAT(Refusal("[a-\\d]"), HasSubstr("at offset 3: an escape"));
  EXPECT_THAT(Refusal("*a"), HasSubstr("at offset 0: a quantifier has nothing"));
  EXPECT_THAT(Refusal("a**"), HasSubstr("at offset 2: a quantifier has nothing"));
  EXPECT_THAT(Refusal("a{x}"), HasSubstr("a { begins no quantifier"));
  EXPECT_THAT(Refusal("a{,2}"), HasSubstr("a { begins no quantifier"));
  EXPECT_THAT(Refusal("a{1"), HasSubstr("a { begins no quantifier"));
  EXPECT_THAT(Refusal("a{3,2}"), HasSubstr("below its first"));
  EXPECT_THAT(Refusal("a\\"), HasSubstr("at offset 1: a backslash ends"));
  for (const char* escape : {"\\y", "\\E", "\\i", "[\\b]", "[\\1]", "\\c", "\\0", "\\08", "\\x1", "\\x{}",
                             "\\x{110000}", "\\u12", "\\ud83d", "\\ud83d\\u0061", "\\ude00", "\\x{d800}"})
    EXPECT_THAT(Refusal(escape), HasSubstr("at offset ")) << escape;
  for (const char* group : {"(?<1a>x)", "(?<>x)", "(?<a_b>x)", "(?<a", "(?<a>x)(?<a>y)", "(?P<a>x)", "(?", "(?#c)",
                            "(?R)", "(?1)", "(?'a'x)", "(?|a)", "(?&a)", "(?(1)a)", "(?C1)", "(*ACCEPT)", "(*UTF)a"})
    EXPECT_THAT(Refusal(group), HasSubstr("at offset ")) << group;
  EXPECT_THAT(Refusal("\\k<a>(?<a>x)"), HasSubstr("a name that does not stand before it"));
  EXPECT_THAT(Refusal("\\ka"), HasSubstr("not followed by <name>"));
  EXPECT_THAT(Refusal("\\p{Nonsense}"), HasSubstr("general categories"));
  EXPECT_THAT(Refusal("\\p{L"), HasSubstr("not closed"));
}

TEST(JavaRegex, RefusesWhatJavaAloneHasOrReadsOtherwise) {
  EXPECT_THAT(Refusal("[a-z&&[^b]]"), HasSubstr("intersections of classes (&&)"));
  EXPECT_THAT(Refusal("[a[b]]"), HasSubstr("a class within a class"));
  EXPECT_THAT(Refusal("[[:alpha:]]"), HasSubstr("a class within a class"));
  EXPECT_THAT(Refusal("\\p{javaLowerCase}"), HasSubstr("general categories"));
  EXPECT_THAT(Refusal("\\p{IsLatin}"), HasSubstr("general categories"));
  EXPECT_THAT(Refusal("\\p{InGreek}"), HasSubstr("general categories"));
  for (const char* flags : {"(?m)^a$", "(?x)a b", "(?d).", "(?iu)é", "(?U)\\w", "(?-m)a"})
    EXPECT_THAT(Refusal(flags), HasSubstr("only (?i) and (?s)")) << flags;
  for (const char* escape : {"\\X", "\\R", "\\N{DIGIT ONE}", "[\\Qa\\E]", "\\b{g}"})
    EXPECT_THAT(Refusal(escape), HasSubstr("at offset ")) << escape;
  EXPECT_THAT(Refusal("[\\v-a]"), HasSubstr("\\v before a -"));
  EXPECT_THAT(Refusal("^*"), HasSubstr("a quantifier has nothing"));
  EXPECT_THAT(Refusal("(?=a)?"), HasSubstr("a quantifier has nothing"));
  EXPECT_THAT(Refusal("(a)\\2"), HasSubstr("a group that does not stand before it"));
  EXPECT_THAT(Refusal("a{70000}"), HasSubstr("more than 65535"));
  EXPECT_THAT(Refusal("(?<=a+)b"), HasSubstr("lookbehind"));
  for (const char* capture : {"(a)++b", "(?:(a)|b)*+", "(?>(a))", "(?=(a))", "(?!(a))", "(?<=(a))"})
    EXPECT_THAT(Refusal(capture), HasSubstr("write (?:")) << capture;
  EXPECT_THAT(Refusal("\\p{Lu}", {.case_insensitive = true}), HasSubstr("letter case"));
  EXPECT_THAT(Refusal("(?i)\\p{IsLl}"), HasSubstr("at offset 4"));
  EXPECT_THAT(Refusal("(a)\\1", {.case_insensitive = true}), HasSubstr("back reference without regard to case"));
}

TEST(JavaRegex, WhatPcre2AloneWouldReadIsOnlyText) {
  EXPECT_TRUE(Compiled("a#b c").Matches("a#b c").value());
  EXPECT_TRUE(Compiled("[:alpha:]").Matches(":").value());
  EXPECT_FALSE(Compiled("[:alpha:]").Matches("b").value());
  EXPECT_TRUE(Compiled("a~!@%&_=,;'\"`<>/}").Matches("a~!@%&_=,;'\"`<>/}").value());
  EXPECT_TRUE(Compiled(std::string_view("a\0b", 3)).Matches(std::string_view("a\0b", 3)).value());
}

TEST(JavaRegex, InvalidUtf8IsAnErrorNotAMismatch) {
  EXPECT_THAT(Refusal("a\xff"), HasSubstr("at offset 1: the expression is not valid UTF-8"));
  EXPECT_THAT(Refusal("\\\xff"), HasSubstr("not valid UTF-8"));
  const JavaRegex any = Compiled("(?s).*");
  EXPECT_EQ(any.Matches("a\xff").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(any.ReplaceFirst("\xed\xa0\x80", "").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(JavaRegex, WorkIsBounded) {
  const JavaRegex exponential = Compiled("(?:a*)*b");
  EXPECT_EQ(exponential.Matches(std::string(40, 'a') + "cb").status().code(), absl::StatusCode::kResourceExhausted);
  const JavaRegex deep = Compiled("(?:a|b)*");
  EXPECT_TRUE(deep.Matches(std::string(1000, 'b')).value());
  EXPECT_EQ(deep.Matches(std::string(10'000'000, 'b')).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(Refusal(std::string(40'000, 'a')), HasSubstr("longer than 32768 bytes"));
  EXPECT_THAT(Refusal(std::string(1000, '(') + std::string(1000, ')')), HasSubstr("nested"));
}

TEST(JavaRegex, ALongValueIsNoDeepMatch) {
  const std::string value(5'000'000, 'x');
  const JavaRegex regex = Compiled("(?<routedByValue>.*)");
  EXPECT_TRUE(regex.Matches(value).value());
  EXPECT_EQ(regex.ReplaceFirst(value, "<${routedByValue}>").value(), "<" + value + ">");
}

TEST(JavaRegex, KeepsItsPattern) {
  EXPECT_EQ(Compiled("a.b").pattern(), "a.b");
}

TEST(JavaRegex, ACopyIsTheSameExpression) {
  const JavaRegex original = Compiled("a+");
  const JavaRegex copy = original;
  EXPECT_TRUE(copy.Matches("aaa").value());
}

}  // namespace
}  // namespace postrider
