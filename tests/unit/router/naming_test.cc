#include "router/naming.h"

#include <gtest/gtest.h>

namespace postrider::router {
namespace {

TEST(Naming, PrefixSchemaAndTable) {
  EXPECT_EQ(TableTopic("app", "public", "outbox"), "app.public.outbox");
}

TEST(Naming, OtherCharactersBecomeUnderscores) {
  EXPECT_EQ(TableTopic("app", "Tenant-\xc3\x84", "out box$"), "app.Tenant-_.out_box_");
  EXPECT_EQ(TableTopic("app", "s", "\xe2\x82\xac"), "app.s._");
  EXPECT_EQ(TableTopic("app", "s", "\xf0\x9f\x98\x80"), "app.s.__");  // two units of UTF-16
}

TEST(Naming, EmptyPartsHaveNoDot) {
  EXPECT_EQ(TableTopic("app", "", "t"), "app.t");
}

TEST(Naming, CutOffWhereKafkaEnds) {
  EXPECT_EQ(TableTopic("app", "s", std::string(300, 'x')), "app.s." + std::string(243, 'x'));
}

}  // namespace
}  // namespace postrider::router
