#include "config/classes.h"

#include <utility>

#include "base/check.h"
#include "config/text.h"

namespace postrider::config {
namespace {

constexpr std::string_view kRegistry =
    "use org.apache.kafka.connect.converters.ByteArrayConverter with an application that puts the encoded bytes into a "
    "bytea "
    "payload, or JsonConverter";

constexpr std::pair<std::string_view, ConverterKind> kConverters[] = {
    {"org.apache.kafka.connect.storage.StringConverter", ConverterKind::kString},
    {"org.apache.kafka.connect.json.JsonConverter", ConverterKind::kJson},
    {"org.apache.kafka.connect.converters.ByteArrayConverter", ConverterKind::kByteArray},
    {"io.debezium.converters.BinaryDataConverter", ConverterKind::kBinaryData},
    {"io.debezium.converters.ByteArrayConverter", ConverterKind::kOnlyByteArray},
    {"org.apache.kafka.connect.storage.SimpleHeaderConverter", ConverterKind::kSimpleHeader},
    {"org.apache.kafka.connect.converters.BooleanConverter", ConverterKind::kBoolean},
    {"org.apache.kafka.connect.converters.ShortConverter", ConverterKind::kShort},
    {"org.apache.kafka.connect.converters.IntegerConverter", ConverterKind::kInteger},
    {"org.apache.kafka.connect.converters.LongConverter", ConverterKind::kLong},
    {"org.apache.kafka.connect.converters.FloatConverter", ConverterKind::kFloat},
    {"org.apache.kafka.connect.converters.DoubleConverter", ConverterKind::kDouble},
};

constexpr std::pair<std::string_view, Transform::Kind> kTransforms[] = {
    {"org.apache.kafka.connect.transforms.RegexRouter", Transform::Kind::kRegexRouter},
    {"org.apache.kafka.connect.transforms.InsertHeader", Transform::Kind::kInsertHeader},
    {"org.apache.kafka.connect.transforms.DropHeaders", Transform::Kind::kDropHeaders},
    {"org.apache.kafka.connect.transforms.Filter", Transform::Kind::kFilter},
};

constexpr std::pair<std::string_view, Predicate::Kind> kPredicates[] = {
    {"org.apache.kafka.connect.transforms.predicates.TopicNameMatches", Predicate::Kind::kTopicNameMatches},
    {"org.apache.kafka.connect.transforms.predicates.HasHeaderKey", Predicate::Kind::kHasHeaderKey},
    {"org.apache.kafka.connect.transforms.predicates.RecordIsTombstone", Predicate::Kind::kRecordIsTombstone},
};

template <typename Kind, size_t kSize>
Kind KindOf(const std::pair<std::string_view, Kind> (&table)[kSize], const ClassSpec& spec) {
  for (const auto& [name, kind] : table)
    if (name == spec.name) return kind;
  POSTRIDER_CHECK(false);
  return table[0].second;
}

std::string_view NoteOf(Transform::Kind kind) {
  switch (kind) {
    case Transform::Kind::kRegexRouter:
      return "in any number, before and behind the EventRouter, as all of Kafka's that are honoured";
    case Transform::Kind::kInsertHeader:
      return "value.literal as text, number, boolean, date, time or null; not as list or map";
    case Transform::Kind::kDropHeaders:
      return "";
    case Transform::Kind::kFilter:
      return "with a predicate; what it drops counts as ignored";
  }
  return "";
}

// What Connect cuts off the end of a class's name for its shortest alias.
std::string_view Suffix(ClassKind kind) {
  switch (kind) {
    case ClassKind::kConnector:
      return "Connector";
    case ClassKind::kConverter:
      return "Converter";
    case ClassKind::kTransform:
    case ClassKind::kPredicate:
    case ClassKind::kPartitioner:
      return "";
  }
  return "";
}

std::string_view SimpleName(std::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

bool IsAlias(const ClassSpec& spec, std::string_view name) {
  std::string_view simple = SimpleName(spec.name);
  if (name == simple) return true;
  return ConsumeSuffix(simple, Suffix(spec.kind)) && !simple.empty() && name == simple;
}

}  // namespace

const std::vector<ClassSpec>& Classes() {
  using enum ClassKind;
  using enum KeyOutcome;
  static const std::vector<ClassSpec>* const classes = [] {
    auto* table = new std::vector<ClassSpec>{
        {kConnector, "io.debezium.connector.postgresql.PostgresConnector", kHonoured, ""},
        {kTransform, kEventRouterClass, kHonoured, "exactly one"},
        {kPartitioner, "org.apache.kafka.clients.producer.internals.DefaultPartitioner", kHonoured,
         "murmur2 of the key's bytes"},
        {kPartitioner, "org.apache.kafka.clients.producer.RoundRobinPartitioner", kHonoured, kKeyDoesNotCount},
        {kPartitioner, "org.apache.kafka.clients.producer.UniformStickyPartitioner", kHonoured, kKeyDoesNotCount},
    };
    for (const auto& [name, kind] : kTransforms) table->push_back({kTransform, name, kHonoured, NoteOf(kind)});
    for (const auto& [name, kind] : kPredicates)
      table->push_back({kPredicate, name, kHonoured, "on any transform, with or without negate"});
    for (const auto& [name, kind] : kConverters) {
      std::string_view note;
      if (kind == ConverterKind::kSimpleHeader) note = "for headers only";
      table->push_back({kConverter, name, kHonoured, note});
    }
    for (const std::string_view name :
         {"io.confluent.connect.avro.AvroConverter", "io.confluent.connect.protobuf.ProtobufConverter",
          "io.confluent.connect.json.JsonSchemaConverter", "io.apicurio.registry.utils.converter.AvroConverter",
          "io.apicurio.registry.utils.converter.ExtJsonConverter",
          "io.apicurio.registry.utils.converter.ProtobufConverter",
          "com.amazonaws.services.schemaregistry.kafkaconnect.AWSKafkaAvroConverter",
          "com.amazonaws.services.schemaregistry.kafkaconnect.protobuf.ProtobufSchemaConverter"}) {
      table->push_back({kConverter, name, kRefused, kRegistry});
    }
    table->push_back({kConverter, "io.debezium.converters.CloudEventsConverter", kRefused,
                      "use JsonConverter, or build the envelope in the application and pass it with StringConverter"});
    return table;
  }();
  return *classes;
}

const ClassSpec* FindClass(ClassKind kind, std::string_view name) {
  const ClassSpec* by_alias = nullptr;
  int aliases = 0;
  for (const ClassSpec& spec : Classes()) {
    if (spec.kind != kind) continue;
    if (spec.name == name) return &spec;
    if (!IsAlias(spec, name)) continue;
    by_alias = &spec;
    ++aliases;
  }
  // A short name that several classes have is none, as in Connect.
  return aliases == 1 ? by_alias : nullptr;
}

ConverterKind ConverterKindOf(const ClassSpec& converter) {
  return KindOf(kConverters, converter);
}

Predicate::Kind PredicateKindOf(const ClassSpec& predicate) {
  return KindOf(kPredicates, predicate);
}

Transform::Kind TransformKindOf(const ClassSpec& transform) {
  return KindOf(kTransforms, transform);
}

}  // namespace postrider::config
