#include "config/placeholders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scratch.h"

namespace postrider::config {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Error(const Placeholders& placeholders, std::string_view text) {
  return std::string(placeholders.Resolve(text).status().message());
}

TEST(Placeholders, ARegexGroupIsNone) {
  EXPECT_FALSE(Placeholders::In("outbox.event.${routedByValue}"));
  EXPECT_FALSE(Placeholders::In("${env:X"));
  EXPECT_TRUE(Placeholders::In("${routedByValue}.${env:X}"));
}

TEST(Placeholders, TakesVariablesInTheMiddleOfText) {
  const Placeholders placeholders(Placeholders::Environment{{"HOST", "db"}, {"EMPTY", ""}});
  EXPECT_EQ(*placeholders.Resolve("a-${env:HOST}-${env:EMPTY}-${env:HOST}.${group}"), "a-db--db.${group}");
}

TEST(Placeholders, DoesNotLookThroughWhatItGot) {
  const Placeholders placeholders(Placeholders::Environment{{"A", "${env:B}"}, {"B", "no"}});
  EXPECT_EQ(*placeholders.Resolve("${env:A}"), "${env:B}");
}

TEST(Placeholders, TakesAKeyOfAFile) {
  const Scratch scratch;
  const std::string path = scratch.Write("secrets.properties", "user=relay\npass\\:word=old\npass\\:word=p\\u00e4ss\n");
  const Placeholders placeholders(Placeholders::Environment{});
  EXPECT_EQ(*placeholders.Resolve("${file:" + path + ":user}"), "relay");
  EXPECT_EQ(*placeholders.Resolve("${file:" + path + ":pass:word}"), "p\xC3\xA4ss");
}

TEST(Placeholders, ReadsTheFileAnewEachTime) {
  const Scratch scratch;
  const std::string path = scratch.Write("s.properties", "k=one");
  const Placeholders placeholders(Placeholders::Environment{});
  EXPECT_EQ(*placeholders.Resolve("${file:" + path + ":k}"), "one");
  scratch.Write("s.properties", "k=two");
  EXPECT_EQ(*placeholders.Resolve("${file:" + path + ":k}"), "two");
}

TEST(Placeholders, TakesAFileOfADirectoryWithoutItsLastNewline) {
  const Scratch scratch;
  scratch.Write("password", "top secret\n\n");
  const Placeholders placeholders(Placeholders::Environment{});
  EXPECT_EQ(*placeholders.Resolve("${directory:" + scratch.Path("") + ":password}"), "top secret\n");
}

TEST(Placeholders, ErrorsNameWhatIsMissingAndNoValue) {
  const Scratch scratch;
  const std::string path = scratch.Write("s.properties", "other=hidden");
  const Placeholders placeholders(Placeholders::Environment{{"A", "hidden"}});
  EXPECT_EQ(Error(placeholders, "x${env:NO}"), "${env:NO}: the environment has no variable NO");
  EXPECT_EQ(Error(placeholders, "${file:/no/such:k}"), "${file:/no/such:k}: /no/such does not exist");
  EXPECT_THAT(Error(placeholders, "${env:A}${file:" + path + ":k}"), HasSubstr(path + " has no key k"));
  EXPECT_THAT(Error(placeholders, "${env:A}${file:" + path + ":k}"), Not(HasSubstr("hidden")));
  EXPECT_THAT(Error(placeholders, "${directory:" + scratch.Path("") + ":no}"), HasSubstr("does not exist"));
  EXPECT_THAT(Error(placeholders, "${vault:a:b}"),
              HasSubstr("no config provider is called vault; there is directory, env, file"));
}

TEST(Placeholders, RefusesMalformedOnes) {
  const Scratch scratch;
  scratch.Write("x", "1");
  const Placeholders placeholders(Placeholders::Environment{{"A", "1"}});
  EXPECT_THAT(Error(placeholders, "${env:path:A}"), HasSubstr("has no path"));
  EXPECT_THAT(Error(placeholders, "${file:k}"), HasSubstr("write ${file:PATH:KEY}"));
  EXPECT_THAT(Error(placeholders, "${directory:" + scratch.Path("sub") + ":../x}"),
              HasSubstr("write ${directory:PATH:FILE}"));
  scratch.Write("bad.properties", "a=1\nb=\\u1");
  EXPECT_THAT(Error(placeholders, "${file:" + scratch.Path("bad.properties") + ":a}"),
              HasSubstr("bad.properties, line 2"));
}

TEST(Placeholders, OnlyNamedAliasesAreKnown) {
  const Placeholders placeholders(Placeholders::Environment{{"A", "1"}}, {{"vars", ProviderKind::kEnvironment}});
  EXPECT_EQ(*placeholders.Resolve("${vars:A}"), "1");
  EXPECT_THAT(Error(placeholders, "${env:A}"), HasSubstr("no config provider is called env; there is vars"));
  EXPECT_THAT(Error(Placeholders({}, {}), "${env:A}"), HasSubstr("there is none"));
}

TEST(Placeholders, KnowsTheClassesOfKafka) {
  EXPECT_EQ(ProviderKindOf("org.apache.kafka.common.config.provider.FileConfigProvider"), ProviderKind::kFile);
  EXPECT_EQ(ProviderKindOf("org.apache.kafka.common.config.provider.DirectoryConfigProvider"),
            ProviderKind::kDirectory);
  EXPECT_EQ(ProviderKindOf("org.apache.kafka.common.config.provider.EnvVarConfigProvider"), ProviderKind::kEnvironment);
  EXPECT_EQ(ProviderKindOf("io.strimzi.kafka.EnvVarConfigProvider"), ProviderKind::kEnvironment);
  EXPECT_EQ(ProviderKindOf("io.strimzi.kafka.KubernetesSecretConfigProvider"), std::nullopt);
  EXPECT_EQ(ProviderKindOf("com.example.FileConfigProvider"), std::nullopt);
}

TEST(SecretFile, LosesOneNewline) {
  const Scratch scratch;
  EXPECT_EQ(*ReadSecretFile(scratch.Write("a", "x\r\n")), "x");
  EXPECT_EQ(*ReadSecretFile(scratch.Write("b", "x")), "x");
  EXPECT_EQ(*ReadSecretFile(scratch.Write("c", "")), "");
  EXPECT_FALSE(ReadSecretFile(scratch.Write("d", std::string_view("x\0y", 3))).ok());
}

}  // namespace
}  // namespace postrider::config
