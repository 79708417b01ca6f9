// src/config/selection.cc
#include "config/selection.h"

#include <gtest/gtest.h>

#include "base/fault.h"

namespace postrider::config {
namespace {

TEST(Selection, TheListsOfTablesAndSchemasDecideWhatIsCaptured) {
  const auto tables = TablesOf({.table_include_list = "public\\.outbox,sales\\..*", .table_exclude_list = ""});
  ASSERT_TRUE(tables.ok()) << tables.status();
  EXPECT_TRUE(tables->Matches("public", "outbox"));
  EXPECT_TRUE(tables->Matches("sales", "anything"));
  EXPECT_FALSE(tables->Matches("public", "orders"));
  const auto schemas = TablesOf({.schema_exclude_list = "audit"});
  EXPECT_TRUE(schemas->Matches("public", "orders"));
  EXPECT_FALSE(schemas->Matches("audit", "orders"));
}

TEST(Selection, ColumnsAreNamedBehindTheirTable) {
  const auto columns = ColumnsOf({.column_exclude_list = "public\\.outbox\\.secret"});
  ASSERT_TRUE(columns.ok()) << columns.status();
  EXPECT_FALSE(columns->Matches("public.outbox", "secret"));
  EXPECT_TRUE(columns->Matches("public.outbox", "payload"));
}

TEST(Selection, AnExpressionThatCannotBeCompiledIsAFaultOfTheConfiguration) {
  EXPECT_EQ(FaultOf(TablesOf({.table_include_list = "("}).status()), Fault::kConfiguration);
  EXPECT_EQ(FaultOf(ColumnsOf({.column_include_list = "("}).status()), Fault::kConfiguration);
}

}  // namespace
}  // namespace postrider::config
