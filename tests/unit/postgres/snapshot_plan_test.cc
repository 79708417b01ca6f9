#include "postgres/snapshot_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace postrider::postgres {
namespace {

using testing::ElementsAre;

const std::vector<SnapshotColumn> kColumns = {{"id", 2950, -1}, {"pay\"load", 3802, -1}};

Table Named(const std::string& schema, const std::string& name, char kind = 'r') {
  return {.oid = 1,
          .schema = schema,
          .name = name,
          .kind = kind,
          .root_oid = 1,
          .root_schema = schema,
          .root_name = name,
          .columns = {}};
}

TEST(CopyTableSql, ReadsATableAloneAndAPartitionedOneWithItsPartitions) {
  EXPECT_EQ(
      CopyTableSql(Named("public", "outbox"), kColumns, ""),
      "SET LOCAL search_path = '';COPY (SELECT \"id\", \"pay\"\"load\" FROM ONLY \"public\".\"outbox\") TO STDOUT");
  EXPECT_EQ(CopyTableSql(Named("public", "outbox", 'p'), kColumns, ""),
            "SET LOCAL search_path = '';COPY (SELECT \"id\", \"pay\"\"load\" FROM \"public\".\"outbox\") TO STDOUT");
}

TEST(CopyTableSql, HoldsBackWhatTheRowFilterHoldsBack) {
  EXPECT_EQ(CopyTableSql(Named("public", "outbox"), {{"id", 23, -1}}, "(id > 5)"),
            "SET LOCAL search_path = '';COPY (SELECT \"id\" FROM ONLY \"public\".\"outbox\" WHERE (id > 5)) TO STDOUT");
}

TEST(CopySelectSql, NestsTheUsersStatementAndFillsMissingColumnsWithNull) {
  EXPECT_EQ(CopySelectSql(" SELECT * FROM outbox WHERE sent IS NULL; ", kColumns, {"id", "other"}),
            "SET LOCAL search_path TO DEFAULT;COPY (SELECT q.\"id\", NULL FROM (SELECT * FROM outbox WHERE sent IS "
            "NULL\n) AS q) TO STDOUT");
}

TEST(CopySelectSql, ACommentAtTheEndDoesNotSwallowTheRest) {
  EXPECT_THAT(CopySelectSql("SELECT 1 AS id -- all", kColumns, {"id"}),
              testing::HasSubstr("-- all\n) AS q) TO STDOUT"));
}

TEST(SnapshotTables, AreAllOrThoseOfTheList) {
  Table leaf = Named("public", "events_p1");
  leaf.root_name = "events";
  const std::vector<Table> captured = {Named("public", "outbox"), Named("shop", "outbox"), leaf};
  config::Snapshot snapshot;
  EXPECT_EQ(SnapshotTables(snapshot, captured).value().size(), 3);
  snapshot.include_collection_list = "shop.outbox, public.events";
  std::vector<std::string> names;
  const std::vector<Table> tables = SnapshotTables(snapshot, captured).value();
  for (const Table& table : tables) names.push_back(table.schema + "." + table.name);
  EXPECT_THAT(names, ElementsAre("shop.outbox", "public.events_p1"));
  snapshot.include_collection_list = "(";
  EXPECT_EQ(FaultOf(SnapshotTables(snapshot, captured).status()), Fault::kConfiguration);
}

}  // namespace
}  // namespace postrider::postgres
