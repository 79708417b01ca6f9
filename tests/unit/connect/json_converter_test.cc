// Expected texts: Kafka 4.3's JsonConverter.
#include "connect/json_converter.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace postrider::connect {
namespace {

constexpr Schema kInt32{.type = Type::kInt32};
constexpr Schema kText{.type = Type::kString, .optional = true};
constexpr Schema kBytes{.type = Type::kBytes};

std::string SchemaOf(const Schema* schema) {
  Buffer out;
  AppendJsonSchema(schema, {}, out);
  return std::string(out.view());
}
std::string ValueOf(const Schema* schema, const Value& value, const JsonOptions& options = {}) {
  Buffer out;
  AppendJsonValue(schema, value, options, out);
  return std::string(out.view());
}

TEST(JsonConverter, SchemasOfScalars) {
  EXPECT_EQ(SchemaOf(nullptr), "null");
  EXPECT_EQ(SchemaOf(&kInt32), R"({"type":"int32","optional":false})");
  EXPECT_EQ(SchemaOf(&kText), R"({"type":"string","optional":true})");
  const Schema real{.type = Type::kFloat32}, wide{.type = Type::kFloat64};
  EXPECT_EQ(SchemaOf(&real), R"({"type":"float","optional":false})");
  EXPECT_EQ(SchemaOf(&wide), R"({"type":"double","optional":false})");
}

TEST(JsonConverter, NameVersionParametersAndDefaultComeInConnectsOrder) {
  const std::array<Parameter, 2> parameters{{{"scale", "2"}, {"connect.decimal.precision", "10"}}};
  const Value zero = Value::Decimal("150", 2);
  const Schema schema{.type = Type::kBytes,
                      .logical = Logical::kDecimal,
                      .version = 1,
                      .name = "org.apache.kafka.connect.data.Decimal",
                      .doc = "d",
                      .parameters = parameters,
                      .default_value = &zero};
  EXPECT_EQ(SchemaOf(&schema),
            R"({"type":"bytes","optional":false,"name":"org.apache.kafka.connect.data.Decimal","version":1,"doc":"d",)"
            R"("parameters":{"scale":"2","connect.decimal.precision":"10"},"default":"AJY="})");
}

TEST(JsonConverter, NestedSchemas) {
  const std::array<Field, 2> fields{{{.name = "a", .schema = &kInt32}, {.name = "b\"", .schema = &kText}}};
  const Schema row{.type = Type::kStruct, .name = "n", .fields = fields};
  const Schema list{.type = Type::kArray, .element = &row};
  const Schema map{.type = Type::kMap, .element = &list, .key = &kText};
  EXPECT_EQ(SchemaOf(&map),
            R"({"type":"map","keys":{"type":"string","optional":true},"values":{"type":"array","items":)"
            R"({"type":"struct","fields":[{"type":"int32","optional":false,"field":"a"},)"
            R"({"type":"string","optional":true,"field":"b\""}],"optional":false,"name":"n"},"optional":false},)"
            R"("optional":false})");
}

TEST(JsonConverter, TheKeptJsonOfASchemaIsItsJson) {
  Arena arena;
  const Schema* kept = WithJson(kText, {}, arena);
  EXPECT_EQ(kept->json, R"({"type":"string","optional":true)");
  EXPECT_EQ(SchemaOf(kept), SchemaOf(&kText));
  const std::array<Field, 1> fields{{{.name = "a", .schema = kept}}};
  const Schema row{.type = Type::kStruct, .fields = fields};
  EXPECT_EQ(SchemaOf(&row),
            R"({"type":"struct","fields":[{"type":"string","optional":true,"field":"a"}],"optional":false})");
}

TEST(JsonConverter, Scalars) {
  const Schema boolean{.type = Type::kBoolean}, real{.type = Type::kFloat32}, wide{.type = Type::kFloat64};
  EXPECT_EQ(ValueOf(&boolean, Value::Boolean(true)), "true");
  EXPECT_EQ(ValueOf(&kInt32, Value::Integer(-5)), "-5");
  EXPECT_EQ(ValueOf(&real, Value::Float(0.1f)), "0.1");
  EXPECT_EQ(ValueOf(&wide, Value::Double(1e21)), "1.0E21");
  EXPECT_EQ(ValueOf(&wide, Value::Double(std::nan(""))), "\"NaN\"");
  EXPECT_EQ(ValueOf(&wide, Value::Double(-std::numeric_limits<double>::infinity())), "\"-Infinity\"");
  EXPECT_EQ(ValueOf(&kText, Value::String("a\"\n\x01\xc3\xa4")), "\"a\\\"\\n\\u0001\xc3\xa4\"");
  EXPECT_EQ(ValueOf(&kText, Value{}), "null");
  EXPECT_EQ(ValueOf(&kBytes, Value::Bytes(std::string_view("\0\xff", 2))), "\"AP8=\"");
}

