#include "connect/converter.h"

#include <array>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace postrider::connect {
namespace {

using config::ConverterKind;

constexpr Schema kText{.type = Type::kString};
constexpr Schema kInt16{.type = Type::kInt16};
constexpr Schema kInt32{.type = Type::kInt32};
constexpr Schema kInt64{.type = Type::kInt64};
constexpr Schema kBytes{.type = Type::kBytes, .optional = true};
constexpr Schema kDecimal{.type = Type::kBytes, .logical = Logical::kDecimal};

Converter Of(ConverterKind kind) {
  return Converter(config::Converter{.kind = kind, .schemas_enable = false});
}

// The bytes; "(null)" for none.
std::string Converted(const Converter& converter, const Schema* schema, const Value& value) {
  Buffer buffer;
  return std::string(converter.Convert(schema, value, buffer).value_or("(null)"));
}

TEST(Converter, TextsPassAsTheyAre) {
  const Converter string = Of(ConverterKind::kString), header = Of(ConverterKind::kSimpleHeader);
  for (const Converter* converter : {&string, &header}) {
    EXPECT_TRUE(converter->Accepts(kText).ok());
    EXPECT_TRUE(converter->Accepts(kDecimal).ok());
    EXPECT_EQ(Converted(*converter, &kText, Value::String("a\"b")), "a\"b");
    EXPECT_EQ(Converted(*converter, nullptr, Value::String("[]")), "[]");
    EXPECT_EQ(Converted(*converter, &kText, Value{}), "(null)");
    EXPECT_EQ(Converted(*converter, nullptr, Value{}), "(null)");
    EXPECT_EQ(Converted(*converter, &kInt32, Value::Integer(5)), "5");
  }
  EXPECT_EQ(Converted(string, &kBytes, Value::Bytes("a")), "java.nio.HeapByteBuffer[pos=0 lim=1 cap=1]");
  EXPECT_EQ(Converted(header, &kBytes, Value::Bytes("a")), "YQ==");
}

TEST(Converter, Json) {
  const Converter plain = Of(ConverterKind::kJson);
  EXPECT_FALSE(plain.writes_json_schemas());
  EXPECT_EQ(Converted(plain, &kText, Value::String("a")), "\"a\"");
  EXPECT_EQ(Converted(plain, &kBytes, Value{}), "null");
  EXPECT_EQ(Converted(plain, nullptr, Value{}), "(null)");

  const Converter full(config::Converter{.kind = ConverterKind::kJson});
  EXPECT_TRUE(full.writes_json_schemas());
  EXPECT_EQ(Converted(full, &kText, Value::String("a")),
            R"({"schema":{"type":"string","optional":false},"payload":"a"})");
  EXPECT_EQ(Converted(full, &kBytes, Value{}), R"({"schema":{"type":"bytes","optional":true},"payload":null})");
  EXPECT_EQ(Converted(full, nullptr, Value::String("[]")), R"({"schema":null,"payload":"[]"})");
  EXPECT_EQ(Converted(full, nullptr, Value{}), "(null)");
}

TEST(Converter, JsonOptionsAreTheConverters) {
  const Converter numeric(
      config::Converter{.kind = ConverterKind::kJson, .schemas_enable = false, .decimal_numeric = true});
  EXPECT_EQ(Converted(numeric, &kDecimal, Value::Decimal("125", 1)), "12.5");
  const Value seven = Value::Integer(7);
  const Schema number{.type = Type::kInt32, .optional = true, .default_value = &seven};
  EXPECT_EQ(Converted(numeric, &number, Value{}), "7");
  const Converter keeps_nulls(
      config::Converter{.kind = ConverterKind::kJson, .schemas_enable = false, .replace_null_with_default = false});
  EXPECT_EQ(Converted(keeps_nulls, &number, Value{}), "null");
}

TEST(Converter, BytesAlone) {
  const Converter bytes = Of(ConverterKind::kByteArray);
  EXPECT_TRUE(bytes.Accepts(kBytes).ok());
  EXPECT_EQ(bytes.Accepts(kText).message(), "takes bytea columns only");
  EXPECT_FALSE(bytes.Accepts(kDecimal).ok());  // a BigDecimal to the converter
  EXPECT_EQ(Converted(bytes, &kBytes, Value::Bytes(std::string_view("\0\xff", 2))), std::string("\0\xff", 2));
  EXPECT_EQ(Converted(bytes, &kBytes, Value{}), "(null)");
}

TEST(Converter, BinaryDataHandsTheRestToItsDelegate) {
  const Converter alone = Of(ConverterKind::kBinaryData);
  EXPECT_TRUE(alone.Accepts(kBytes).ok());
  EXPECT_NE(alone.Accepts(kText).message().find("delegate.converter.type"), std::string::npos);

  const Converter with_json(config::Converter{
      .kind = ConverterKind::kBinaryData, .delegate = ConverterKind::kJson, .delegate_schemas_enable = false});
  EXPECT_TRUE(with_json.Accepts(kText).ok());
  EXPECT_EQ(Converted(with_json, &kText, Value::String("a")), "\"a\"");
  EXPECT_EQ(Converted(with_json, &kBytes, Value::Bytes("a")), "a");
  EXPECT_EQ(Converted(with_json, &kDecimal, Value::Decimal("1", 0)), "\"AQ==\"");

  const Converter with_long(config::Converter{.kind = ConverterKind::kBinaryData, .delegate = ConverterKind::kLong});
  EXPECT_TRUE(with_long.Accepts(kInt64).ok());
  EXPECT_EQ(with_long.Accepts(kText).message(), "takes bigint columns only");
}

TEST(Converter, TheOlderOneHandsByteBuffersToItsDelegateToo) {
  const Converter alone = Of(ConverterKind::kOnlyByteArray);
  EXPECT_TRUE(alone.Accepts(kBytes).ok());
  EXPECT_EQ(Converted(alone, &kBytes, Value::Bytes("a")), "a");  // Debezium stops

  const Converter with_json(config::Converter{
      .kind = ConverterKind::kOnlyByteArray, .delegate = ConverterKind::kJson, .delegate_schemas_enable = false});
  EXPECT_EQ(Converted(with_json, &kBytes, Value::Bytes("a")), "\"YQ==\"");
  EXPECT_EQ(Converted(with_json, &kBytes, Value::ByteArray("a")), "a");
  EXPECT_EQ(Converted(with_json, &kBytes, Value{}), "(null)");
  EXPECT_EQ(Converted(with_json, &kText, Value::String("a")), "\"a\"");
}

TEST(Converter, NumbersAreBigEndian) {
  EXPECT_EQ(Converted(Of(ConverterKind::kShort), &kInt16, Value::Integer(-2)), "\xff\xfe");
  EXPECT_EQ(Converted(Of(ConverterKind::kInteger), &kInt32, Value::Integer(258)), std::string("\0\0\1\2", 4));
  EXPECT_EQ(Converted(Of(ConverterKind::kLong), &kInt64, Value::Integer(std::numeric_limits<int64_t>::min())),
            std::string("\x80\0\0\0\0\0\0\0", 8));
  const Schema real{.type = Type::kFloat32}, wide{.type = Type::kFloat64}, boolean{.type = Type::kBoolean};
  EXPECT_EQ(Converted(Of(ConverterKind::kFloat), &real, Value::Float(1)), std::string("\x3f\x80\0\0", 4));
  EXPECT_EQ(Converted(Of(ConverterKind::kDouble), &wide, Value::Double(-2)), std::string("\xc0\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(Converted(Of(ConverterKind::kBoolean), &boolean, Value::Boolean(true)), "\1");
  EXPECT_EQ(Converted(Of(ConverterKind::kLong), &kInt64, Value{}), "(null)");
}

TEST(Converter, NumbersTakeTheirOwnTypeOnly) {
  EXPECT_TRUE(Of(ConverterKind::kLong).Accepts(kInt64).ok());
  EXPECT_EQ(Of(ConverterKind::kLong).Accepts(kInt32).message(), "takes bigint columns only");
  EXPECT_EQ(Of(ConverterKind::kInteger).Accepts(kText).message(), "takes integer columns only");
  const Schema timestamp{.type = Type::kInt64, .logical = Logical::kTimestamp};  // a java.util.Date to the converter
  EXPECT_FALSE(Of(ConverterKind::kLong).Accepts(timestamp).ok());
}

TEST(Converter, BoundToASchemaItWritesTheSame) {
  const std::array<ConverterKind, 3> kinds{ConverterKind::kString, ConverterKind::kJson, ConverterKind::kSimpleHeader};
  for (const ConverterKind kind : kinds) {
    for (const bool schemas : {false, true}) {
      const Converter converter(config::Converter{.kind = kind, .schemas_enable = schemas});
      for (const Schema* schema : {&kText, &kInt32}) {
        BoundConverter bound(&converter, schema);
        const Value value = schema == &kText ? Value::String("a\nb") : Value::Integer(-3);
        for (int repeat = 0; repeat < 2; ++repeat) {
          EXPECT_EQ(bound.Convert(value), Converted(converter, schema, value));
        }
      }
      BoundConverter without_schema(&converter, nullptr);
      EXPECT_EQ(without_schema.Convert(Value::String("[]")), Converted(converter, nullptr, Value::String("[]")));
    }
  }
}

}  // namespace
}  // namespace postrider::connect
