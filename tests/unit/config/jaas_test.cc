#include "config/jaas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace postrider::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

JaasEntry Parse(std::string_view text) {
  absl::StatusOr<JaasEntry> entry = ParseJaas(text);
  EXPECT_TRUE(entry.ok()) << entry.status();
  return entry.ok() ? *entry : JaasEntry();
}
std::string Error(std::string_view text) {
  return std::string(ParseJaas(text).status().message());
}

TEST(Jaas, ReadsOneEntry) {
  const JaasEntry entry =
      Parse("org.apache.kafka.common.security.plain.PlainLoginModule required username=\"alice\" password='se\"cret';");
  EXPECT_EQ(entry.module, "org.apache.kafka.common.security.plain.PlainLoginModule");
  EXPECT_THAT(entry.options, ElementsAre(Pair("username", "alice"), Pair("password", "se\"cret")));
  EXPECT_EQ(*entry.Find("username"), "alice");
  EXPECT_EQ(entry.Find("none"), nullptr);
}

TEST(Jaas, TakesBareWordsAndAnyFlag) {
  EXPECT_THAT(Parse("a.M$odule OPTIONAL\n useKeyTab=true x_1=a-b.c$2;").options,
              ElementsAre(Pair("useKeyTab", "true"), Pair("x_1", "a-b.c$2")));
}

TEST(Jaas, ResolvesEscapes) {
  EXPECT_EQ(*Parse(R"(M required p="a\"b\\c\n\101\7z\477";)").Find("p"),
            "a\"b\\c\nA\az\x27"
            "7");
}

TEST(Jaas, SkipsComments) {
  EXPECT_THAT(Parse("// x\nM /* y; */ required // z\n a=\"1\" / single slash too\n b=\"/not/one\";").options,
              ElementsAre(Pair("a", "1"), Pair("b", "/not/one")));
}

TEST(Jaas, TheFirstOfSeveralCountsAndTheLastOfAnOption) {
  const JaasEntry entry = Parse("A required k=\"1\" k=\"2\"; B required k=\"3\";");
  EXPECT_EQ(entry.module, "A");
  EXPECT_EQ(*entry.Find("k"), "2");
}

TEST(Jaas, RefusesWhatJavaRefuses) {
  EXPECT_THAT(Error(""), HasSubstr("no login module"));
  EXPECT_THAT(Error("// only a comment"), HasSubstr("no login module"));
  EXPECT_THAT(Error("M"), HasSubstr("required, requisite"));
  EXPECT_THAT(Error("M maybe a=\"1\";"), HasSubstr("required, requisite"));
  EXPECT_THAT(Error("M required a=\"1\""), HasSubstr("a semicolon is missing"));
  EXPECT_THAT(Error("M required a;"), HasSubstr("option number 1"));
  EXPECT_THAT(Error("M required a=\"1\" b=5;"), HasSubstr("option number 2"));
  EXPECT_THAT(Error("M required a=-x;"), HasSubstr("option number 1"));
  EXPECT_THAT(Error("M required a=/etc/x;"), HasSubstr("option number 1"));
  EXPECT_THAT(Error("M required a=\"1\n\";"), HasSubstr("a quote is not closed"));
  EXPECT_THAT(Error("M required a=\"1;"), HasSubstr("a quote is not closed"));
  EXPECT_THAT(Error("M required a=\"\\000\";"), HasSubstr("a value holds a NUL"));
  EXPECT_THAT(Error("=;"), HasSubstr("must begin with"));
  EXPECT_THAT(Error("A required; B"), HasSubstr("required, requisite"));
}

TEST(Jaas, ErrorsNeverQuoteTheText) {
  for (const std::string_view text :
       {"M required hunter2", "hunter2 hunter2", "M required password=\"hunter2", "M required password=1hunter2;"})
    EXPECT_THAT(Error(text), Not(HasSubstr("hunter"))) << text;
}

}  // namespace
}  // namespace postrider::config
