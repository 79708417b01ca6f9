#include "postgres/publication.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace postrider::postgres {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

CandidateTable Plain(uint32_t oid, const std::string& schema, const std::string& name) {
  return {.oid = oid,
          .schema = schema,
          .name = name,
          .identity = true,
          .root_oid = oid,
          .root_schema = schema,
          .root_name = name};
}
CandidateTable Partitioned(uint32_t oid, const std::string& schema, const std::string& name) {
  CandidateTable table = Plain(oid, schema, name);
  table.kind = 'p';
  return table;
}
CandidateTable LeafOf(const CandidateTable& root, uint32_t oid, const std::string& name) {
  CandidateTable table = Plain(oid, root.schema, name);
  table.root_oid = root.oid;
  table.root_schema = root.schema;
  table.root_name = root.name;
  return table;
}

config::Config Including(const std::string& tables) {
  config::Config config;
  config.database.dbname = "shop";
  config.database.user = "relay";
  config.publication.name = "Outbox_Pub";
  config.tables.table_include_list = tables;
  return config;
}

TableFilter FilterOf(const config::Config& config) {
  return TableFilter::Make(config.tables.table_include_list, config.tables.table_exclude_list,
                           config.tables.schema_include_list, config.tables.schema_exclude_list)
      .value();
}

absl::StatusOr<std::string> Create(const config::Config& config, const std::vector<CandidateTable>& tables) {
  return CreatePublicationSql(config, FilterOf(config), tables);
}

absl::StatusOr<std::vector<uint32_t>> Captured(const config::Config& config, const TableState& state) {
  return CapturedTables(config, FilterOf(config), state);
}

TableState Published(std::vector<CandidateTable> tables, std::vector<uint32_t> published) {
  TableState state;
  state.publication = PublicationRow{.inserts = true};
  state.tables = std::move(tables);
  state.published = std::move(published);
  return state;
}

std::string Text(const absl::Status& status) {
  return std::string(status.message());
}

TEST(CreatePublication, HoldsTheMatchingTablesAndInsertsAlone) {
  EXPECT_EQ(Create(Including("public.outbox"), {Plain(1, "public", "orders"), Plain(2, "public", "outbox")}).value(),
            "CREATE PUBLICATION \"Outbox_Pub\" FOR TABLE \"public\".\"outbox\" WITH (publish = 'insert')");
}

TEST(CreatePublication, NamesAreQuoted) {
  EXPECT_THAT(Create(Including("Tenant\\.A.out box"), {Plain(1, "Tenant.A", "Out Box")}).value(),
              HasSubstr("FOR TABLE \"Tenant.A\".\"Out Box\" WITH"));
}

TEST(CreatePublication, UpdatesAreTakenInWhereTheyAreAskedForAndCannotBreakTheApplication) {
  config::Config config = Including("public.outbox");
  config.publication.publish_updates = true;
  CandidateTable table = Plain(1, "public", "outbox");
  EXPECT_THAT(Create(config, {table}).value(), HasSubstr("publish = 'insert, update'"));
  table.identity = false;
  EXPECT_THAT(Create(config, {table}).value(), HasSubstr("publish = 'insert')"));
}

TEST(CreatePublication, AllTablesOnlyWhereWritten) {
  config::Config config = Including("public.outbox");
  config.publication.autocreate = config::PublicationAutocreate::kAllTables;
  EXPECT_EQ(Create(config, {}).value(), "CREATE PUBLICATION \"Outbox_Pub\" FOR ALL TABLES WITH (publish = 'insert')");
  config.publication.autocreate = config::PublicationAutocreate::kNoTables;
  EXPECT_EQ(Create(config, {}).value(), "CREATE PUBLICATION \"Outbox_Pub\" WITH (publish = 'insert')");
}

TEST(CreatePublication, WithoutAListTheTableNamedOutboxIsMeant) {
  const std::vector<CandidateTable> tables = {Plain(1, "public", "orders"), Plain(2, "sales", "Outbox"),
                                              Plain(3, "public", "outbox")};
  EXPECT_THAT(Create(Including(""), tables).value(),
              HasSubstr("FOR TABLE \"sales\".\"Outbox\", \"public\".\"outbox\" WITH"));
  const absl::Status none = Create(Including(""), {Plain(1, "public", "orders")}).status();
  EXPECT_EQ(FaultOf(none), Fault::kConfiguration);
  EXPECT_THAT(Text(none), HasSubstr("set table.include.list=schema.table"));
}

TEST(CreatePublication, AnUnknownTableIsNamedWithItsNeighbour) {
  const absl::Status status =
      Create(Including("public.outbx"), {Plain(1, "public", "outbox"), Plain(2, "public", "orders")}).status();
  EXPECT_EQ(FaultOf(status), Fault::kConfiguration);
  EXPECT_THAT(Text(status), HasSubstr("table.include.list=public.outbx"));
  EXPECT_THAT(Text(status), HasSubstr("did you mean public.outbox?"));
}

TEST(CreatePublication, AnUnloggedTableIsRefusedWithItsSql) {
  CandidateTable table = Plain(1, "public", "outbox");
  table.persistence = 'u';
  const absl::Status status = Create(Including("public.outbox"), {table}).status();
  EXPECT_EQ(FaultOf(status), Fault::kConfiguration);
  EXPECT_THAT(Text(status), HasSubstr("ALTER TABLE \"public\".\"outbox\" SET LOGGED"));
}

