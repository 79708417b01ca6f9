#include "router/router.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "outbox_table.h"
#include "transform_list.h"

namespace postrider::router {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace pg = connect::pg;
using config::ConverterKind;
using config::FieldPlacement;
using Kind = Routed::Kind;
using Values = std::vector<std::optional<std::string>>;

constexpr int64_t kNowMs = 1'700'000'000'000;
constexpr char kId[] = "00000000-0000-4000-8000-000000000001";

class RouterTest : public ::testing::Test {
 protected:
  RouterTest() { config_.router.alias = "outbox"; }

  // A router that knows the table.
  void Start(std::vector<OutboxColumn> columns = PlainColumns()) {
    absl::StatusOr<std::unique_ptr<Router>> made = Router::Make(config_);
    ASSERT_TRUE(made.ok()) << made.status();
    router_ = *std::move(made);
    table_.emplace(std::move(columns));
    const Table catalogue = table_->catalogue();
    const absl::Status status = router_->SetRelation(table_->relation(), &catalogue);
    ASSERT_TRUE(status.ok()) << status;
  }
  absl::StatusOr<Routed> TryRoute(const Values& values) { return router_->Insert(table_->Row(values), kNowMs); }
  Routed Route(const Values& values) {
    absl::StatusOr<Routed> routed = TryRoute(values);
    EXPECT_TRUE(routed.ok()) << routed.status();
    return routed.ok() ? *routed : Routed{};
  }
  Routed RoutePayload(std::optional<std::string> payload) {
    return Route({kId, "order", "7", "Placed", std::move(payload)});
  }
  static std::vector<OutboxColumn> With(OutboxColumn column) {
    std::vector<OutboxColumn> columns = PlainColumns();
    columns.push_back(std::move(column));
    return columns;
  }
  // A row of PlainColumns() and one more.
  Routed RouteWith(std::optional<std::string> value) {
    return Route({kId, "order", "7", "Placed", "{}", std::move(value)});
  }

