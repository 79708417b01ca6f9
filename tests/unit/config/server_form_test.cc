#include "config/server_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scratch.h"

namespace postrider::config {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kServer =
    "debezium.sink.type=kafka\n"
    "debezium.sink.kafka.producer.bootstrap.servers=kafka:9092\n"
    "debezium.sink.kafka.producer.key.serializer=org.apache.kafka.common.serialization.StringSerializer\n"
    "debezium.source.connector.class=io.debezium.connector.postgresql.PostgresConnector\n"
    "debezium.source.plugin.name=pgoutput\n"
    "debezium.source.offset.storage.file.filename=data/offsets.dat\n"
    "debezium.source.database.hostname=db\n"
    "debezium.source.database.user=relay\n"
    "debezium.source.database.password=${PG_PASSWORD:hunter2}\n"
    "debezium.source.database.dbname=${db.name}\n"
    "db.name=shop\n"
    "debezium.source.topic.prefix=app\n"
    "debezium.transforms=outbox\n"
    "debezium.transforms.outbox.type=io.debezium.transforms.outbox.EventRouter\n"
    "debezium.transforms.outbox.route.topic.replacement=$${routedByValue}.events\n"
    "quarkus.log.level=INFO\n";

absl::StatusOr<Loaded> LoadServer(const std::string& text, Environment environment = {}) {
  const Scratch scratch;
  return Load({.files = {scratch.Write("application.properties", std::string(kServer) + text)},
               .overrides = {},
               .environment = std::move(environment)});
}

TEST(ServerForm, MeansWhatTheConnectorsKeysMean) {
  const auto loaded = LoadServer("");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const Config& config = loaded->config;
  EXPECT_EQ(config.database.hostname, "db");
  EXPECT_EQ(config.database.dbname, "shop");
  EXPECT_EQ(*config.database.password.Read(), "hunter2");
  EXPECT_EQ(config.topic_prefix, "app");
  EXPECT_EQ(config.router.route_topic_replacement, "${routedByValue}.events");
}

TEST(ServerForm, DefaultIsJsonForAllThree) {
  const auto loaded = LoadServer("");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->config.converters.key.kind, ConverterKind::kJson);
  EXPECT_EQ(loaded->config.converters.value.kind, ConverterKind::kJson);
  EXPECT_EQ(loaded->config.converters.header.kind, ConverterKind::kJson);
  EXPECT_TRUE(loaded->config.converters.value.schemas_enable);
}

TEST(ServerForm, FormatsAndTheirOptions) {
  const auto loaded = LoadServer(
      "debezium.format.key=simplestring\ndebezium.format.schemas.enable=false\ndebezium.format.header.schemas.enable="
      "true\n"
      "debezium.format.value=json\n");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->config.converters.key.kind, ConverterKind::kString);
  EXPECT_FALSE(loaded->config.converters.value.schemas_enable);
  EXPECT_TRUE(loaded->config.converters.header.schemas_enable);
  const auto avro = LoadServer("debezium.format.value=avro\n");
  ASSERT_FALSE(avro.ok());
  EXPECT_THAT(std::string(avro.status().message()),
              HasSubstr("debezium.format.value is io.confluent.connect.avro.AvroConverter"));
}

TEST(ServerForm, VariablesComeBeforeTheFile) {
  const auto loaded = LoadServer("", {{"DEBEZIUM_SOURCE_DATABASE_HOSTNAME", "other"},
                                      {"DEBEZIUM_SINK_KAFKA_PRODUCER_LINGER_MS", "9"},
                                      {"PG_PASSWORD", "rotated"},
                                      {"POSTRIDER_SLOT_NAME", "mine"}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->config.database.hostname, "other");
  EXPECT_EQ(*loaded->config.database.password.Read(), "rotated");
  EXPECT_EQ(loaded->config.slot.name, "mine");
  EXPECT_EQ(FindReport(loaded->keys, "debezium.sink.kafka.producer.linger.ms")->librdkafka, "linger.ms=9");
}

TEST(ServerForm, VariablesCountOnlyBesideSuchAFile) {
  const auto loaded = LoadWith("", {{"DEBEZIUM_SOURCE_DATABASE_HOSTNAME", "other"}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->config.database.hostname, "db");
}

TEST(ServerForm, MessagesNameTheKeyAsWritten) {
  const auto loaded = LoadServer("debezium.source.slot.name=Bad\n");
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(std::string(loaded.status().message()),
              HasSubstr("application.properties:17: debezium.source.slot.name is 'Bad'"));
}

TEST(ServerForm, NoDefaultOfASecretIsShown) {
  const Scratch scratch;
  const Inspection inspection =
      Inspect({.files = {scratch.Write("application.properties", kServer)}, .overrides = {}, .environment = {}});
  ASSERT_TRUE(inspection.status.ok()) << inspection.status;
  for (const KeyReport& key : inspection.keys) EXPECT_THAT(key.value, Not(HasSubstr("hunter2"))) << key.key;
}

TEST(ServerForm, AnotherSinkIsRefused) {
  const auto loaded = LoadServer("debezium.sink.type=pulsar\n");
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(std::string(loaded.status().message()), HasSubstr("debezium.sink.type is 'pulsar': allowed is kafka"));
}

TEST(ServerForm, UnresolvedExpressionsSayHowToWriteADollar) {
  const auto loaded = LoadServer("debezium.transforms.outbox.route.topic.replacement=${routedByValue}\n");
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(std::string(loaded.status().message()),
              HasSubstr("neither the environment nor the file has routedByValue"));
}

TEST(ServerExpressions, ResolvesFromTheNearestName) {
  const ServerExpressions expressions({{"A_B", "env"}, {"x", "lower"}}, {{"k", "${a.b}!"}, {"loop", "${loop}"}});
  EXPECT_EQ(*expressions.Resolve("1${a.b}2${x}3${k}4${no:de:fault}5$$6$7"), "1env2lower3env!4de:fault5$6$7");
  EXPECT_THAT(std::string(expressions.Resolve("${loop}").status().message()), HasSubstr("refer to each other"));
  EXPECT_EQ(*expressions.Resolve("${open"), "${open");
}

TEST(ServerExpressions, CannotMultiplyWithoutEnd) {
  std::string many;
  for (int i = 0; i < 100; ++i) many += "${b}";
  const ServerExpressions expressions({}, {{"a", many}, {"b", many}});
  EXPECT_FALSE(expressions.Resolve("${a}").ok());
  const ServerExpressions two({}, {{"a", many}, {"b", "x"}});
  EXPECT_EQ(two.Resolve("${a}")->size(), 100U);
}

TEST(ServerForm, IsRecognisedByItsKeys) {
  EXPECT_TRUE(IsServerForm({{"debezium.sink.type", "kafka", 1}}));
  EXPECT_TRUE(IsServerForm({{"a", "b", 1}, {"debezium.source.slot.name", "s", 2}}));
  EXPECT_FALSE(IsServerForm({{"slot.name", "s", 1}}));
}

}  // namespace
}  // namespace postrider::config
