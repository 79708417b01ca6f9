#include "config/settings.h"

#include <gtest/gtest.h>

namespace postrider::config {
namespace {

Setting Make(const std::string& key, const std::string& value, Origin origin) {
  Setting setting;
  setting.key = key;
  setting.raw = setting.value = value;
  setting.origin = std::move(origin);
  return setting;
}

TEST(Settings, LastWriterWinsInTheFirstOnesPlace) {
  Settings settings;
  settings.Put(Make("a", "1", {.file = 0, .line = 1, .name = "x"}));
  settings.Put(Make("b", "2", {.file = 0, .line = 2, .name = "x"}));
  const Setting* before = settings.Find("a");
  settings.Put(Make("a", "3", {.kind = Origin::Kind::kSet}));
  ASSERT_EQ(settings.all().size(), 2U);
  EXPECT_EQ(settings.all()[0].value, "3");
  EXPECT_EQ(settings.Find("a"), before);
  EXPECT_EQ(settings.Find("c"), nullptr);
}

TEST(Settings, OriginsNameFileAndLine) {
  EXPECT_EQ((Origin{.line = 12, .name = "connector.properties"}).ToString(), "connector.properties:12");
  EXPECT_EQ((Origin{.line = 3, .name = "-"}).ToString(), "standard input:3");
  EXPECT_EQ((Origin{.line = 0, .name = "application.properties"}).ToString(), "application.properties");
  EXPECT_EQ((Origin{.kind = Origin::Kind::kEnvironment, .name = "POSTRIDER_SLOT_NAME"}).ToString(),
            "environment POSTRIDER_SLOT_NAME");
  EXPECT_EQ((Origin{.kind = Origin::Kind::kSet}).ToString(), "--set");
}

TEST(Settings, NameIsWhatTheUserWrote) {
  Setting setting = Make("slot.name", "s", {});
  EXPECT_EQ(setting.name(), "slot.name");
  setting.written_as = "debezium.source.slot.name";
  EXPECT_EQ(setting.name(), "debezium.source.slot.name");
}

}  // namespace
}  // namespace postrider::config
