#include "config/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "scratch.h"

namespace postrider::config {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Value(const Settings& settings, std::string_view key) {
  const Setting* setting = settings.Find(key);
  return setting == nullptr ? "(absent)" : setting->value;
}

TEST(Environment, NamesOfVariables) {
  EXPECT_EQ(VariableOf("database.hostname"), "POSTRIDER_DATABASE_HOSTNAME");
  EXPECT_EQ(VariableOf("postrider.log.level"), "POSTRIDER_LOG_LEVEL");
  EXPECT_EQ(VariableOf("database.tcpKeepAlive"), "POSTRIDER_DATABASE_TCPKEEPALIVE");
  EXPECT_EQ(VariableOf("transforms.my-outbox.type"), "POSTRIDER_TRANSFORMS_MY_OUTBOX_TYPE");
}

TEST(Environment, OverridesTheFiles) {
  Settings settings = SettingsOf({{"slot.name", "a"}});
  std::vector<std::string> warnings;
  ASSERT_TRUE(ApplyEnvironment({{"POSTRIDER_SLOT_NAME", "b"}, {"POSTRIDER_DATABASE_HOSTNAME", "db"}, {"PATH", "/bin"}},
                               settings, warnings)
                  .ok());
  EXPECT_EQ(Value(settings, "slot.name"), "b");
  EXPECT_EQ(settings.Find("slot.name")->origin.ToString(), "environment POSTRIDER_SLOT_NAME");
  EXPECT_EQ(Value(settings, "database.hostname"), "db");
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(Environment, ReachesKeysBehindAliases) {
  Settings settings =
      SettingsOf({{"transforms", "outbox"}, {"transforms.outbox.type", "io.debezium.transforms.outbox.EventRouter"}});
  std::vector<std::string> warnings;
  ASSERT_TRUE(ApplyEnvironment({{"POSTRIDER_TRANSFORMS_OUTBOX_ROUTE_BY_FIELD", "kind"},
                                {"POSTRIDER_PRODUCER_OVERRIDE_LINGER_MS", "1"}},
                               settings, warnings)
                  .ok());
  EXPECT_EQ(Value(settings, "transforms.outbox.route.by.field"), "kind");
  EXPECT_EQ(Value(settings, "producer.override.linger.ms"), "1");
}

TEST(Environment, ReachesKeysBehindAliasesOfItsOwn) {
  Settings settings;
  std::vector<std::string> warnings;
  ASSERT_TRUE(ApplyEnvironment({{"POSTRIDER_TRANSFORMS_OUTBOX_ROUTE_BY_FIELD", "kind"},
                                {"POSTRIDER_TRANSFORMS_OUTBOX_TYPE", "io.debezium.transforms.outbox.EventRouter"},
                                {"POSTRIDER_TRANSFORMS", "outbox"}},
                               settings, warnings)
                  .ok());
  EXPECT_EQ(Value(settings, "transforms.outbox.route.by.field"), "kind");
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(Environment, ReachesUnknownKeysOfTheFiles) {
  Settings settings = SettingsOf({{"librdkafka.socket.max.fails", "1"}});
  std::vector<std::string> warnings;
  ASSERT_TRUE(ApplyEnvironment({{"POSTRIDER_LIBRDKAFKA_SOCKET_MAX_FAILS", "2"}}, settings, warnings).ok());
  EXPECT_EQ(Value(settings, "librdkafka.socket.max.fails"), "2");
}

TEST(Environment, WarnsOfUnknownVariablesWithTheNearest) {
  Settings settings;
  std::vector<std::string> warnings;
  ASSERT_TRUE(ApplyEnvironment({{"POSTRIDER_DATABASE_HOSTNMAE", "db"}}, settings, warnings).ok());
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0],
            "environment POSTRIDER_DATABASE_HOSTNMAE is no known key and is ignored; did you mean "
            "POSTRIDER_DATABASE_HOSTNAME?");
}

TEST(Environment, LeavesTheVariablesOfKubernetesAlone) {
  Settings settings;
  std::vector<std::string> warnings;
  ASSERT_TRUE(ApplyEnvironment({{"POSTRIDER_SERVICE_HOST", "10.0.0.1"},
                                {"POSTRIDER_PORT", "tcp://10.0.0.1:80"},
                                {"POSTRIDER_PORT_80_TCP", "x"}},
                               settings, warnings)
                  .ok());
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_THAT(settings.all(), IsEmpty());
}

TEST(Environment, RefusesAVariableThatFitsTwoKeys) {
  Settings settings = SettingsOf({{"slot.name", "a"}, {"slot_name", "b"}});
  std::vector<std::string> warnings;
  const absl::Status status = ApplyEnvironment({{"POSTRIDER_SLOT_NAME", "c"}}, settings, warnings);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(FaultOf(status), Fault::kConfiguration);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("POSTRIDER_SLOT_NAME could be any of the keys slot.name, slot_name"));
}

}  // namespace
}  // namespace postrider::config
