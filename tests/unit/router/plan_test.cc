#include "router/plan.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "outbox_table.h"

namespace postrider::router {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

namespace pg = connect::pg;
using config::AdditionalField;
using config::ConverterKind;
using config::FieldPlacement;

class PlanTest : public ::testing::Test {
 protected:
  PlanTest() { config_.router.alias = "outbox"; }

  absl::StatusOr<std::unique_ptr<Plan>> Compile(std::vector<OutboxColumn> columns) {
    table_.emplace(std::move(columns));
    catalogue_ = table_->catalogue();
    converters_.emplace(Converters{connect::Converter(config_.converters.key),
                                   connect::Converter(config_.converters.value),
                                   connect::Converter(config_.converters.header)});
    filter_ = *TableFilter::Make(config_.tables.column_include_list, config_.tables.column_exclude_list, "", "");
    return CompilePlan({.relation = table_->relation(),
                        .catalogue = with_catalogue_ ? &catalogue_ : nullptr,
                        .config = config_,
                        .column_filter = *filter_,
                        .converters = *converters_});
  }
  // The sentence of the refusal; empty where there is none.
  std::string Refusal(std::vector<OutboxColumn> columns) {
    const auto plan = Compile(std::move(columns));
    if (plan.ok()) return "";
    EXPECT_EQ(FaultOf(plan.status()), Fault::kConfiguration);
    return std::string(plan.status().message());
  }
  static std::vector<OutboxColumn> Without(const std::string& name) {
    std::vector<OutboxColumn> columns = PlainColumns();
    std::erase_if(columns, [&](const OutboxColumn& column) { return column.name == name; });
    return columns;
  }
  static std::vector<OutboxColumn> With(OutboxColumn column) {
    std::vector<OutboxColumn> columns = PlainColumns();
    columns.push_back(std::move(column));
    return columns;
  }

