#include "config/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "scratch.h"

namespace postrider::config {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The table's defaults and those of config.h are the same.
TEST(Load, DefaultsAreThoseOfConfig) {
  const auto loaded = LoadWith("");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(loaded->warnings, IsEmpty());
  const Config& config = loaded->config;
  const Config plain;
  EXPECT_EQ(config.topic_prefix, config.slot.name);
  EXPECT_EQ(config.extended_headers, plain.extended_headers);
  EXPECT_EQ(config.database.port, plain.database.port);
  EXPECT_EQ(config.database.sslmode, plain.database.sslmode);
  EXPECT_EQ(config.database.tcp_keepalive, plain.database.tcp_keepalive);
  EXPECT_EQ(config.database.query_timeout_ms, plain.database.query_timeout_ms);
  EXPECT_TRUE(config.database.password.empty());
  EXPECT_EQ(config.publication.name, plain.publication.name);
  EXPECT_EQ(config.publication.autocreate, plain.publication.autocreate);
  EXPECT_EQ(config.publication.via_partition_root, plain.publication.via_partition_root);
  EXPECT_EQ(config.publication.publish_updates, plain.publication.publish_updates);
  EXPECT_EQ(config.slot.name, plain.slot.name);
  EXPECT_EQ(config.slot.drop_on_stop, plain.slot.drop_on_stop);
  EXPECT_EQ(config.slot.failover, plain.slot.failover);
  EXPECT_EQ(config.slot.takeover, plain.slot.takeover);
  EXPECT_EQ(config.slot.status_interval_ms, plain.slot.status_interval_ms);
  EXPECT_EQ(config.snapshot.mode, plain.snapshot.mode);
  EXPECT_EQ(config.router.event_id, plain.router.event_id);
  EXPECT_EQ(config.router.event_key, plain.router.event_key);
  EXPECT_EQ(config.router.event_payload, plain.router.event_payload);
  EXPECT_EQ(config.router.event_timestamp, plain.router.event_timestamp);
  EXPECT_EQ(config.router.event_schema_version, plain.router.event_schema_version);
  EXPECT_EQ(config.router.additional_missing_is_error, plain.router.additional_missing_is_error);
  EXPECT_EQ(config.router.route_by_field, plain.router.route_by_field);
  EXPECT_EQ(config.router.route_topic_regex, plain.router.route_topic_regex);
  EXPECT_EQ(config.router.route_topic_replacement, plain.router.route_topic_replacement);
  EXPECT_EQ(config.router.tombstone_on_empty_payload, plain.router.tombstone_on_empty_payload);
  EXPECT_EQ(config.router.expand_json_payload, plain.router.expand_json_payload);
  EXPECT_EQ(config.router.expand_null_as_optional_bytes, plain.router.expand_null_as_optional_bytes);
  EXPECT_EQ(config.router.invalid_operation, plain.router.invalid_operation);
  EXPECT_EQ(config.types.decimal, plain.types.decimal);
  EXPECT_EQ(config.types.time, plain.types.time);
  EXPECT_EQ(config.types.binary, plain.types.binary);
  EXPECT_EQ(config.types.interval, plain.types.interval);
  EXPECT_EQ(config.types.hstore, plain.types.hstore);
  EXPECT_EQ(config.types.money_fraction_digits, plain.types.money_fraction_digits);
  EXPECT_EQ(config.types.include_unknown_datatypes, plain.types.include_unknown_datatypes);
  EXPECT_EQ(config.converters.header.kind, plain.converters.header.kind);
  EXPECT_EQ(config.converters.value.schemas_enable, plain.converters.value.schemas_enable);
  EXPECT_EQ(config.converters.value.decimal_numeric, plain.converters.value.decimal_numeric);
  EXPECT_EQ(config.converters.value.replace_null_with_default, plain.converters.value.replace_null_with_default);
  EXPECT_EQ(config.producer.max_request_size_bytes, plain.producer.max_request_size_bytes);
  EXPECT_EQ(config.producer.topic_creation_enable, plain.producer.topic_creation_enable);
  EXPECT_EQ(config.producer.ignore_keys, plain.producer.ignore_keys);
  EXPECT_EQ(config.relay.inflight_bytes_max, plain.relay.inflight_bytes_max);
  EXPECT_EQ(config.relay.drain_timeout_ms, plain.relay.drain_timeout_ms);
  EXPECT_EQ(config.relay.server_stop_drain_ms, plain.relay.server_stop_drain_ms);
  EXPECT_EQ(config.relay.poison.policy, plain.relay.poison.policy);
  EXPECT_EQ(config.logging.level, plain.logging.level);
  EXPECT_EQ(config.logging.format, plain.logging.format);
}

TEST(Load, ReadsOurOwnKeys) {
  const auto loaded = LoadWith(
      "name=n\ntopic.prefix=p\nextended.headers.enabled=true\nerrors.tolerance=all\npostrider.inflight.bytes=1048576\n"
      "postrider.drain.timeout.ms=1\npostrider.server.stop.drain.ms=2\npostrider.log.level=DEBUG\npostrider.log.format="
      "json\n");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->config.name, "n");
  EXPECT_EQ(loaded->config.topic_prefix, "p");
  EXPECT_TRUE(loaded->config.extended_headers);
  EXPECT_EQ(loaded->config.relay.poison.policy, PoisonPolicy::kSkip);
  EXPECT_EQ(loaded->config.relay.inflight_bytes_max, 1'048'576);
  EXPECT_EQ(loaded->config.relay.drain_timeout_ms, 1);
  EXPECT_EQ(loaded->config.relay.server_stop_drain_ms, 2);
  EXPECT_EQ(loaded->config.logging.level, "debug");
  EXPECT_EQ(loaded->config.logging.format, "json");
}