TEST(CreatePublication, APartitionedTableStandsForItsPartitions) {
  const CandidateTable root = Partitioned(1, "public", "outbox");
  const std::vector<CandidateTable> tables = {root, LeafOf(root, 2, "outbox_p1")};
  // The list names the partitions too: the stream may name them, as Debezium's does.
  EXPECT_EQ(Create(Including("public.outbox.*"), tables).value(),
            "CREATE PUBLICATION \"Outbox_Pub\" FOR TABLE \"public\".\"outbox\" WITH (publish = 'insert')");
  // The list names the root alone: the stream has to name it.
  EXPECT_THAT(Create(Including("public.outbox"), tables).value(), HasSubstr("publish_via_partition_root = true"));
  EXPECT_THAT(Create(Including("public.outbox"), {root}).value(), HasSubstr("publish_via_partition_root = true"));
  config::Config asked = Including("public.outbox.*");
  asked.publication.via_partition_root = true;
  EXPECT_THAT(Create(asked, tables).value(), HasSubstr("publish_via_partition_root = true"));
}

TEST(CreatePublication, APartitionAloneCanBeCaptured) {
  const CandidateTable root = Partitioned(1, "public", "events");
  EXPECT_THAT(
      Create(Including("public.events_p1"), {root, LeafOf(root, 2, "events_p1"), LeafOf(root, 3, "events_p2")}).value(),
      HasSubstr("FOR TABLE \"public\".\"events_p1\" WITH"));
}

TEST(CapturedTables, AreThosePublishedThatMatch) {
  const TableState state =
      Published({Plain(1, "public", "orders"), Plain(2, "public", "outbox"), Plain(3, "shop", "outbox")}, {1, 2});
  EXPECT_THAT(Captured(Including(".*outbox"), state).value(), ElementsAre(2));
}

TEST(CapturedTables, WithoutAListAreAllThatAnExplicitPublicationHolds) {
  EXPECT_THAT(
      Captured(Including(""), Published({Plain(1, "public", "events"), Plain(2, "public", "orders")}, {1})).value(),
      ElementsAre(1));
}

TEST(CapturedTables, WithoutAListAPublicationOfAllTablesMeansTheOutbox) {
  TableState state = Published({Plain(1, "public", "orders"), Plain(2, "public", "outbox")}, {1, 2});
  state.publication->all_tables = true;
  EXPECT_THAT(Captured(Including(""), state).value(), ElementsAre(2));
}

// The stream names the partitions, and the list only their root: their rows would be left out without a word.
TEST(CapturedTables, PartitionsThatTheListDoesNotNameAreRefusedWithTheSql) {
  const CandidateTable root = Partitioned(1, "public", "outbox");
  const TableState state = Published({root, LeafOf(root, 2, "outbox_p1"), LeafOf(root, 3, "outbox_p2")}, {2, 3});
  const absl::Status status = Captured(Including("public.outbox"), state).status();
  EXPECT_EQ(FaultOf(status), Fault::kPublication);
  EXPECT_THAT(Text(status), HasSubstr("public.outbox_p1"));
  EXPECT_THAT(Text(status), HasSubstr("SET (publish_via_partition_root = true)"));
  EXPECT_THAT(Captured(Including("public.outbox.*"), state).value(), ElementsAre(2, 3));
}

TEST(CapturedTables, APartitionBesideItsRootIsNotTakenTwice) {
  const CandidateTable root = Partitioned(1, "public", "outbox");
  EXPECT_THAT(Captured(Including("public.outbox.*"), Published({root, LeafOf(root, 2, "outbox_p1")}, {1, 2})).value(),
              ElementsAre(1));
}

TEST(CapturedTables, APublicationWithoutInsertsIsRefusedWithItsSql) {
  TableState state = Published({Plain(1, "public", "outbox")}, {1});
  state.publication->inserts = false;
  const absl::Status status = Captured(Including("public.outbox"), state).status();
  EXPECT_EQ(FaultOf(status), Fault::kPublication);
  EXPECT_THAT(Text(status), HasSubstr("ALTER PUBLICATION \"Outbox_Pub\" SET (publish = 'insert')"));
}

TEST(CapturedTables, APublicationWithoutTheTableIsRefusedWithItsSql) {
  const absl::Status status =
      Captured(Including("public.outbox"), Published({Plain(1, "public", "outbox"), Plain(2, "public", "x")}, {2}))
          .status();
  EXPECT_EQ(FaultOf(status), Fault::kPublication);
  EXPECT_THAT(Text(status), HasSubstr("ALTER PUBLICATION \"Outbox_Pub\" ADD TABLE \"public\".\"outbox\""));
}

TEST(CapturedTables, ATableThatIsNowhereIsTheConfigurations) {
  EXPECT_EQ(FaultOf(Captured(Including("public.outbox"), Published({Plain(2, "public", "x")}, {2})).status()),
            Fault::kConfiguration);
}

TEST(UnpublishedTables, AreThoseThatMatchAndAreLeftOut) {
  const CandidateTable root = Partitioned(1, "public", "outbox");
  const config::Config config = Including("public\\.outbox.*");
  const auto unpublished = [&](const TableState& state) { return UnpublishedTables(config, FilterOf(config), state); };
  EXPECT_THAT(unpublished(Published(
                  {Plain(5, "public", "outbox_b"), Plain(6, "public", "outbox_a"), Plain(7, "public", "orders")}, {6})),
              ElementsAre("public.outbox_b"));
  // Leaves stand for their root, and a root for its leaves.
  EXPECT_THAT(unpublished(Published({root, LeafOf(root, 2, "outbox_p1")}, {2})), ElementsAre());
  EXPECT_THAT(unpublished(Published({root, LeafOf(root, 2, "outbox_p1")}, {1})), ElementsAre());
  EXPECT_THAT(UnpublishedTables(Including(""), FilterOf(Including("")), Published({Plain(1, "public", "outbox")}, {})),
              ElementsAre());
}

}  // namespace
}  // namespace postrider::postgres
