// src/config/converters.cc
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scratch.h"

namespace postrider::config {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Without any converter.
constexpr std::string_view kBare =
    "database.hostname=db\ndatabase.user=relay\ndatabase.dbname=shop\nbootstrap.servers=kafka:9092\ntransforms=outbox\n"
    "transforms.outbox.type=io.debezium.transforms.outbox.EventRouter\n";

Converters ConvertersOf(std::string_view text) {
  const auto loaded = LoadWith(text);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  return loaded.ok() ? loaded->config.converters : Converters();
}

TEST(ConverterOptions, ReadsClassesAndOptions) {
  const Converters converters = ConvertersOf(
      "key.converter=org.apache.kafka.connect.json.JsonConverter\nkey.converter.schemas.enable=false\n"
      "value.converter=org.apache.kafka.connect.json.JsonConverter\nvalue.converter.decimal.format=numeric\n"
      "value.converter.replace.null.with.default=false\nheader.converter=org.apache.kafka.connect.storage."
      "StringConverter\n");
  EXPECT_EQ(converters.key.kind, ConverterKind::kJson);
  EXPECT_FALSE(converters.key.schemas_enable);
  EXPECT_TRUE(converters.value.schemas_enable);
  EXPECT_TRUE(converters.value.decimal_numeric);
  EXPECT_FALSE(converters.value.replace_null_with_default);
  EXPECT_EQ(converters.header.kind, ConverterKind::kString);
}

TEST(ConverterOptions, BinaryDataHasADelegate) {
  const Converters converters = ConvertersOf(
      "value.converter=io.debezium.converters.BinaryDataConverter\n"
      "value.converter.delegate.converter.type=org.apache.kafka.connect.json.JsonConverter\n"
      "value.converter.delegate.converter.type.schemas.enable=false\n");
  EXPECT_EQ(converters.value.kind, ConverterKind::kBinaryData);
  EXPECT_EQ(converters.value.delegate, ConverterKind::kJson);
  EXPECT_FALSE(converters.value.delegate_schemas_enable);
  EXPECT_EQ(ConvertersOf("value.converter=io.debezium.converters.ByteArrayConverter").value.delegate, std::nullopt);
}

TEST(ConverterOptions, AMissingValueConverterIsRefusedWithTheReason) {
  const Scratch scratch;
  const auto loaded = Load({.files = {scratch.Write("c.properties", kBare)}, .overrides = {}, .environment = {}});
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(std::string(loaded.status().message()),
              HasSubstr("value.converter is missing: a connector's file without its worker's names none, because the "
                        "worker's applies, and "
                        "guessing would change every byte"));
}

TEST(ConverterOptions, AMissingKeyConverterIsTextWithOneWarning) {
  const Scratch scratch;
  const auto loaded =
      Load({.files = {scratch.Write("c.properties", std::string(kBare) + "value.converter=StringConverter\n")},
            .overrides = {},
            .environment = {}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->config.converters.key.kind, ConverterKind::kString);
  EXPECT_EQ(loaded->config.converters.header.kind, ConverterKind::kSimpleHeader);
  ASSERT_EQ(loaded->warnings.size(), 1U);
  EXPECT_THAT(loaded->warnings[0], HasSubstr("key.converter is missing: keys are text"));
}

TEST(ConverterOptions, RefusedConvertersSayWhatToUse) {
  EXPECT_THAT(ErrorWith("value.converter=io.confluent.connect.avro.AvroConverter"),
              HasSubstr("value.converter is io.confluent.connect.avro.AvroConverter, which is not supported: use "
                        "org.apache.kafka.connect.converters.ByteArrayConverter"));
  EXPECT_THAT(ErrorWith("value.converter=io.debezium.converters.CloudEventsConverter"), HasSubstr("use JsonConverter"));
  EXPECT_THAT(ErrorWith("value.converter=com.example.Own"),
              HasSubstr("value.converter is 'com.example.Own': a converter that is not supported"));
  EXPECT_THAT(ErrorWith("value.converter=org.apache.kafka.connect.storage.SimpleHeaderConverter"),
              HasSubstr("converts headers only"));
  EXPECT_THAT(ErrorWith("value.converter="), HasSubstr("value.converter is '': a converter"));
}

TEST(ConverterOptions, OptionsOfAnotherConverterAreMeaningless) {
  const auto loaded = LoadWith(
      "value.converter=org.apache.kafka.connect.storage.StringConverter\nvalue.converter.schemas.enable=false\n");
  ASSERT_TRUE(loaded.ok());
  EXPECT_THAT(loaded->warnings, IsEmpty());
  const KeyReport* report = FindReport(loaded->keys, "value.converter.schemas.enable");
  EXPECT_EQ(report->outcome, KeyOutcome::kMeaningless);
  EXPECT_EQ(report->remark, "only JsonConverter reads it");
}

// Connect builds a converter from where its class is named, with the options from there.
class WorkerAndConnector : public ::testing::Test {
 protected:
  absl::StatusOr<Loaded> Load2(const std::string& worker, const std::string& connector, Environment environment = {}) {
    return Load({.files = {scratch_.Write("worker.properties",
                                          "bootstrap.servers=kafka:9092\nkey.converter=StringConverter\n" + worker),
                           scratch_.Write("connector.properties",
                                          std::string(kBare) + "connector.class=Postgres\n" + connector)},
                 .overrides = {},
                 .environment = std::move(environment)});
  }
  Scratch scratch_;
};

TEST_F(WorkerAndConnector, TheWorkersConverterKeepsTheWorkersOptions) {
  const auto loaded = Load2("value.converter=JsonConverter\nvalue.converter.schemas.enable=false\n", "");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_FALSE(loaded->config.converters.value.schemas_enable);
  EXPECT_THAT(loaded->warnings, IsEmpty());
}

TEST_F(WorkerAndConnector, TheConnectorsConverterTakesNoneOfTheWorkers) {
  const auto loaded = Load2("value.converter=StringConverter\nvalue.converter.schemas.enable=false\n",
                            "value.converter=JsonConverter\n");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_TRUE(loaded->config.converters.value.schemas_enable);
  ASSERT_EQ(loaded->warnings.size(), 1U);
  EXPECT_THAT(loaded->warnings[0],
              HasSubstr("worker.properties:4: value.converter.schemas.enable does not count, as in Connect"));
}

TEST_F(WorkerAndConnector, AnOptionOfTheConnectorAloneDoesNotCount) {
  const auto loaded = Load2("value.converter=JsonConverter\n", "value.converter.schemas.enable=false\n");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_TRUE(loaded->config.converters.value.schemas_enable);
  EXPECT_EQ(loaded->warnings.size(), 1U);
}

TEST_F(WorkerAndConnector, AVariableAlwaysCounts) {
  const auto loaded =
      Load2("value.converter=JsonConverter\n", "", {{"POSTRIDER_VALUE_CONVERTER_SCHEMAS_ENABLE", "false"}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_FALSE(loaded->config.converters.value.schemas_enable);
  EXPECT_THAT(loaded->warnings, IsEmpty());
}

TEST(ConverterOptions, ALaterFileOfOnesOwnMayAddAnOption) {
  const Scratch scratch;
  const auto loaded =
      Load({.files = {scratch.Write("a.properties",
                                    std::string(kBare) + "key.converter=String\nvalue.converter=JsonConverter\n"),
                      scratch.Write("b.properties", "value.converter.schemas.enable=false\n")},
            .overrides = {},
            .environment = {}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_FALSE(loaded->config.converters.value.schemas_enable);
  EXPECT_THAT(loaded->warnings, IsEmpty());
}

}  // namespace
}  // namespace postrider::config
