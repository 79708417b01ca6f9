#include "config/draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace postrider::config {
namespace {

using ::testing::ElementsAre;

Setting Make(const std::string& key, const std::string& raw, int line) {
  Setting setting;
  setting.key = key;
  setting.raw = setting.value = raw;
  setting.origin = {.file = 0, .line = line, .name = "c.properties"};
  return setting;
}

// Upper case stands for resolving.
Draft DraftOf(std::initializer_list<Setting> list) {
  Settings settings;
  for (const Setting& setting : list) settings.Put(setting);
  return {std::move(settings), [](const Setting&) -> Resolve {
            return [](const std::string& raw) -> absl::StatusOr<std::string> { return ToUpper(raw); };
          }};
}

TEST(Draft, ReadsSettingsAndDefaults) {
  const Draft draft =
      DraftOf({Make("slot.name", " s ", 1), Make("slot.failover", "TRUE", 2), Make("transforms", "a, b", 3)});
  EXPECT_EQ(draft.Text("slot.name"), "s");
  EXPECT_EQ(draft.Raw("slot.name"), " s ");
  EXPECT_TRUE(draft.Flag("slot.failover"));
  EXPECT_FALSE(draft.Flag("slot.drop.on.stop"));
  EXPECT_EQ(draft.Number("status.update.interval.ms"), 10'000);
  EXPECT_THAT(draft.List("transforms"), ElementsAre("a", "b"));
  EXPECT_EQ(draft.Text("publication.name"), "dbz_publication");
  EXPECT_FALSE(draft.Has("publication.name"));
}

TEST(Draft, ARefusedSettingReadsAsItsDefault) {
  Draft draft = DraftOf({Make("slot.name", "Bad Name", 7)});
  draft.Refuse("slot.name", "allowed is x");
  EXPECT_EQ(draft.Text("slot.name"), "debezium");
  EXPECT_THAT(draft.problems(), ElementsAre("c.properties:7: slot.name is 'Bad Name': allowed is x"));
  EXPECT_EQ(draft.FindingOf("slot.name")->outcome, KeyOutcome::kRefused);
  draft.SetOutcome("slot.name", KeyOutcome::kHonoured, "later");
  EXPECT_EQ(draft.FindingOf("slot.name")->outcome, KeyOutcome::kRefused);
}

TEST(Draft, SecretsAreNeverShown) {
  Setting placeholder = Make("database.password", "${env:PW}", 1);
  placeholder.value = "hidden";
  placeholder.has_placeholder = true;
  Setting mixed = Make("producer.ssl.key.password", "hid${env:PW}", 1);
  mixed.has_placeholder = true;
  Setting server = Make("database.sslpassword", "${PW:hidden}", 1);
  server.has_placeholder = server.server_form = true;
  const Draft draft = DraftOf({placeholder, mixed, server});
  EXPECT_EQ(draft.Shown(placeholder), "${env:PW}");
  EXPECT_EQ(draft.Shown(mixed), "***");
  EXPECT_EQ(draft.Shown(server), "***");
  for (const std::string key : {"database.password", "producer.override.sasl.jaas.config", "sasl.jaas.config",
                                "producer.ssl.keystore.key", "database.pasword", "consumer.sasl.jaas.config",
                                "librdkafka.sasl.password", "vendor.api.token", "transforms.x.client.secret"})
    EXPECT_EQ(draft.Shown(Make(key, "hidden", 1)), "***") << key;
  EXPECT_EQ(draft.Shown(Make("database.password", "", 1)), "");
}

TEST(Draft, OtherValuesAreShownOnOneLine) {
  const Draft draft = DraftOf({});
  EXPECT_EQ(draft.Shown(Make("slot.name", "a\nb\tc\x1b[31m", 1)), "a\\nb\\tc?[31m");
  EXPECT_EQ(draft.Shown(Make("slot.name", std::string(300, 'x'), 1)), std::string(200, 'x') + "...");
  Setting placeholder = Make("database.hostname", "${env:HOST}", 1);
  placeholder.value = "db";
  placeholder.has_placeholder = true;
  EXPECT_EQ(draft.Shown(placeholder), "${env:HOST}");
}

TEST(Draft, SecretResolvesAtEachReading) {
  Setting resolved = Make("database.password", "pw", 1);
  resolved.has_placeholder = true;
  const Draft draft = DraftOf({resolved, Make("database.sslpassword", "plain", 2)});
  EXPECT_EQ(*draft.SecretOf("database.password").Read(), "PW");
  EXPECT_EQ(*draft.SecretOf("database.sslpassword").Read(), "plain");
  EXPECT_TRUE(draft.SecretOf("producer.ssl.key.password").empty());
  const Secret derived = draft.SecretOf(
      "database.password", [](const std::string& text) -> absl::StatusOr<std::string> { return text + "!"; });
  EXPECT_EQ(*derived.Read(), "PW!");
}

TEST(Draft, WhereNamesTheKeyAsItWasWritten) {
  Setting setting = Make("slot.name", "s", 4);
  setting.written_as = "debezium.source.slot.name";
  const Draft draft = DraftOf({setting});
  EXPECT_EQ(draft.Where("slot.name"), "c.properties:4: debezium.source.slot.name");
  EXPECT_EQ(draft.Where("plugin.name"), "plugin.name");
}

}  // namespace
}  // namespace postrider::config
