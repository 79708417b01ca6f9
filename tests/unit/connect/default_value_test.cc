// The expressions are as pg_get_expr prints them; what Debezium 3.6.1 made of them was read off the real one.
#include "connect/default_value.h"

#include <gtest/gtest.h>

#include "compiled.h"

namespace postrider::connect {
namespace {

std::string DefaultOf(const TypeInfo& type, const char* expression, const config::Types& types = {}) {
  const Compiled compiled(type, types, expression);
  const Schema& schema = *compiled.column().schema;
  if (schema.default_value == nullptr) return "none";
  Buffer out;
  AppendJsonValue(&schema, *schema.default_value, {}, out);
  return std::string(out.view());
}
std::string DefaultOf(uint32_t oid, const char* expression, int32_t modifier = -1, const config::Types& types = {}) {
  return DefaultOf(*pg::BuiltIn(oid, modifier), expression, types);
}

TEST(DefaultValue, Literals) {
  EXPECT_EQ(DefaultOf(pg::kBool, "true"), "true");
  EXPECT_EQ(DefaultOf(pg::kInt4, "'-42'::integer"), "-42");
  EXPECT_EQ(DefaultOf(pg::kInt8, "'9223372036854775807'::bigint"), "9223372036854775807");
  EXPECT_EQ(DefaultOf(pg::kFloat8, "'NaN'::double precision"), "\"NaN\"");
  EXPECT_EQ(DefaultOf(pg::kNumeric, "12.5", NumericModifier(10, 2)), "\"BOI=\"");
  EXPECT_EQ(DefaultOf(pg::kText, "'abc'::text"), "\"abc\"");
  EXPECT_EQ(DefaultOf(pg::kBpchar, "'ab'::bpchar", 9), "\"ab\"");
  EXPECT_EQ(DefaultOf(pg::kJsonb, R"('{"a": 1}'::jsonb)"), R"("{\"a\": 1}")");
  EXPECT_EQ(DefaultOf(pg::kUuid, "'76019d1a-ad2e-4b22-96e9-1a6d6543c818'::uuid"),
            "\"76019d1a-ad2e-4b22-96e9-1a6d6543c818\"");
  EXPECT_EQ(DefaultOf(pg::kDate, "'2020-01-02'::date"), "18263");
  EXPECT_EQ(DefaultOf(pg::kTime, "'03:04:05.5'::time without time zone"), "11045500000");
  EXPECT_EQ(DefaultOf(pg::kTimestamptz, "'2020-01-02 01:04:05.678901+00'::timestamp with time zone"),
            "\"2020-01-02T01:04:05.678901Z\"");
  EXPECT_EQ(DefaultOf(pg::kInterval, "'1 day'::interval"), "86400000000");
  EXPECT_EQ(DefaultOf(pg::kBit, "'10110'::\"bit\"", 5), "\"Fg==\"");
}

TEST(DefaultValue, CallsStandForPlaceholders) {
  EXPECT_EQ(DefaultOf(pg::kUuid, "gen_random_uuid()"), "\"00000000-0000-0000-0000-000000000000\"");
  EXPECT_EQ(DefaultOf(pg::kTimestamptz, "now()"), "\"1970-01-01T00:00:00.000000Z\"");
  EXPECT_EQ(DefaultOf(pg::kTimestamptz, "(now() + '1 day'::interval)"), "\"1970-01-01T00:00:00.000000Z\"");
  EXPECT_EQ(DefaultOf(pg::kTimestamp, "LOCALTIMESTAMP", 3), "0");
  EXPECT_EQ(DefaultOf(pg::kInt8, "nextval('s'::regclass)"), "0");
  EXPECT_EQ(DefaultOf(pg::kJsonb, "jsonb_build_object('a', 1)"), "\"{}\"");
  EXPECT_EQ(DefaultOf(pg::kText, "upper('a'::text)"), "\"\"");
  EXPECT_EQ(DefaultOf(pg::kBool, "(random() > (1)::double precision)"), "false");
  EXPECT_EQ(DefaultOf(pg::kNumeric, "round(1.5)", NumericModifier(10, 2)), "\"AA==\"");
}

TEST(DefaultValue, DebeziumsOdditiesAreKept) {
  EXPECT_EQ(DefaultOf(pg::kText, "'it''s'::text"), "\"it\"");
  EXPECT_EQ(DefaultOf(pg::kText, "('a'::text || 'b'::text)"), "\"a\"");
  EXPECT_EQ(DefaultOf(pg::kText, "CURRENT_USER"), "\"CURRENT_USER\"");
  EXPECT_EQ(DefaultOf(pg::kDate, "'infinity'::date"), "169560311");
  EXPECT_EQ(DefaultOf(pg::kTimestamp, "'infinity'::timestamp without time zone"), "-9223372036853775810");
  EXPECT_EQ(DefaultOf(pg::kTime, "'24:00:00'::time without time zone"), "86399999999");
}

TEST(DefaultValue, WhatCannotBeReadIsNone) {
  EXPECT_EQ(DefaultOf(pg::kInt4, "(1 + 1)"), "none");
  EXPECT_EQ(DefaultOf(pg::kBool, "NULL::boolean"), "none");
  EXPECT_EQ(DefaultOf(pg::kText, "NULL::text"), "none");
  EXPECT_EQ(DefaultOf(pg::kText, "'a\nb'::text"), "none");
  EXPECT_EQ(DefaultOf(pg::kNumeric, "12.50"), "none");  // a struct cannot be a default
  EXPECT_EQ(DefaultOf(pg::kNumeric, "'NaN'::numeric", NumericModifier(5, 2)), "none");
  EXPECT_EQ(DefaultOf(pg::kNumeric, "1.234", NumericModifier(5, 2)), "none");
  EXPECT_EQ(DefaultOf(pg::kTimestamptz, "'infinity'::timestamp with time zone"), "none");
  EXPECT_EQ(DefaultOf(pg::kBytea, "'\\x00ff'::bytea"), "none");
  EXPECT_EQ(DefaultOf(pg::kInet, "'10.0.0.1'::inet"), "none");
  EXPECT_EQ(DefaultOf(pg::kText, ""), "\"\"");
}

TEST(DefaultValue, EnumsNeedACastToTheirType) {
  TypeInfo mood{.oid = 20'000, .schema = "public", .name = "mood", .kind = 'e', .enum_labels = {"ok"}};
  EXPECT_EQ(DefaultOf(mood, "'ok'::mood"), "\"ok\"");
  EXPECT_EQ(DefaultOf(mood, "'ok'::public.mood"), "\"ok\"");
  EXPECT_EQ(DefaultOf(mood, "'ok'::other"), "none");
  EXPECT_EQ(DefaultOf(mood, "f()"), "none");
}

TEST(DefaultValue, DomainsHaveNone) {
  const Compiled compiled(*pg::BuiltIn(pg::kText, -1), {}, "'q'::text", /*is_domain=*/true);
  EXPECT_EQ(compiled.column().schema->default_value, nullptr);
}

}  // namespace
}  // namespace postrider::connect
