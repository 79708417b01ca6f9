// Expected: what Kafka 4.3.1 gives for Values.parseString, and its header converters for the result.
#include "connect/literal.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "connect/converter.h"

namespace postrider::connect {
namespace {

using ::testing::HasSubstr;

std::string Written(const config::Converter& config, std::string_view text) {
  Arena arena;
  const absl::StatusOr<Literal> literal = ParseLiteral(text, arena);
  if (!literal.ok()) return literal.status().ToString();
  Buffer buffer;
  const Converter converter(config);
  const std::optional<std::string_view> bytes = converter.Convert(literal->schema, literal->value, buffer);
  return bytes ? std::string(*bytes) : "<null>";
}
std::string Header(std::string_view text) {
  return Written({.kind = config::ConverterKind::kSimpleHeader}, text);
}
std::string Json(std::string_view text) {
  return Written({.kind = config::ConverterKind::kJson}, text);
}
std::string Refusal(std::string_view text) {
  Arena arena;
  const absl::StatusOr<Literal> literal = ParseLiteral(text, arena);
  return literal.ok() ? "" : std::string(literal.status().message());
}

TEST(Literal, TextsStayAsTheyAre) {
  for (const std::string text : {"",
                                 " ",
                                 "NULL",
                                 "True",
                                 "true}",
                                 "true,",
                                 "hello world",
                                 " hello ",
                                 "\"hello\"",
                                 "\"12\"",
                                 "a,b",
                                 "a:b",
                                 "]",
                                 "x]",
                                 "12\\",
                                 "1\\,2",
                                 "1_000",
                                 "1f",
                                 "0x10",
                                 ".5",
                                 "-",
                                 "--1",
                                 "1e",
                                 "NaN",
                                 "1.2.3",
                                 "v1.2.3",
                                 "5 apples",
                                 "1234-5678",
                                 ",1",
                                 ":1",
                                 "\xc3\xa9",
                                 "2020-01-01x",
                                 "2020-1-1",
                                 "2020-01-01T10:11:12Z",
                                 "https://x.y/z?a=1",
                                 "2020-01-01T10:11:12.123+0100",
                                 "192.168.0.1"}) {
    EXPECT_EQ(Header(text), text);
    Arena arena;
    const absl::StatusOr<Literal> literal = ParseLiteral(text, arena);
    ASSERT_TRUE(literal.ok()) << text;
    EXPECT_EQ(literal->schema->type, Type::kString) << text;
  }
  EXPECT_EQ(Json("a\"b"), R"({"schema":{"type":"string","optional":false},"payload":"a\"b"})");
  EXPECT_EQ(Header(" ,x"), " ");  // a blank before a delimiter is the whole value
}

TEST(Literal, Words) {
  for (const char* text : {"null", " null", "null "}) {
    EXPECT_EQ(Header(text), "<null>");
    EXPECT_EQ(Json(text), "<null>");
  }
  EXPECT_EQ(Json(" true "), R"({"schema":{"type":"boolean","optional":false},"payload":true})");
  EXPECT_EQ(Json("false"), R"({"schema":{"type":"boolean","optional":false},"payload":false})");
}

TEST(Literal, WholeNumbersTakeTheSmallestType) {
  const auto expect = [](const char* text, const char* type, const char* number) {
    EXPECT_EQ(Json(text),
              std::string(R"({"schema":{"type":")") + type + R"(","optional":false},"payload":)" + number + "}");
    EXPECT_EQ(Header(text), number);
  };
  expect("0", "int8", "0");
  expect("-0.0", "int8", "0");
  expect("+1", "int8", "1");
  expect("1.0", "int8", "1");
  expect("1.", "int8", "1");
  expect("1e2", "int8", "100");
  expect(" 12 ", "int8", "12");
  expect("00012", "int8", "12");
  expect("12,5", "int8", "12");
  expect("12:5", "int8", "12");
  expect("10:11:12Z", "int8", "10");
  expect("127", "int8", "127");
  expect("-128", "int8", "-128");
  expect("128", "int16", "128");
  expect("-129", "int16", "-129");
  expect("2024", "int16", "2024");
  expect("32768", "int32", "32768");
  expect("20200101", "int32", "20200101");
  expect("16777217.0", "int32", "16777217");
  expect("2147483648", "int64", "2147483648");
  expect("1e18", "int64", "1000000000000000000");
  expect("9223372036854775807", "int64", "9223372036854775807");
  expect("-9223372036854775808", "int64", "-9223372036854775808");
}

TEST(Literal, OtherNumbersAreFloatThenDoubleThenDecimal) {
  const auto expect = [](const char* text, const char* type, const char* number) {
    EXPECT_EQ(Json(text),
              std::string(R"({"schema":{"type":")") + type + R"(","optional":false},"payload":)" + number + "}");
  };
  expect("1.50", "float", "1.5");
  expect("-.5", "float", "-0.5");
  expect("+.5", "float", "0.5");
  expect("3.14159265358979", "float", "3.1415927");
  expect("123456789.123", "float", "1.2345679E8");  // as from JDK 19 on
  expect("1e19", "float", "1.0E19");
  expect("1e-40", "float", "1.0E-40");
  expect("1e-400", "float", "0.0");
  expect("1e40", "double", "1.0E40");
  expect("1.5e300", "double", "1.5E300");
  EXPECT_EQ(Json("9223372036854775808"),
            R"({"schema":{"type":"bytes","optional":false,"name":"org.apache.kafka.connect.data.Decimal","version":1,)"
            R"("parameters":{"scale":"0"}},"payload":"AIAAAAAAAAAA"})");
  EXPECT_EQ(Header("12345678901234567890"), "12345678901234567890");
  EXPECT_EQ(Header("1e400"), "1E+400");
}

TEST(Literal, DatesAndTimes) {
  EXPECT_EQ(Json("2020-01-01"),
            R"({"schema":{"type":"int32","optional":false,"name":"org.apache.kafka.connect.data.Date",)"
            R"("version":1},"payload":18262})");
  EXPECT_EQ(Header("2020-02-30"), "2020-03-01");
  EXPECT_EQ(Header("2020-01-01,x"), "2020-01-01");
  EXPECT_EQ(Header("1970-01-01"), "00:00:00.000Z");
  EXPECT_EQ(Json("10:11:12.123Z"),
            R"({"schema":{"type":"int32","optional":false,"name":"org.apache.kafka.connect.data.Time",)"
            R"("version":1},"payload":36672123})");
  EXPECT_EQ(Json("2020-01-01T10\\:11\\:12.123Z"),
            R"({"schema":{"type":"int64","optional":false,"name":"org.apache.kafka.connect.data.Timestamp",)"
            R"("version":1},"payload":1577873472123})");
  EXPECT_EQ(Header("2020-01-01T10:11:12.123Z"), "2020-01-01T10:11:12.123Z");
}

TEST(Literal, RefusesWhatConnectAloneReads) {
  EXPECT_THAT(Refusal("[1,2]"), HasSubstr("lists and maps"));
  EXPECT_THAT(Refusal(" {\"a\":1}"), HasSubstr("lists and maps"));
  EXPECT_THAT(Refusal("2020-13-01"), HasSubstr("write it as 2026-01-02"));
  EXPECT_THAT(Refusal("12-34-5678"), HasSubstr("write it as 2026-01-02"));
  EXPECT_THAT(Refusal("\xd9\xa1\xd9\xa2"), HasSubstr("digits other than 0 to 9"));
  EXPECT_THAT(Refusal("1e20000"), HasSubstr("exponent"));
  EXPECT_EQ(Refusal("\\[1]"), "");
}

}  // namespace
}  // namespace postrider::connect