TEST(JsonConverter, TextThatNeedsNoEscapesIsTakenWithItsQuotes) {
  constexpr std::string_view kDocument = R"("abc")";
  Value value = Value::String(kDocument.substr(1, 3));
  value.in_quotes = true;
  EXPECT_EQ(ValueOf(&kText, value), "\"abc\"");
}

TEST(JsonConverter, DecimalsAsBytesOrAsNumbers) {
  const Schema decimal{.type = Type::kBytes, .logical = Logical::kDecimal};
  EXPECT_EQ(ValueOf(&decimal, Value::Decimal("-1", 0)), "\"/w==\"");
  EXPECT_EQ(ValueOf(&decimal, Value::Decimal("1250", 2)), "\"BOI=\"");
  EXPECT_EQ(ValueOf(&decimal, Value::Decimal("1250", 2), {.decimal_numeric = true}), "12.50");
  EXPECT_EQ(ValueOf(&decimal, Value::Decimal("5", 10), {.decimal_numeric = true}), "5E-10");
}

TEST(JsonConverter, DatesAsTheirSchemaWants) {
  const Schema date{.type = Type::kInt32, .logical = Logical::kDate};
  const Schema time{.type = Type::kInt32, .logical = Logical::kTime};
  const Schema timestamp{.type = Type::kInt64, .logical = Logical::kTimestamp};
  EXPECT_EQ(ValueOf(&date, Value::Date(2 * 86'400'000)), "2");
  EXPECT_EQ(ValueOf(&time, Value::Date(1'234)), "1234");
  EXPECT_EQ(ValueOf(&timestamp, Value::Date(-5)), "-5");
}

TEST(JsonConverter, StructsWriteAllFieldsInOrder) {
  const std::array<Field, 2> fields{{{.name = "a", .schema = &kInt32}, {.name = "b", .schema = &kText}}};
  const Schema row{.type = Type::kStruct, .fields = fields};
  const std::array<Value, 2> items{Value::Integer(1), Value{}};
  EXPECT_EQ(ValueOf(&row, Value::Struct(items)), R"({"a":1,"b":null})");
  const Schema empty{.type = Type::kStruct};
  EXPECT_EQ(ValueOf(&empty, Value::Struct({})), "{}");
}

TEST(JsonConverter, NullsGiveWayToDefaultsUnlessTheOptionSaysNo) {
  const Value seven = Value::Integer(7);
  const Schema number{.type = Type::kInt32, .optional = true, .default_value = &seven};
  EXPECT_EQ(ValueOf(&number, Value{}), "7");
  EXPECT_EQ(ValueOf(&number, Value{}, {.replace_null_with_default = false}), "null");
  const std::array<Field, 1> fields{{{.name = "a", .schema = &number}}};
  const Schema row{.type = Type::kStruct, .fields = fields};
  const std::array<Value, 1> items{};
  EXPECT_EQ(ValueOf(&row, Value::Struct(items)), R"({"a":7})");
  EXPECT_EQ(ValueOf(&row, Value::Struct(items), {.replace_null_with_default = false}), R"({"a":null})");
}

TEST(JsonConverter, ListsAndMaps) {
  const Schema list{.type = Type::kArray, .element = &kInt32};
  const std::array<Value, 3> numbers{Value::Integer(1), Value{}, Value::Integer(3)};
  EXPECT_EQ(ValueOf(&list, Value::List(numbers)), "[1,null,3]");
  EXPECT_EQ(ValueOf(&list, Value::List({})), "[]");

  // With text keys an object, else a list of pairs.
  const std::array<Value, 4> pairs{Value::String("k"), Value::Integer(1), Value::String("l"), Value{}};
  const Schema required_text{.type = Type::kString};
  const Schema by_text{.type = Type::kMap, .element = &kInt32, .key = &required_text};
  EXPECT_EQ(ValueOf(&by_text, Value::Map(pairs)), R"({"k":1,"l":null})");
}

}  // namespace
}  // namespace postrider::connect