TEST(Load, RefusesOtherConnectors) {
  EXPECT_THAT(ErrorWith("connector.class=io.debezium.connector.mysql.MySqlConnector"),
              HasSubstr("Postrider replaces io.debezium.connector.postgresql"));
  EXPECT_EQ(ErrorWith("connector.class=io.debezium.connector.postgresql.PostgresConnector "), "");
}

TEST(Load, AMissingTopicPrefixWarnsOnlyWhereItShows) {
  EXPECT_THAT(WarningsWith("transforms.outbox.table.fields.additional.placement=a:header"), IsEmpty());
  EXPECT_THAT(WarningsWith("transforms.outbox.table.fields.additional.placement=a:envelope"),
              HasSubstr("topic.prefix is missing: the slot's name, debezium,"));
  EXPECT_THAT(WarningsWith("extended.headers.enabled=true"), HasSubstr("topic.prefix is missing"));
  EXPECT_THAT(ErrorWith("topic.prefix=a b"), HasSubstr("topic.prefix is 'a b': allowed are letters"));
}

TEST(Load, TheFirstOfSeveralProblemsIsNamedWithTheirNumber) {
  const std::string error = ErrorWith("slot.failover=maybe\nplugin.name=wal2json\nsnapshot.mode=x\n");
  EXPECT_THAT(error, HasSubstr("slot.failover is 'maybe'"));
  EXPECT_THAT(error, HasSubstr("(and 2 more: see `postrider config`)"));
}

TEST(Load, InspectReportsEverythingEvenWhereItIsRefused) {
  const Inspection inspection =
      InspectWith("slot.failover=maybe\nslot.name=orders\nmax.batch.size=1\nunknown.thing=1\nproducer.linger.ms=1\n");
  EXPECT_EQ(FaultOf(inspection.status), Fault::kConfiguration);
  EXPECT_EQ(FindReport(inspection.keys, "slot.failover")->outcome, KeyOutcome::kRefused);
  EXPECT_EQ(FindReport(inspection.keys, "slot.failover")->remark, "is 'maybe': allowed is true or false");
  EXPECT_EQ(FindReport(inspection.keys, "slot.name")->outcome, KeyOutcome::kHonoured);
  EXPECT_THAT(FindReport(inspection.keys, "slot.name")->origin, HasSubstr("more.properties:2"));
  EXPECT_EQ(FindReport(inspection.keys, "max.batch.size")->outcome, KeyOutcome::kMeaningless);
  EXPECT_EQ(FindReport(inspection.keys, "unknown.thing")->outcome, KeyOutcome::kUnknown);
  EXPECT_EQ(FindReport(inspection.keys, "producer.linger.ms")->librdkafka, "linger.ms=1");
  const KeyReport* fallback = FindReport(inspection.keys, "publication.autocreate.mode");
  ASSERT_NE(fallback, nullptr);
  EXPECT_EQ(fallback->value, "filtered");
  EXPECT_EQ(fallback->origin, "default");
  const KeyReport* ours = FindReport(inspection.keys, "librdkafka.partitioner");
  ASSERT_NE(ours, nullptr);
  EXPECT_EQ(ours->librdkafka, "partitioner=murmur2_random");
}

TEST(Load, TakesTheFilesOfConnectStandalone) {
  const Scratch scratch;
  const auto loaded = Load(
      {.files =
           {scratch.Write("connect-standalone.properties",
                          "bootstrap.servers=kafka:9092\nkey.converter=org.apache.kafka.connect.json.JsonConverter\n"
                          "value.converter=org.apache.kafka.connect.json.JsonConverter\n"
                          "key.converter.schemas.enable=false\nvalue.converter.schemas.enable=false\n"
                          "offset.storage.file.filename=/tmp/"
                          "connect.offsets\noffset.flush.interval.ms=10000\nplugin.path=/opt\n"),
            scratch.Write(
                "connector.json",
                R"({"name":"outbox","config":{"connector.class":"io.debezium.connector.postgresql.PostgresConnector",
          "plugin.name":"pgoutput","database.hostname":"db","database.port":5432,"database.user":"u","database.password":"${env:PW}",
          "database.dbname":"d","topic.prefix":"app","table.include.list":"public.outbox","transforms":"outbox","tasks.max":"1",
          "transforms.outbox.type":"io.debezium.transforms.outbox.EventRouter"}})")},
       .overrides = {},
       .environment = {{"PW", "secret"}}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(loaded->warnings, IsEmpty());
  EXPECT_EQ(loaded->config.name, "outbox");
  EXPECT_EQ(loaded->config.converters.key.kind, ConverterKind::kJson);
  EXPECT_FALSE(loaded->config.converters.key.schemas_enable);
  EXPECT_EQ(*loaded->config.database.password.Read(), "secret");
}

}  // namespace
}  // namespace postrider::config
