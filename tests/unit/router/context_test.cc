#include "router/context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace postrider::router {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Pair;

connect::Converter Of(config::ConverterKind kind) {
  return connect::Converter(config::Converter{.kind = kind, .schemas_enable = false});
}

TEST(Context, FourHeadersInDebeziumsOrder) {
  const auto headers = ContextHeaders({.topic_prefix = "app"}, Of(config::ConverterKind::kSimpleHeader));
  ASSERT_TRUE(headers.ok());
  ASSERT_EQ(headers->size(), 4u);
  EXPECT_EQ((*headers)[0].key, "__debezium.context.connectorLogicalName");
  EXPECT_EQ((*headers)[0].value, "app");
  EXPECT_EQ((*headers)[1].key, "__debezium.context.taskId");
  EXPECT_EQ((*headers)[1].value, "0");
  EXPECT_EQ((*headers)[2].key, "__debezium.context.connectorName");
  EXPECT_EQ((*headers)[2].value, "postgresql");
  EXPECT_EQ((*headers)[3].key, "__debezium.context.runId");
  EXPECT_THAT(*(*headers)[3].value,
              MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
}

TEST(Context, EachRunHasItsOwnId) {
  const connect::Converter converter = Of(config::ConverterKind::kSimpleHeader);
  const auto one = ContextHeaders({}, converter), other = ContextHeaders({}, converter);
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_NE((*one)[3].value, (*other)[3].value);
}

TEST(Context, TheHeaderConverterWritesThem) {
  const auto json = ContextHeaders({.topic_prefix = "app"}, Of(config::ConverterKind::kJson));
  ASSERT_TRUE(json.ok());
  EXPECT_EQ((*json)[0].value, "\"app\"");
  EXPECT_FALSE(ContextHeaders({}, Of(config::ConverterKind::kLong)).ok());
}

TEST(Context, TraceOutOfProperties) {
  EXPECT_THAT(TraceOf("#c\ntracestate=a\\=1\nother=x\ntraceparent: 00-ab-cd-01\n"),
              ElementsAre(Pair("traceparent", "00-ab-cd-01"), Pair("tracestate", "a=1")));
  EXPECT_THAT(TraceOf("traceparent=1\ntraceparent=2"), ElementsAre(Pair("traceparent", "2")));
  EXPECT_THAT(TraceOf("uber-trace-id=1"), IsEmpty());
  EXPECT_THAT(TraceOf(""), IsEmpty());
}

TEST(Context, NoTraceOutOfABrokenText) {
  EXPECT_THAT(TraceOf("traceparent=1\nx=\\u12"), IsEmpty());
}

}  // namespace
}  // namespace postrider::router
