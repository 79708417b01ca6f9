#include "config/classes.h"

#include <gtest/gtest.h>

namespace postrider::config {
namespace {

std::string_view NameOf(ClassKind kind, std::string_view name) {
  const ClassSpec* spec = FindClass(kind, name);
  return spec == nullptr ? "(none)" : spec->name;
}

TEST(Classes, FindsByFullName) {
  EXPECT_EQ(NameOf(ClassKind::kTransform, "io.debezium.transforms.outbox.EventRouter"), kEventRouterClass);
  EXPECT_EQ(NameOf(ClassKind::kTransform, "com.example.EventRouter"), "(none)");
  EXPECT_EQ(NameOf(ClassKind::kConverter, "io.debezium.transforms.outbox.EventRouter"), "(none)");
}

TEST(Classes, FindsByConnectsShortNames) {
  EXPECT_EQ(NameOf(ClassKind::kTransform, "EventRouter"), kEventRouterClass);
  EXPECT_EQ(NameOf(ClassKind::kConverter, "JsonConverter"), "org.apache.kafka.connect.json.JsonConverter");
  EXPECT_EQ(NameOf(ClassKind::kConverter, "String"), "org.apache.kafka.connect.storage.StringConverter");
  EXPECT_EQ(NameOf(ClassKind::kConnector, "Postgres"), "io.debezium.connector.postgresql.PostgresConnector");
  EXPECT_EQ(NameOf(ClassKind::kConverter, ""), "(none)");
}

TEST(Classes, AShortNameOfTwoClassesIsNone) {
  EXPECT_EQ(NameOf(ClassKind::kConverter, "ByteArrayConverter"), "(none)");
  EXPECT_EQ(NameOf(ClassKind::kConverter, "AvroConverter"), "(none)");
}

TEST(Classes, HonouredConvertersHaveAKind) {
  for (const ClassSpec& spec : Classes())
    if (spec.kind == ClassKind::kConverter && spec.outcome == KeyOutcome::kHonoured) ConverterKindOf(spec);
  EXPECT_EQ(ConverterKindOf(*FindClass(ClassKind::kConverter, "io.debezium.converters.ByteArrayConverter")),
            ConverterKind::kOnlyByteArray);
  EXPECT_EQ(
      ConverterKindOf(*FindClass(ClassKind::kConverter, "org.apache.kafka.connect.converters.ByteArrayConverter")),
      ConverterKind::kByteArray);
}

TEST(Classes, RefusedOnesSayWhatToUse) {
  for (const ClassSpec& spec : Classes())
    EXPECT_EQ(spec.outcome == KeyOutcome::kRefused && spec.note.empty(), false) << spec.name;
}

}  // namespace
}  // namespace postrider::config