  config::Config config_{.topic_prefix = "app"};
  bool with_catalogue_ = true;
  std::optional<OutboxTable> table_;
  Table catalogue_;
  std::optional<Converters> converters_;
  std::optional<TableFilter> filter_;
};

TEST_F(PlanTest, ColumnsByPosition) {
  const auto plan = Compile(PlainColumns());
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ((*plan)->table, "public.outbox");
  EXPECT_EQ((*plan)->column_count, 5u);
  EXPECT_EQ((*plan)->id.index, 0u);
  EXPECT_EQ((*plan)->route.index, 1u);
  EXPECT_EQ((*plan)->key.index, 2u);
  EXPECT_EQ((*plan)->payload.index, 4u);
  ASSERT_EQ((*plan)->headers.size(), 1u);
  EXPECT_EQ((*plan)->headers[0].key, "id");
}

TEST_F(PlanTest, TheCatalogueSaysWhatIsRequired) {
  EXPECT_FALSE((*Compile(PlainColumns()))->id.type.schema->optional);
  with_catalogue_ = false;
  EXPECT_TRUE((*Compile(PlainColumns()))->id.type.schema->optional);
}

TEST_F(PlanTest, MissingColumnsAreNamedWithTheirKey) {
  const std::pair<const char*, const char*> needed[] = {{"id", "table.field.event.id"},
                                                        {"aggregateid", "table.field.event.key"},
                                                        {"payload", "table.field.event.payload"},
                                                        {"aggregatetype", "route.by.field"}};
  for (const auto& [column, key] : needed) {
    EXPECT_THAT(Refusal(Without(column)),
                AllOf(HasSubstr("public.outbox"), HasSubstr(std::string("\"") + column + "\""),
                      HasSubstr(std::string("transforms.outbox.") + key), HasSubstr("type")))
        << column;
  }
}

TEST_F(PlanTest, AFilteredColumnIsMissing) {
  config_.tables.column_exclude_list = "public.outbox.payload";
  EXPECT_THAT(Refusal(PlainColumns()), HasSubstr("\"payload\""));
}

TEST_F(PlanTest, TheRouteIsText) {
  std::vector<OutboxColumn> columns = Without("aggregatetype");
  columns.push_back({"aggregatetype", pg::kInt4});
  EXPECT_THAT(Refusal(columns), AllOf(HasSubstr("aggregatetype"), HasSubstr("route.by.field")));
}

TEST_F(PlanTest, TheEventTimeIsATime) {
  config_.router.event_timestamp = "happened";
  EXPECT_THAT(Refusal(PlainColumns()), AllOf(HasSubstr("happened"), HasSubstr("table.field.event.timestamp")));
  EXPECT_THAT(Refusal(With({"happened", pg::kDate})), AllOf(HasSubstr("happened"), HasSubstr("timestamptz")));
  for (const uint32_t oid : {pg::kTimestamp, pg::kTimestamptz, pg::kInt8}) {
    EXPECT_EQ(Refusal(With({"happened", oid})), "");
  }
}

TEST_F(PlanTest, AdditionalFieldsInOrder) {
  config_.router.additional_fields = {{"type", FieldPlacement::kHeader, "eventType"},
                                      {"n", FieldPlacement::kPartition, "n"},
                                      {"type", FieldPlacement::kEnvelope, "kind"}};
  const auto plan = Compile(With({"n", pg::kInt4}));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ((*plan)->headers.size(), 2u);
  EXPECT_EQ((*plan)->headers[1].key, "eventType");
  EXPECT_EQ((*plan)->partition->index, 5u);
  EXPECT_TRUE((*plan)->envelope);
  ASSERT_EQ((*plan)->envelope_fields.size(), 2u);
  EXPECT_EQ((*plan)->envelope_fields[0].name, "payload");
  EXPECT_EQ((*plan)->envelope_fields[1].name, "kind");
}

TEST_F(PlanTest, AMissingAdditionalFieldIsRefusedUnlessIgnored) {
  config_.router.additional_fields = {{"nobody", FieldPlacement::kHeader, "nobody"}};
  EXPECT_THAT(Refusal(PlainColumns()),
              AllOf(HasSubstr("\"nobody\""), HasSubstr("transforms.outbox.table.fields.additional.placement"),
                    HasSubstr("table.field.additional.missing=ignore")));
  config_.router.additional_missing_is_error = false;
  EXPECT_EQ(Refusal(PlainColumns()), "");
}

TEST_F(PlanTest, ThePartitionIsAnInteger) {
  config_.router.additional_fields = {{"n", FieldPlacement::kPartition, "n"}};
  EXPECT_THAT(Refusal(With({"n", pg::kText})), AllOf(HasSubstr("\"n\""), HasSubstr("integer")));
  EXPECT_NE(Refusal(With({"n", pg::kInt8})), "");
  config_.types.time = config::TimePrecision::kConnect;
  EXPECT_NE(Refusal(With({"n", pg::kDate})), "");  // an int32 too, but a java.util.Date
}

TEST_F(PlanTest, NoFieldTwiceInTheValue) {
  config_.router.additional_fields = {{"type", FieldPlacement::kEnvelope, "payload"}};
  EXPECT_THAT(Refusal(PlainColumns()), AllOf(HasSubstr("\"type\""), HasSubstr("\"payload\"")));
}

TEST_F(PlanTest, TheVersionCountsForEnvelopesOnly) {
  config_.router.event_schema_version = "v";
  EXPECT_EQ(Refusal(PlainColumns()), "");
  config_.router.additional_fields = {{"type", FieldPlacement::kEnvelope, "type"}};
  EXPECT_THAT(Refusal(PlainColumns()), AllOf(HasSubstr("\"v\""), HasSubstr("table.field.event.schema.version")));
  EXPECT_THAT(Refusal(With({"v", pg::kText})), AllOf(HasSubstr("\"v\""), HasSubstr("integer")));
  EXPECT_EQ(Refusal(With({"v", pg::kInt4})), "");
}

TEST_F(PlanTest, ConvertersThatCannotTakeTheColumnAreNamed) {
  config_.converters.value.kind = ConverterKind::kByteArray;
  EXPECT_THAT(Refusal(PlainColumns()), AllOf(HasSubstr("value.converter"), HasSubstr("bytea"), HasSubstr("payload")));
  config_.converters.value.kind = ConverterKind::kString;
  config_.converters.key.kind = ConverterKind::kLong;
  EXPECT_THAT(Refusal(PlainColumns()), AllOf(HasSubstr("key.converter"), HasSubstr("aggregateid")));
  config_.converters.key.kind = ConverterKind::kString;
  config_.converters.header.kind = ConverterKind::kInteger;
  EXPECT_THAT(Refusal(PlainColumns()), AllOf(HasSubstr("header.converter"), HasSubstr("\"id\"")));
}

TEST_F(PlanTest, OnlyTextIsExpanded) {
  config_.router.expand_json_payload = true;
  EXPECT_TRUE((*Compile(PlainColumns()))->expand);
  std::vector<OutboxColumn> columns = Without("payload");
  columns.push_back({"payload", pg::kBytea});
  EXPECT_FALSE((*Compile(columns))->expand);
}

TEST_F(PlanTest, TheTraceIsQuietWhereThereIsNone) {
  config_.router.tracing_context_field = "trace";
  EXPECT_FALSE((*Compile(With({"trace", pg::kText})))->trace.has_value());  // not switched on
  config_.router.tracing_headers = true;
  EXPECT_TRUE((*Compile(With({"trace", pg::kText})))->trace.has_value());
  EXPECT_FALSE((*Compile(PlainColumns()))->trace.has_value());
  EXPECT_FALSE((*Compile(With({"trace", pg::kInt4})))->trace.has_value());
}

}  // namespace
}  // namespace postrider::router