  config::Config config_{.topic_prefix = "app"};
  std::unique_ptr<Router> router_;
  std::optional<OutboxTable> table_;
};

TEST_F(RouterTest, AnOutboxRowIsARecord) {
  Start();
  const Routed routed = RoutePayload("{\"a\": 1}");
  ASSERT_EQ(routed.kind, Kind::kRecord);
  const Record& record = routed.record;
  EXPECT_EQ(record.topic, "outbox.event.order");
  EXPECT_EQ(record.key, "7");
  EXPECT_EQ(record.value, "{\"a\": 1}");
  EXPECT_EQ(record.timestamp_ms, kNowMs);
  EXPECT_EQ(record.partition, std::nullopt);
  EXPECT_EQ(record.id, kId);
  ASSERT_EQ(record.headers.size(), 1u);
  EXPECT_EQ(record.headers[0].key, "id");
  EXPECT_EQ(record.headers[0].value, kId);
}

TEST_F(RouterTest, NullsOfKeyAndPayload) {
  Start();
  const Routed routed = Route({kId, "order", std::nullopt, std::nullopt, std::nullopt});
  ASSERT_EQ(routed.kind, Kind::kRecord);
  EXPECT_EQ(routed.record.key, std::nullopt);
  EXPECT_EQ(routed.record.value, std::nullopt);
}

TEST_F(RouterTest, EmptyIsNotNull) {
  Start();
  const Routed routed = Route({kId, "order", "", "", ""});
  ASSERT_EQ(routed.kind, Kind::kRecord);
  EXPECT_EQ(routed.record.key, "");
  EXPECT_EQ(routed.record.value, "");
}

TEST_F(RouterTest, BlankPayloadsAreTombstonesWhereAsked) {
  Start();
  EXPECT_EQ(RoutePayload(" \n").record.value, " \n");
  config_.router.tombstone_on_empty_payload = true;
  config_.converters.value = {.kind = ConverterKind::kJson};
  Start();
  EXPECT_EQ(RoutePayload("").record.value, std::nullopt);
  EXPECT_EQ(RoutePayload(" \n").record.value, std::nullopt);
  EXPECT_EQ(RoutePayload(std::nullopt).record.value, std::nullopt);
  EXPECT_NE(RoutePayload("x").record.value, std::nullopt);
}

TEST_F(RouterTest, ARowWithoutARouteIsHeld) {
  Start();
  const Routed routed = Route({kId, std::nullopt, "7", "t", "secret payload"});
  ASSERT_EQ(routed.kind, Kind::kHeld);
  EXPECT_THAT(std::string(routed.reason),
              AllOf(HasSubstr("aggregatetype"), HasSubstr("public.outbox"), Not(HasSubstr("secret"))));
  EXPECT_EQ(routed.record.id, kId);
}

TEST_F(RouterTest, ATopicThatKafkaRefusesIsHeld) {
  Start();
  const Routed routed = Route({kId, "a b", "7", "t", "{}"});
  ASSERT_EQ(routed.kind, Kind::kHeld);
  EXPECT_THAT(std::string(routed.reason), HasSubstr("outbox.event.a b"));
}

TEST_F(RouterTest, EventTime) {
  config_.router.event_timestamp = "happened";
  Start(With({"happened", pg::kTimestamptz}));
  EXPECT_EQ(RouteWith("1970-01-01 00:00:01.5+00").record.timestamp_ms, 1500);
  EXPECT_EQ(RouteWith(std::nullopt).record.timestamp_ms, kNowMs);
  EXPECT_EQ(RouteWith("1969-12-31 23:59:59.999+00").record.timestamp_ms, kNowMs);  // -1: Connect's "none"
  const Routed before = RouteWith("1969-12-31 23:59:59+00");
  ASSERT_EQ(before.kind, Kind::kHeld);
  EXPECT_THAT(std::string(before.reason), HasSubstr("happened"));
}

TEST_F(RouterTest, Partition) {
  config_.router.additional_fields = {{"n", FieldPlacement::kPartition, "n"}};
  Start(With({"n", pg::kInt4}));
  EXPECT_EQ(RouteWith("3").record.partition, 3);
  EXPECT_EQ(RouteWith(std::nullopt).record.partition, std::nullopt);
  const Routed negative = RouteWith("-1");
  ASSERT_EQ(negative.kind, Kind::kHeld);
  EXPECT_THAT(std::string(negative.reason), HasSubstr("\"n\""));
}

TEST_F(RouterTest, AdditionalHeadersFollowTheId) {
  config_.router.additional_fields = {{"type", FieldPlacement::kHeader, "eventType"}};
  Start();
  const Routed routed = RoutePayload("{}");
  ASSERT_EQ(routed.record.headers.size(), 2u);
  EXPECT_EQ(routed.record.headers[1].key, "eventType");
  EXPECT_EQ(routed.record.headers[1].value, "Placed");
  EXPECT_EQ(Route({kId, "order", "7", std::nullopt, "{}"}).record.headers[1].value, std::nullopt);
}

TEST_F(RouterTest, AnEnvelopeIsNamedByTableAndRoute) {
  config_.router.additional_fields = {{"type", FieldPlacement::kEnvelope, "kind"}};
  config_.router.event_schema_version = "v";
  config_.converters.value = {.kind = ConverterKind::kJson};
  Start(With({"v", pg::kInt4}));
  EXPECT_EQ(RouteWith("4").record.value,
            R"({"schema":{"type":"struct","fields":[{"type":"string","optional":true,"field":"payload"},)"
            R"({"type":"string","optional":true,"field":"kind"}],"optional":false,)"
            R"("name":"app.public.outbox.order.Value","version":4},"payload":{"payload":"{}","kind":"Placed"}})");
  EXPECT_THAT(std::string(*RouteWith(std::nullopt).record.value), Not(HasSubstr("version")));
}

TEST_F(RouterTest, Expansion) {
  config_.router.expand_json_payload = true;
  config_.converters.value = {.kind = ConverterKind::kJson, .schemas_enable = false};
  Start();
  Routed routed = RoutePayload("{\"a\": [1, 2]}");
  EXPECT_EQ(routed.record.value, R"({"a":[1,2]})");
  EXPECT_FALSE(routed.expansion_failed);
  routed = RoutePayload("no json");
  EXPECT_EQ(routed.record.value, "\"no json\"");
  EXPECT_TRUE(routed.expansion_failed);
  routed = RoutePayload(std::nullopt);
  EXPECT_EQ(routed.record.value, "null");
  EXPECT_FALSE(routed.expansion_failed);
}

TEST_F(RouterTest, AnArrayAtTheTopKeepsItsTextUnderStringConverter) {
  config_.router.expand_json_payload = true;
  Start();
  EXPECT_EQ(RoutePayload("[{\"a\":1}]").record.value, "[{\"a\":1}]");
  EXPECT_EQ(RoutePayload("{\"a\":[{\"b\":1}]}").record.value, "Struct{a=[Struct{b=1}]}");
  config_.converters.value = {.kind = ConverterKind::kJson, .schemas_enable = false};
  Start();
  EXPECT_EQ(RoutePayload("[ {\"a\": 1} ]").record.value, "[{\"a\":1}]");
}

TEST_F(RouterTest, ExpansionWithinAnEnvelopeChangesFromRowToRow) {
  config_.router.expand_json_payload = true;
  config_.router.additional_fields = {{"type", FieldPlacement::kEnvelope, "kind"}};
  config_.converters.value = {.kind = ConverterKind::kJson};
  Start();
  const std::string expanded(*RoutePayload("{\"a\": 1}").record.value);
  EXPECT_THAT(expanded, HasSubstr(R"("payload":{"payload":{"a":1},"kind":"Placed"})"));
  const std::string text(*RoutePayload("x").record.value);
  EXPECT_THAT(text, HasSubstr(R"({"type":"string","optional":true,"field":"payload"})"));
  EXPECT_EQ(*RoutePayload("{\"a\": 1}").record.value, expanded);
}

TEST_F(RouterTest, NullsInRequiredColumnsAreTheirDefaults) {
  std::vector<OutboxColumn> columns = PlainColumns();
  columns[4] = {"payload", pg::kText, true, "'none'::text"};
  Start(columns);
  EXPECT_EQ(RoutePayload(std::nullopt).record.value, "none");
}

TEST_F(RouterTest, WhatARequiredColumnCannotExpressIsHeld) {
  config_.router.additional_fields = {{"n", FieldPlacement::kHeader, "n"}};
  Start(With({"n", pg::kTimestamp, true}));
  EXPECT_EQ(RouteWith("2020-01-02 03:04:05").kind, Kind::kRecord);
  config_.types.time = config::TimePrecision::kNanoseconds;
  Start(With({"n", pg::kTimestamp, true}));
  const Routed held = RouteWith("4000-01-01 00:00:00");
  ASSERT_EQ(held.kind, Kind::kHeld);
  EXPECT_THAT(std::string(held.reason), HasSubstr("\"n\""));
}

TEST_F(RouterTest, MalformedRowsAreAProtocolBreak) {
  config_.router.additional_fields = {{"n", FieldPlacement::kHeader, "n"}};
  Start(With({"n", pg::kInt4}));
  EXPECT_TRUE(absl::IsInvalidArgument(TryRoute({kId, "order"}).status()));
  const absl::Status malformed = TryRoute({kId, "order", "7", "t", "secret", "no number"}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(malformed));
  EXPECT_THAT(std::string(malformed.message()), AllOf(HasSubstr("\"n\""), Not(HasSubstr("no number"))));
  OutboxTable other(PlainColumns(), "public", "other", 16'401);
  EXPECT_TRUE(absl::IsInvalidArgument(router_->Insert(other.Row({kId, "o", "7", "t", "{}"}), kNowMs).status()));
}

TEST_F(RouterTest, OtherTablesAreIgnored) {
  config_.tables.table_include_list = "public.outbox";
  Start();
  OutboxTable other({{"x", pg::kInt4}}, "public", "other", 16'401);
  EXPECT_FALSE(router_->Wants(other.relation()));
  ASSERT_TRUE(router_->SetRelation(other.relation(), nullptr).ok());
  EXPECT_FALSE(router_->Routes(16'401));
  EXPECT_TRUE(router_->Routes(16'400));
  EXPECT_EQ(router_->TableName(16'401), "public.other");
  const auto routed = router_->Insert(other.Row({"1"}), kNowMs);
  ASSERT_TRUE(routed.ok());
  EXPECT_EQ(routed->kind, Kind::kIgnored);
}

TEST_F(RouterTest, ThePredicateSeesTheTablesTopic) {
  OutboxTable table(PlainColumns());
  for (const bool negate : {false, true}) {
    config_.router.predicate = config::Predicate{.pattern = "app\\.public\\.outbox", .negate = negate};
    EXPECT_EQ((*Router::Make(config_))->Wants(table.relation()), !negate);
    config_.router.predicate = config::Predicate{.pattern = "outbox", .negate = negate};
    EXPECT_EQ((*Router::Make(config_))->Wants(table.relation()), negate);
  }
}

TEST_F(RouterTest, ARelationThatComesAgainReplacesItsPlan) {
  Start();
  OutboxTable renamed({{"id", pg::kUuid}}, "public", "outbox");
  // The table no longer fits the configuration.
  const absl::Status refused = router_->SetRelation(renamed.relation(), nullptr);
  EXPECT_EQ(FaultOf(refused), Fault::kConfiguration);
  EXPECT_TRUE(router_->Routes(16'400)) << "the plan that fitted stays";

  router_->Reset();
  EXPECT_FALSE(router_->Routes(16'400));
  EXPECT_EQ(router_->TableName(16'400), "");
}

TEST_F(RouterTest, ContextAndTraceComeBeforeTheId) {
  config_.extended_headers = true;
  config_.router.tracing_headers = true;
  config_.router.tracing_context_field = "trace";
  Start(With({"trace", pg::kText}));
  Routed routed = RouteWith("traceparent=00-ab\n");
  ASSERT_EQ(routed.record.headers.size(), 6u);
  EXPECT_EQ(routed.record.headers[0].key, "__debezium.context.connectorLogicalName");
  EXPECT_EQ(routed.record.headers[4].key, "traceparent");
  EXPECT_EQ(routed.record.headers[4].value, "00-ab");
  EXPECT_EQ(routed.record.headers[5].key, "id");
  routed = RouteWith(std::nullopt);
  EXPECT_EQ(routed.record.headers.size(), 5u);
}

TEST_F(RouterTest, ContextHeadersNeedAConverterOfTexts) {
  config_.extended_headers = true;
  config_.converters.header = {.kind = ConverterKind::kLong};
  const auto made = Router::Make(config_);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(FaultOf(made.status()), Fault::kConfiguration);
  EXPECT_THAT(std::string(made.status().message()), HasSubstr("header.converter"));
}

TEST_F(RouterTest, WrongExpressionsAreRefused) {
  config_.router.predicate = config::Predicate{.pattern = "("};
  const auto predicate = Router::Make(config_);
  EXPECT_EQ(FaultOf(predicate.status()), Fault::kConfiguration);
  config_.router.predicate.reset();
  config_.tables.table_include_list = "(";
  const auto tables = Router::Make(config_);
  EXPECT_EQ(FaultOf(tables.status()), Fault::kConfiguration);
}

TEST_F(RouterTest, TransformsBehindActOnTheRoutedRecord) {
  config_.router.additional_fields = {{"type", FieldPlacement::kHeader, "eventType"}};
  config_.router.behind = {RegexRouter("outbox\\.event\\.(.*)", "$1s"), DropHeaders({"eventType"}),
                           InsertHeader("version", "2"), If(TopicNameMatches("secrets"), Filter())};
  Start();
  const Routed routed = RoutePayload("{}");
  ASSERT_EQ(routed.kind, Kind::kRecord);
  EXPECT_EQ(routed.record.topic, "orders");
  EXPECT_EQ(routed.record.key, "7");
  EXPECT_EQ(routed.record.value, "{}");
  EXPECT_EQ(HeaderText(routed.record), std::string("id=") + kId + " version=2");
  EXPECT_EQ(Route({kId, "secret", "7", "t", "{}"}).kind, Kind::kIgnored);
}

TEST_F(RouterTest, ATombstoneIsOneBeforeItsConverter) {
  config_.converters.value = {.kind = ConverterKind::kJson, .schemas_enable = false};
  config_.router.behind = {If(RecordIsTombstone(), Filter())};
  Start();
  EXPECT_EQ(RoutePayload("{}").kind, Kind::kRecord);
  EXPECT_EQ(RoutePayload("").kind, Kind::kRecord);
  EXPECT_EQ(RoutePayload(std::nullopt).kind, Kind::kIgnored) << "JsonConverter would write the four letters null";
  config_.router.tombstone_on_empty_payload = true;
  Start();
  EXPECT_EQ(RoutePayload("").kind, Kind::kIgnored);
  EXPECT_EQ(RoutePayload("{}").kind, Kind::kRecord);
  config_.router.additional_fields = {{"type", FieldPlacement::kEnvelope, "kind"}};
  Start();
  EXPECT_EQ(RoutePayload(std::nullopt).kind, Kind::kIgnored);
  config_.router.tombstone_on_empty_payload = false;
  Start();
  EXPECT_EQ(RoutePayload(std::nullopt).kind, Kind::kRecord) << "the envelope is a value";
}

TEST_F(RouterTest, TransformsMayMendOrDropWhatKafkaRefuses) {
  config_.router.behind = {RegexRouter("(.*) (.*)", "$1-$2")};
  Start();
  EXPECT_EQ(Route({kId, "a b", "7", "t", "{}"}).record.topic, "outbox.event.a-b");
  EXPECT_EQ(Route({kId, "a/b", "7", "t", "{}"}).kind, Kind::kHeld);
  config_.router.behind = {If(TopicNameMatches(".*[ /].*"), Filter())};
  Start();
  EXPECT_EQ(Route({kId, "a b", "7", "t", "{}"}).kind, Kind::kIgnored);
  config_.router.behind = {RegexRouter(".*", "a b")};
  Start();
  const Routed routed = RoutePayload("{}");
  ASSERT_EQ(routed.kind, Kind::kHeld);
  EXPECT_THAT(std::string(routed.reason), HasSubstr("\"a b\" cannot be the name of a topic"));
}

TEST_F(RouterTest, AFilterDropsARecordThatTheProducerWouldRefuse) {
  config_.router.additional_fields = {{"n", FieldPlacement::kPartition, "n"}};
  config_.router.behind = {If(TopicNameMatches(".*order"), Filter())};
  Start(With({"n", pg::kInt4}));
  EXPECT_EQ(RouteWith("-1").kind, Kind::kIgnored);
  EXPECT_EQ(Route({kId, "invoice", "7", "t", "{}", "-1"}).kind, Kind::kHeld);
}

TEST_F(RouterTest, AFilterBeforeTheRouterChoosesTables) {
  config_.router.before = {If(Negated(TopicNameMatches("app\\.public\\.outbox")), Filter())};
  Start();
  OutboxTable other(PlainColumns(), "public", "other", 16'401);
  EXPECT_FALSE(router_->Wants(other.relation()));
  ASSERT_TRUE(router_->SetRelation(other.relation(), nullptr).ok());
  EXPECT_FALSE(router_->Routes(16'401));
  EXPECT_EQ(RoutePayload("{}").kind, Kind::kRecord);
}

TEST_F(RouterTest, TransformsBeforeTheRouterSeeTheChangeEvent) {
  config_.extended_headers = true;
  config_.router.before = {RegexRouter("app\\.public\\.(.*)", "$1"),
                           DropHeaders({"__debezium.context.runId", "__debezium.context.taskId"}),
                           InsertHeader("first", "true"), If(RecordIsTombstone(), Filter())};
  config_.router.predicate = TopicNameMatches("outbox");
  Start();
  const Routed routed = RoutePayload(std::nullopt);  // the event is none, whatever its payload
  ASSERT_EQ(routed.kind, Kind::kRecord);
  EXPECT_EQ(routed.record.topic, "outbox.event.order");
  EXPECT_EQ(HeaderText(routed.record),
            std::string("__debezium.context.connectorLogicalName=app __debezium.context.connectorName=postgresql "
                        "first=true id=") +
                kId);
}

TEST_F(RouterTest, AnExpressionThatNeedsTooManyStepsForATableIsAFault) {
  OutboxTable table(PlainColumns(), "public", std::string(60, 'a'));
  config_.router.before = {If(TopicNameMatches("app.public.(?:a+)+b"), Filter())};
  const auto router = *Router::Make(config_);
  EXPECT_TRUE(router->Wants(table.relation()));
  EXPECT_EQ(FaultOf(router->SetRelation(table.relation(), nullptr)), Fault::kConfiguration);
}

TEST_F(RouterTest, WrongTransformsAreRefused) {
  config_.router.before = {InsertHeader("a", "[1]")};
  EXPECT_EQ(FaultOf(Router::Make(config_).status()), Fault::kConfiguration);
  std::swap(config_.router.before, config_.router.behind);
  EXPECT_EQ(FaultOf(Router::Make(config_).status()), Fault::kConfiguration);
}

}  // namespace
}  // namespace postrider::router
