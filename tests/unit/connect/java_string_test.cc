// Expected texts: what Kafka 4.3's StringConverter and SimpleHeaderConverter made of such values.
#include "connect/java_string.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace postrider::connect {
namespace {

constexpr Schema kInt32{.type = Type::kInt32};
constexpr Schema kText{.type = Type::kString, .optional = true};
constexpr Schema kBytes{.type = Type::kBytes};
constexpr Schema kDecimal{.type = Type::kBytes, .logical = Logical::kDecimal};
constexpr Schema kTimestamp{.type = Type::kInt64, .logical = Logical::kTimestamp};

std::string JavaString(const Schema& schema, const Value& value) {
  Buffer out;
  AppendJavaString(schema, value, out);
  return std::string(out.view());
}
std::string HeaderText(const Schema& schema, const Value& value) {
  Buffer out;
  AppendHeaderText(schema, value, out);
  return std::string(out.view());
}

TEST(JavaString, ScalarsAreTheSameInBoth) {
  for (auto* text : {JavaString, HeaderText}) {
    EXPECT_EQ(text({.type = Type::kBoolean}, Value::Boolean(false)), "false");
    EXPECT_EQ(text(kInt32, Value::Integer(-7)), "-7");
    EXPECT_EQ(text({.type = Type::kFloat32}, Value::Float(1)), "1.0");
    EXPECT_EQ(text({.type = Type::kFloat64}, Value::Double(1.5e300)), "1.5E300");
    EXPECT_EQ(text(kDecimal, Value::Decimal("-1250", 2)), "-12.50");
    EXPECT_EQ(text(kText, Value::String("a\"b\\")), "a\"b\\");
  }
}

TEST(JavaString, Bytes) {
  EXPECT_EQ(JavaString(kBytes, Value::Bytes("abc")), "java.nio.HeapByteBuffer[pos=0 lim=3 cap=3]");
  EXPECT_EQ(HeaderText(kBytes, Value::Bytes("abc")), "YWJj");
  EXPECT_EQ(JavaString(kBytes, Value::ByteArray("abc")), "YWJj");
}

TEST(JavaString, Dates) {
  EXPECT_EQ(JavaString(kTimestamp, Value::Date(1'580'000'000'123)), "Sun Jan 26 00:53:20 UTC 2020");
  EXPECT_EQ(HeaderText(kTimestamp, Value::Date(1'580'000'000'123)), "2020-01-26T00:53:20.123Z");
}

TEST(JavaString, Lists) {
  const Schema texts{.type = Type::kArray, .element = &kText};
  const std::array<Value, 3> items{Value::String("a"), Value{}, Value::String("b\"c")};
  EXPECT_EQ(JavaString(texts, Value::List(items)), "[a, null, b\"c]");
  EXPECT_EQ(HeaderText(texts, Value::List(items)), R"(["a",null,"b\"c"])");
  EXPECT_EQ(JavaString(texts, Value::List({})), "[]");
}

TEST(JavaString, Maps) {
  const Schema map{.type = Type::kMap, .element = &kText, .key = &kText};
  const std::array<Value, 4> items{Value::String("k"), Value::String("v"), Value::String("l"), Value{}};
  EXPECT_EQ(JavaString(map, Value::Map(items)), "{k=v, l=null}");
  EXPECT_EQ(HeaderText(map, Value::Map(items)), R"({"k":"v","l":null})");
}

TEST(JavaString, StructsLeaveNullsOutInOneFormOnly) {
  const Value seven = Value::Integer(7);
  const Schema with_default{.type = Type::kInt32, .optional = true, .default_value = &seven};
  const std::array<Field, 4> fields{{{.name = "a", .schema = &kInt32},
                                     {.name = "b", .schema = &kText},
                                     {.name = "c", .schema = &with_default},
                                     {.name = "d", .schema = &kBytes}}};
  const Schema row{.type = Type::kStruct, .fields = fields};
  const std::array<Value, 4> items{Value::Integer(1), Value{}, Value{}, Value::Bytes("x")};
  EXPECT_EQ(JavaString(row, Value::Struct(items)), "Struct{a=1,d=java.nio.HeapByteBuffer[pos=0 lim=1 cap=1]}");
  EXPECT_EQ(HeaderText(row, Value::Struct(items)), R"({"a":1,"b":null,"c":7,"d":"eA=="})");
}

TEST(JavaString, HalfASurrogatePairBecomesAQuestionMark) {
  EXPECT_EQ(JavaString(kText, Value::String("a\xed\xa0\x80z\xed\xbf\xbf")), "a?z?");
  EXPECT_EQ(JavaString(kText, Value::String("\xed\x9f\xbf")), "\xed\x9f\xbf");  // U+D7FF is no surrogate
}

}  // namespace
}  // namespace postrider::connect
