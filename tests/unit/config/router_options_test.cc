// src/config/router_options.cc and types.cc
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scratch.h"

namespace postrider::config {
namespace {

using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Key(std::string_view name, std::string_view value) {
  return "transforms.outbox." + std::string(name) + "=" + std::string(value) + "\n";
}

Router RouterOf(const std::string& text) {
  const auto loaded = LoadWith(text);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  return loaded.ok() ? loaded->config.router : Router();
}

TEST(RouterOptions, ReadsAllKeys) {
  const Router router =
      RouterOf(Key("table.field.event.id", "i") + Key("table.field.event.key", "k") +
               Key("table.field.event.payload", "p") + Key("table.field.event.timestamp", "t") +
               Key("table.field.event.schema.version", "v") + Key("route.by.field", "r") +
               Key("route.topic.regex", "(?<x>.*)-(.*)") + Key("route.topic.replacement", "$2.${x}") +
               Key("route.tombstone.on.empty.payload", "true") + Key("table.expand.json.payload", "true") +
               Key("table.json.payload.null.behavior", "optional_bytes") + Key("table.op.invalid.behavior", "fatal"));
  EXPECT_EQ(router.alias, "outbox");
  EXPECT_EQ(router.event_id, "i");
  EXPECT_EQ(router.event_key, "k");
  EXPECT_EQ(router.event_payload, "p");
  EXPECT_EQ(router.event_timestamp, "t");
  EXPECT_EQ(router.event_schema_version, "v");
  EXPECT_EQ(router.route_by_field, "r");
  EXPECT_EQ(router.route_topic_regex, "(?<x>.*)-(.*)");
  EXPECT_EQ(router.route_topic_replacement, "$2.${x}");
  EXPECT_TRUE(router.tombstone_on_empty_payload);
  EXPECT_TRUE(router.expand_json_payload);
  EXPECT_TRUE(router.expand_null_as_optional_bytes);
  EXPECT_EQ(router.invalid_operation, InvalidOperation::kFatal);
}

TEST(RouterOptions, PlacementGrammar) {
  const Router router = RouterOf(
      Key("table.fields.additional.placement", "type:header:eventType, tenant:ENVELOPE ,part:partition,type:header:,"));
  EXPECT_THAT(router.additional_fields, ElementsAre(FieldsAre("type", FieldPlacement::kHeader, "eventType"),
                                                    FieldsAre("tenant", FieldPlacement::kEnvelope, "tenant"),
                                                    FieldsAre("part", FieldPlacement::kPartition, "part"),
                                                    FieldsAre("type", FieldPlacement::kHeader, "type")));
}

TEST(RouterOptions, RefusesBadPlacements) {
  const std::string name = "table.fields.additional.placement";
  for (const std::string value : {"type", "a:header:x:y", "a:header,,b:header", ":header", "a:header, "})
    EXPECT_THAT(ErrorWith(Key(name, value)), HasSubstr("is not column:placement or column:placement:alias")) << value;
  EXPECT_THAT(ErrorWith(Key(name, "")), HasSubstr("allowed is column:placement"));
  EXPECT_THAT(ErrorWith(Key(name, "type:nowhere")),
              HasSubstr("'nowhere' is no placement: allowed are header, envelope and partition"));
  EXPECT_THAT(ErrorWith(Key(name, "a:envelope,b:envelope:a")), HasSubstr("two fields called 'a'"));
  EXPECT_THAT(ErrorWith(Key(name, "payload:envelope")), HasSubstr("two fields called 'payload'"));
  EXPECT_EQ(ErrorWith(Key(name, "a:header,b:header:a")), "");
}

TEST(RouterOptions, WhatAPlaceholderGaveIsNotQuoted) {
  const std::string error =
      ErrorWith(Key("table.fields.additional.placement", "${env:FIELDS}"), {{"FIELDS", "type:hunter2"}});
  EXPECT_THAT(error, HasSubstr("is '${env:FIELDS}': a part of it is no placement"));
  EXPECT_THAT(error, Not(HasSubstr("hunter2")));
}

TEST(RouterOptions, BothNamesForMissingColumns) {
  EXPECT_TRUE(RouterOf("").additional_missing_is_error);
  EXPECT_FALSE(RouterOf(Key("table.field.additional.missing", "ignore")).additional_missing_is_error);
  EXPECT_FALSE(RouterOf(Key("table.fields.additional.error.on.missing", "false")).additional_missing_is_error);
  EXPECT_TRUE(RouterOf(Key("table.field.additional.missing", "error") +
                       Key("table.fields.additional.error.on.missing", "false"))
                  .additional_missing_is_error);
}

TEST(RouterOptions, RegexAndReplacementAreCheckedAtTheStart) {
  EXPECT_THAT(ErrorWith(Key("route.topic.regex", "(")),
              HasSubstr("transforms.outbox.route.topic.regex is '(': not a regular expression"));
  EXPECT_THAT(ErrorWith(Key("route.topic.replacement", "${nope}")),
              HasSubstr("transforms.outbox.route.topic.replacement is '${nope}': does not fit"));
  EXPECT_THAT(ErrorWith(Key("route.topic.regex", "a|ab")), HasSubstr("does not fit route.topic.regex"));
}

TEST(RouterOptions, TracingHeadersOnlyWhereAskedFor) {
  const std::string field = Key("tracing.span.context.field", "trace");
  EXPECT_FALSE(RouterOf(field).tracing_headers);
  EXPECT_EQ(RouterOf(field).tracing_context_field, std::nullopt);
  EXPECT_EQ(RouterOf(field + "postrider.tracing.headers=true\n").tracing_context_field, "trace");
  EXPECT_EQ(RouterOf("postrider.tracing.headers=true\n").tracing_context_field, "tracingspancontext");
}

TEST(RouterOptions, SkippedOperations) {
  EXPECT_TRUE(RouterOf("skipped.operations=U, t").skip_updates);
  EXPECT_FALSE(RouterOf("skipped.operations=none").skip_updates);
  EXPECT_THAT(ErrorWith("skipped.operations=c"), HasSubstr("no inserted row would be published"));
  EXPECT_THAT(ErrorWith("skipped.operations=x"), HasSubstr("allowed are u, d and t"));
}

TEST(RouterOptions, ColumnTypesHandling) {
  const auto loaded = LoadWith(
      "decimal.handling.mode=double\ntime.precision.mode=isostring\nbinary.handling.mode=base64-url-safe\ninterval."
      "handling.mode=string\n"
      "hstore.handling.mode=map\nmoney.fraction.digits=4\ninclude.unknown.datatypes=true\n");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const Types& types = loaded->config.types;
  EXPECT_EQ(types.decimal, DecimalMode::kDouble);
  EXPECT_EQ(types.time, TimePrecision::kIsoString);
  EXPECT_EQ(types.binary, BinaryMode::kBase64UrlSafe);
  EXPECT_EQ(types.interval, IntervalMode::kString);
  EXPECT_EQ(types.hstore, HstoreMode::kMap);
  EXPECT_EQ(types.money_fraction_digits, 4);
  EXPECT_TRUE(types.include_unknown_datatypes);
}

// Every choice of the table is known where it is read (an unknown one would end the process).
TEST(RouterOptions, EveryChoiceOfEveryKeyIsRead) {
  for (const KeySpec& spec : Keys()) {
    if (spec.type != ValueType::kChoice || spec.outcome != KeyOutcome::kHonoured) continue;
    std::string key = DocumentedKey(spec);
    if (spec.scope == Scope::kEventRouter) key = "transforms.outbox." + spec.name;
    if (spec.scope == Scope::kConverter) key = "value.converter=JsonConverter\nvalue.converter." + spec.name;
    for (const std::string& choice : spec.choices) InspectWith(key + "=" + choice + "\n");
  }
}

}  // namespace
}  // namespace postrider::config
