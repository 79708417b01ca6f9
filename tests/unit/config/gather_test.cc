#include "config/gather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scratch.h"

namespace postrider::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(Gather, PrecedenceIsFilesThenVariablesThenSet) {
  const Scratch scratch;
  const auto gathered =
      Gather({.files = {scratch.Write("a.properties", "slot.name=a\npublication.name=a\nname=a\ntopic.prefix=a\n"),
                        scratch.Write("b.json", R"({"publication.name":"b","name":"b","topic.prefix":"b"})")},
              .overrides = {{"topic.prefix", "set"}},
              .environment = {{"POSTRIDER_NAME", "env"}, {"POSTRIDER_TOPIC_PREFIX", "env"}}});
  ASSERT_TRUE(gathered.ok()) << gathered.status();
  EXPECT_EQ(gathered->settings.Find("slot.name")->value, "a");
  EXPECT_EQ(gathered->settings.Find("publication.name")->value, "b");
  EXPECT_EQ(gathered->settings.Find("publication.name")->origin.file, 1);
  EXPECT_EQ(gathered->settings.Find("name")->value, "env");
  EXPECT_EQ(gathered->settings.Find("topic.prefix")->value, "set");
  EXPECT_EQ(gathered->settings.Find("topic.prefix")->origin.ToString(), "--set");
}

TEST(Gather, WarnsOfAKeyThatOneFileGivesTwice) {
  const Scratch scratch;
  const auto gathered = Gather(
      {.files = {scratch.Write("a.properties", "slot.name=a\nslot.name=b\n")}, .overrides = {}, .environment = {}});
  ASSERT_TRUE(gathered.ok());
  EXPECT_EQ(gathered->settings.Find("slot.name")->value, "b");
  EXPECT_THAT(
      gathered->warnings,
      ElementsAre(HasSubstr("a.properties:2: slot.name is given a second time; the one in line 1 does not count")));
}

TEST(Gather, WarnsOfAWorkersFileAfterItsConnectors) {
  const Scratch scratch;
  const std::string worker = scratch.Write("worker.properties", "value.converter=a\nheader.converter=b\n");
  const std::string connector = scratch.Write("connector.properties", "connector.class=Postgres\nvalue.converter=c\n");
  const auto wrong = Gather({.files = {connector, worker}, .overrides = {}, .environment = {}});
  ASSERT_TRUE(wrong.ok());
  EXPECT_THAT(wrong->warnings,
              ElementsAre(HasSubstr("worker.properties:1: value.converter overrides the connector's own")));
  const auto right = Gather({.files = {worker, connector}, .overrides = {}, .environment = {}});
  ASSERT_TRUE(right.ok());
  EXPECT_THAT(right->warnings, ::testing::IsEmpty());
}

TEST(Gather, PlaceholdersUnderTheAliasesOfTheFiles) {
  const Scratch scratch;
  const std::string providers =
      "config.providers=vars, "
      "file\nconfig.providers.vars.class=org.apache.kafka.common.config.provider.EnvVarConfigProvider\n";
  const auto gathered =
      Gather({.files = {scratch.Write("a.properties", providers + "slot.name=${vars:S}\nname=${env:S}\n")},
              .overrides = {{"database.user", "${file:/no/such:k}"}},
              .environment = {{"S", "s1"}}});
  ASSERT_TRUE(gathered.ok());
  EXPECT_EQ(gathered->settings.Find("slot.name")->value, "s1");
  EXPECT_TRUE(gathered->settings.Find("slot.name")->has_placeholder);
  EXPECT_THAT(gathered->unresolved,
              ElementsAre(Pair("name", HasSubstr("no config provider is called env; there is file, vars")),
                          Pair("database.user", HasSubstr("/no/such does not exist"))));
}

TEST(Gather, AProviderThatIsNotOneOfOursIsUnknown) {
  const Scratch scratch;
  const auto gathered =
      Gather({.files = {scratch.Write("a.properties",
                                      "config.providers=vault\nconfig.providers.vault.class=com.example.Vault\n"
                                      "slot.name=${vault:p:k}\n")},
              .overrides = {},
              .environment = {}});
  ASSERT_TRUE(gathered.ok());
  EXPECT_THAT(gathered->unresolved,
              ElementsAre(Pair("slot.name", HasSubstr("no config provider is called vault; there is none"))));
}

TEST(Gather, RefusesFilesThatCannotBeRead) {
  EXPECT_THAT(std::string(Gather({.files = {"/no/such.json"}, .overrides = {}, .environment = {}}).status().message()),
              HasSubstr("/no/such.json does not exist"));
  EXPECT_THAT(std::string(Gather({.files = {}, .overrides = {{"", "x"}}, .environment = {}}).status().message()),
              HasSubstr("--set has no key"));
}

}  // namespace
}  // namespace postrider::config
