// Rows of the key table: what shapes a record: Debezium's handling of column types, its EventRouter, heartbeats and the
// rest of what its connector writes. Tested by tests/unit/config/keys_test.cc.
#include <utility>

#include "config/key_table.h"

namespace postrider::config {
namespace {

constexpr std::string_view kChangesValues = "it changes columns before the router sees them";
constexpr std::string_view kNames = "it changes names in schemas";

void AddTypes(TableWriter& t) {
  t.Add(Choice("decimal.handling.mode", {"precise", "string", "double"}, "precise", ""))
      .Add(Choice("time.precision.mode",
                  {"adaptive", "adaptive_time_microseconds", "connect", "isostring", "microseconds", "nanoseconds"},
                  "adaptive", ""))
      .Add(Choice("binary.handling.mode", {"bytes", "base64", "base64-url-safe", "hex"}, "bytes", ""))
      .Add(Choice("hstore.handling.mode", {"json", "map"}, "json", ""))
      .Add(Choice("interval.handling.mode", {"numeric", "string"}, "numeric", ""))
      .Add(Number("money.fraction.digits", 0, 30, "2", ""))
      .Add(Flag("include.unknown.datatypes", "false", ""))
      .Add(Choice("event.converting.failure.handling.mode", {"warn"}, "warn",
                  "a value without a form, such as NaN as a decimal, is null")
               .Not("fail", "such a value is null, as with warn")
               .Not("skip", "such a value is null, as with warn"))
      .Add(Choice("schema.name.adjustment.mode", {"none"}, "none", "").Not("avro", kNames).Not("avro_unicode", kNames))
      .Add(Choice("field.name.adjustment.mode", {"none"}, "none", "").Not("avro", kNames).Not("avro_unicode", kNames))
      .Add(Choice("include.schema.comments", {"false"}, "false", "").Not("true", "it adds column comments to schemas"))
      .Meaningless("an inserted row has no unavailable value", {"unavailable.value.placeholder"})
      .Meaningless("a Relation message tells when a table has changed", {"schema.refresh.mode"})
      .Refused(kChangesValues, {"column.mask.*", "column.truncate.*", "converters", "post.processors"})
      .Refused("it adds parameters to schemas", {"column.propagate.source.type", "datatype.propagate.source.type"});
}

void AddOutput(TableWriter& t) {
  t.Add(Flag("extended.headers.enabled", "false",
             "Debezium's default is true: the `__debezium.context.*` headers are written only where true is"))
      .Add(Choice("topic.delimiter", {"."}, ".", "other delimiters are refused: they stand in schema names"))
      .Add(Choice("topic.naming.strategy", {"io.debezium.schema.SchemaTopicNamingStrategy"},
                  "io.debezium.schema.SchemaTopicNamingStrategy",
                  "other classes are refused: they change schema names"))
      .Add(Number("heartbeat.interval.ms", 0, kIntMax, "0",
                  "0: off. Records are written while the state is streaming; the slot advances without them. Where a "
                  "converter does not take them, they are left out with a warning"))
      .Add(Raw("heartbeat.action.query", "",
               "run at each interval on a connection of its own; a failure is a warning, where Debezium stops or "
               "starts anew on some"))
      .Add(Text("topic.heartbeat.prefix", "__debezium-heartbeat", "the topic is this, a dot and topic.prefix"))
      .Add(Text("topic.heartbeat.name", "", "from 3.5: the topic's whole name"))
      .Meaningless("of older releases; Debezium ignores it too", {"heartbeat.topics.prefix"})
      .Add(Flag("provide.transaction.metadata", "false",
                "the transaction topic is not written: only routed events are published")
               .Loud())
      .Meaningless("without the transaction topic", {"topic.transaction", "transaction.metadata.factory"})
      .Meaningless("there are no signals", {"signal.*"})
      .Meaningless("there are no notifications", {"notification.*"})
      .Meaningless("the router keeps nothing of it", {"sourceinfo.struct.maker"})
      .Add(Choice("event.processing.failure.handling.mode", {"fail", "warn", "skip", "ignore"}, "fail",
                  "what cannot be published is held; see errors.tolerance")
               .Meaningless())
      .Meaningless("events flow as they come, within postrider.inflight.bytes",
                   {"poll.interval.ms", "poll.dispatch.interval.ms", "max.batch.size", "max.queue.size",
                    "max.queue.size.in.bytes", "queue.provider.type"})
      .Meaningless("Postrider has metrics of its own",
                   {"custom.metric.tags", "statistics.metrics.enabled", "internal.advanced.metrics.enable",
                    "openlineage.integration.*"})
      .Meaningless("secrets never reach the log", {"custom.sanitize.pattern"})
      .Meaningless("of Debezium's own working", {"topic.cache.size", "memory.management.schemas.class",
                                                 "memory.management.tables.class", "internal.*"});
}

void AddRouter(TableWriter& t) {
  t.Add(Text("table.field.event.id", "id", ""))
      .Add(Text("table.field.event.key", "aggregateid", ""))
      .Add(Text("table.field.event.payload", "payload", ""))
      .Add(Text("table.field.event.timestamp", "",
                "beside Debezium's timestamp columns: timestamptz, and bigint as milliseconds"))
      .Add(Text("table.field.event.schema.version", "", "with an envelope only"))
      .Add(List("table.fields.additional.placement", "",
                "column:placement[:alias] with commas; header, envelope, partition"))
      .Add(Choice("table.field.additional.missing", {"error", "ignore"}, "error", "from 3.6"))
      .Add(Flag("table.fields.additional.error.on.missing", "true", "its name up to 3.5, honoured as well"))
      .Add(Choice("table.op.invalid.behavior", {"warn", "error", "fatal"}, "warn", ""))
      .Add(Flag("table.expand.json.payload", "false", "what cannot be expanded goes out as text"))
      .Add(Choice("table.json.payload.null.behavior", {"ignore", "optional_bytes"}, "ignore", ""))
      .Add(Choice("table.json.payload.empty.array.behavior", {"ignore"}, "ignore", "from 3.7")
               .Not("optional_string", "not supported yet"))
      .Add(Text("route.by.field", "aggregatetype", ""))
      .Add(
          Regex("route.topic.regex", "(?<routedByValue>.*)", "Java's syntax; what only Java's engine knows is refused"))
      .Add(Raw("route.topic.replacement", "outbox.event.${routedByValue}", "an unknown group is refused at the start"))
      .Add(Flag("route.tombstone.on.empty.payload", "false", ""))
      .Add(Choice("field.name.adjustment.mode", {"none"}, "none", "")
               .Not("avro", "Debezium loses the values of the fields that it renames")
               .Not("avro_unicode", "Debezium loses the values of the fields that it renames"))
      .Meaningless("Debezium defines it and never reads it: the type travels by table.fields.additional.placement",
                   {"table.field.event.type"})
      .Add(Text("tracing.span.context.field", "tracingspancontext",
                "with postrider.tracing.headers alone; without OpenTelemetry's classes Debezium adds no header either"))
      .Meaningless("no span is made", {"tracing.operation.name", "tracing.with.context.field.only"});
  for (const auto& [old_name, name] : {std::pair("table.field.payload", "table.field.event.payload"),
                                       std::pair("table.field.payload.id", "table.field.event.key"),
                                       std::pair("table.field.schema.version", "table.field.event.schema.version"),
                                       std::pair("debezium.op.invalid.behavior", "table.op.invalid.behavior")}) {
    t.Add(Text(old_name, "", std::string("of 1.x; Debezium ignores it too: write ") + name).Loud());
  }
}

}  // namespace

void AddRecordKeys(std::vector<KeySpec>& table) {
  TableWriter top(table, Section::kConnector, Scope::kTop);
  AddTypes(top);
  AddOutput(top);
  TableWriter router(table, Section::kRouter, Scope::kEventRouter);
  AddRouter(router);
}

}  // namespace postrider::config
