#include "base/table_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace postrider {
namespace {

using testing::HasSubstr;

TableFilter Including(std::string_view tables) {
  auto filter = TableFilter::Make(tables, "", "", "");
  EXPECT_TRUE(filter.ok()) << filter.status();
  return *std::move(filter);
}

TEST(TableFilter, WithoutListsEveryTableMatches) {
  const TableFilter filter = Including("");
  EXPECT_TRUE(filter.empty());
  EXPECT_TRUE(filter.Matches("public", "outbox"));
  EXPECT_TRUE(Including("  ").empty());
}

TEST(TableFilter, MatchesTheWholeNameWithoutRegardToCase) {
  const TableFilter filter = Including("public.outbox");
  EXPECT_FALSE(filter.empty());
  EXPECT_TRUE(filter.Matches("public", "outbox"));
  EXPECT_TRUE(filter.Matches("Public", "OUTBOX"));
  EXPECT_FALSE(filter.Matches("public", "outbox2"));
  EXPECT_FALSE(filter.Matches("my_public", "outbox"));
  EXPECT_FALSE(filter.Matches("public", "orders"));
}

TEST(TableFilter, AnUnescapedDotIsAnyCharacter) {
  EXPECT_TRUE(Including("shop.a.b").Matches("shop", "a_b"));
  EXPECT_FALSE(Including("shop\\.a\\.b").Matches("shop", "a_b"));
  EXPECT_TRUE(Including("shop\\.a\\.b").Matches("shop", "a.b"));
}

TEST(TableFilter, SplitsAtCommasAndTrims) {
  const TableFilter filter = Including(" public.outbox , shop\\..* ,, audit\\.log_[0-9]+\t");
  EXPECT_TRUE(filter.Matches("public", "outbox"));
  EXPECT_TRUE(filter.Matches("shop", "anything"));
  EXPECT_TRUE(filter.Matches("audit", "log_2026"));
  EXPECT_FALSE(filter.Matches("audit", "log_"));
}

TEST(TableFilter, AnEscapedCommaBelongsToTheExpression) {
  const TableFilter filter = Including("public\\.a{1\\,2},public\\.odd\\,name");
  EXPECT_TRUE(filter.Matches("public", "aa"));
  EXPECT_FALSE(filter.Matches("public", "aaa"));
  EXPECT_TRUE(filter.Matches("public", "odd,name"));
  EXPECT_TRUE(Including("public\\.b\\\\,public\\.c").Matches("public", "b\\")) << "an escaped backslash before a comma";
  EXPECT_TRUE(Including("public\\.b\\\\,public\\.c").Matches("public", "c"));
}

TEST(TableFilter, IncludeWinsOverExclude) {
  const TableFilter filter = TableFilter::Make("public\\.a", "public\\.a,public\\.b", "", "").value();
  EXPECT_TRUE(filter.Matches("public", "a"));
  EXPECT_FALSE(filter.Matches("public", "b"));
  EXPECT_FALSE(filter.Matches("public", "c")) << "an include list excludes all else";
}

TEST(TableFilter, ExcludeAloneLeavesTheRest) {
  const TableFilter filter = TableFilter::Make("", "public\\.b", "", "").value();
  EXPECT_FALSE(filter.empty());
  EXPECT_TRUE(filter.Matches("public", "a"));
  EXPECT_FALSE(filter.Matches("public", "b"));
}

TEST(TableFilter, SchemaListsComeOnTopOfTableLists) {
  const TableFilter filter = TableFilter::Make("", "shop\\.old", "shop,SALES.*", "").value();
  EXPECT_TRUE(filter.Matches("shop", "outbox"));
  EXPECT_TRUE(filter.Matches("sales_eu", "outbox"));
  EXPECT_FALSE(filter.Matches("shop", "old"));
  EXPECT_FALSE(filter.Matches("public", "outbox"));
  EXPECT_FALSE(TableFilter::Make("", "", "", "shop").value().Matches("shop", "outbox"));
  EXPECT_TRUE(TableFilter::Make("", "", "", "shop").value().Matches("public", "outbox"));
}

TEST(TableFilter, BuiltInTablesNeverMatch) {
  const TableFilter all = Including(".*");
  EXPECT_FALSE(all.Matches("pg_catalog", "pg_class"));
  EXPECT_FALSE(all.Matches("information_schema", "tables"));
  EXPECT_FALSE(all.Matches("pg_temp_3", "outbox"));
  EXPECT_FALSE(all.Matches("public", "spatial_ref_sys"));
  EXPECT_TRUE(all.Matches("pg_custom", "outbox"));
}

TEST(TableFilter, AWrongExpressionNamesItsListAndItself) {
  const auto status = TableFilter::Make("public.ok", "", "", "fine,sh(op").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("schema.exclude.list: the expression 'sh(op': at offset 2"));
  EXPECT_FALSE(TableFilter::Make("public\\", "", "", "").ok());
}

TEST(TableFilter, ANameThatIsNotUtf8MatchesNothing) {
  EXPECT_FALSE(Including(".*").Matches("public", "\xff"));
  EXPECT_TRUE(TableFilter::Make("", ".*", "", "").value().Matches("public", "\xff"));
}

}  // namespace
}  // namespace postrider
