#include "postgres/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace postrider::postgres {
namespace {

constexpr uint32_t kText = 25, kTextArray = 1009, kMood = 16390, kMoodArray = 16389, kEmail = 16400, kWorkEmail = 16401;

TypeRows Types() {
  TypeRows types;
  types[kText] = {.schema = "pg_catalog", .name = "text"};
  types[1043] = {.schema = "pg_catalog", .name = "varchar"};
  types[kTextArray] = {.schema = "pg_catalog", .name = "_text", .element_oid = kText};
  types[kMood] = {.schema = "public", .name = "mood", .kind = 'e', .labels = {"sad", "ok", "happy"}};
  types[kMoodArray] = {.schema = "public", .name = "_mood", .element_oid = kMood};
  types[kEmail] = {.schema = "public", .name = "email", .kind = 'd', .base_oid = 1043, .base_modifier = 104};
  types[kWorkEmail] = {.schema = "public", .name = "work_email", .kind = 'd', .base_oid = kEmail, .not_null = true};
  return types;
}

TEST(ResolveType, ABaseTypeIsItself) {
  bool not_null = false;
  const TypeInfo info = ResolveType(Types(), 1043, 259, not_null);
  EXPECT_EQ(info.oid, 1043);
  EXPECT_EQ(info.modifier, 259);
  EXPECT_EQ(info.name, "varchar");
  EXPECT_EQ(info.element_oid, 0);
  EXPECT_FALSE(not_null);
}

TEST(ResolveType, DomainsOfDomainsGiveBaseModifierAndNotNull) {
  bool not_null = false;
  const TypeInfo info = ResolveType(Types(), kWorkEmail, -1, not_null);
  EXPECT_EQ(info.oid, 1043);
  EXPECT_EQ(info.modifier, 104);
  EXPECT_EQ(info.schema, "pg_catalog");
  EXPECT_EQ(info.name, "varchar");
  EXPECT_EQ(info.kind, 'b');
  EXPECT_TRUE(not_null);
}

TEST(ResolveType, EnumsHaveTheirLabelsInOrder) {
  bool not_null = false;
  const TypeInfo info = ResolveType(Types(), kMood, -1, not_null);
  EXPECT_EQ(info.kind, 'e');
  EXPECT_THAT(info.enum_labels, testing::ElementsAre("sad", "ok", "happy"));
}

TEST(ResolveType, ArraysNameTheirElement) {
  bool not_null = false;
  const TypeInfo info = ResolveType(Types(), kMoodArray, -1, not_null);
  EXPECT_EQ(info.name, "_mood");
  EXPECT_EQ(info.element_oid, kMood);
  EXPECT_EQ(info.element_schema, "public");
  EXPECT_EQ(info.element_name, "mood");
  EXPECT_EQ(info.element_kind, 'e');
  EXPECT_THAT(info.enum_labels, testing::ElementsAre("sad", "ok", "happy"));
}

TEST(ResolveType, AnArrayOfADomainNamesTheBaseAndItsNullsAreTheElements) {
  TypeRows types = Types();
  types[16410] = {.schema = "public", .name = "_work_email", .element_oid = kWorkEmail};
  bool not_null = false;
  const TypeInfo info = ResolveType(types, 16410, -1, not_null);
  EXPECT_EQ(info.element_oid, 1043);
  EXPECT_EQ(info.element_name, "varchar");
  EXPECT_FALSE(not_null);
}

TEST(ResolveType, ATypeThatIsGoneKeepsItsOid) {
  bool not_null = false;
  const TypeInfo info = ResolveType(Types(), 99999, 7, not_null);
  EXPECT_EQ(info.oid, 99999);
  EXPECT_EQ(info.modifier, 7);
  EXPECT_EQ(info.name, "");
}

TEST(ResolveType, ACircleOfDomainsEnds) {
  TypeRows types;
  types[1] = {.name = "a", .kind = 'd', .base_oid = 2};
  types[2] = {.name = "b", .kind = 'd', .base_oid = 1};
  bool not_null = false;
  EXPECT_EQ(ResolveType(types, 1, -1, not_null).name, "");
}

}  // namespace
}  // namespace postrider::postgres
