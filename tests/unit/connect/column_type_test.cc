// What Debezium 3.6.1 made of each type was read off the real one.
#include "connect/column_type.h"

#include <gtest/gtest.h>

#include "compiled.h"

namespace postrider::connect {
namespace {

using config::Types;

struct TypeCase {
  uint32_t oid;
  int32_t modifier;
  const char* schema;  // but for the optional flag
  std::vector<std::pair<std::string, std::string>> values;
};

void ExpectAll(const std::vector<TypeCase>& cases, const Types& types = {}) {
  for (const TypeCase& type : cases) {
    Compiled compiled(type.oid, type.modifier, types);
    EXPECT_EQ(compiled.schema(), type.schema) << type.oid;
    for (const auto& [text, expected] : type.values)
      EXPECT_EQ(compiled.Read(text), expected) << type.oid << " " << text;
  }
}

TEST(ColumnType, PlainTypes) {
  ExpectAll({
      {pg::kBool, -1, R"({"type":"boolean","optional":true})", {{"t", "true"}, {"f", "false"}}},
      {pg::kInt2, -1, R"({"type":"int16","optional":true})", {{"-32768", "-32768"}, {"x", "malformed"}}},
      {pg::kInt4, -1, R"({"type":"int32","optional":true})", {{"42", "42"}}},
      {pg::kInt8, -1, R"({"type":"int64","optional":true})", {{"9007199254740993", "9007199254740993"}}},
      {pg::kOid, -1, R"({"type":"int64","optional":true})", {{"4294967295", "4294967295"}}},
      {pg::kFloat4, -1, R"({"type":"float","optional":true})", {{"0.1", "0.1"}, {"NaN", "\"NaN\""}}},
      {pg::kFloat8, -1, R"({"type":"double","optional":true})", {{"1e+22", "1.0E22"}, {"-Infinity", "\"-Infinity\""}}},
      {pg::kText, -1, R"({"type":"string","optional":true})", {{"a\"b", R"("a\"b")"}}},
      {pg::kBpchar, 9, R"({"type":"string","optional":true})", {{"ab   ", "\"ab   \""}}},
      {pg::kInet, -1, R"({"type":"string","optional":true})", {{"10.0.0.1", "\"10.0.0.1\""}}},
      {pg::kUuid,
       -1,
       R"({"type":"string","optional":true,"name":"io.debezium.data.Uuid","version":1})",
       {{"x", "\"x\""}}},
      {pg::kJsonb,
       -1,
       R"({"type":"string","optional":true,"name":"io.debezium.data.Json","version":1})",
       {{"{}", "\"{}\""}}},
      {pg::kXml,
       -1,
       R"({"type":"string","optional":true,"name":"io.debezium.data.Xml","version":1})",
       {{"<a/>", "\"<a/>\""}}},
      {pg::kTsvector, -1, R"({"type":"string","optional":true,"name":"io.debezium.data.Tsvector","version":1})", {}},
      {pg::kName, -1, R"({"type":"string","optional":true})", {{"never read", "null"}}},
  });
}

TEST(ColumnType, BytesAndBits) {
  ExpectAll({
      {pg::kBytea,
       -1,
       R"({"type":"bytes","optional":true})",
       {{"\\x00ff10", "\"AP8Q\""}, {"\\x", "\"\""}, {"\\000", "malformed"}}},
      {pg::kBit, 1, R"({"type":"boolean","optional":true})", {{"1", "true"}, {"0", "false"}}},
      {pg::kBit,
       5,
       R"({"type":"bytes","optional":true,"name":"io.debezium.data.Bits","version":1,"parameters":{"length":"5"}})",
       {{"10110", "\"Fg==\""}, {"00000", "\"\""}, {"12", "malformed"}}},
      {pg::kVarbit,
       -1,
       R"({"type":"bytes","optional":true,"name":"io.debezium.data.Bits","version":1,"parameters":{"length":"2147483647"}})",
       {{"1000000000", "\"AAI=\""}}},
  });
  const std::pair<config::BinaryMode, const char*> modes[] = {{config::BinaryMode::kBase64, "\"AP8Q+/4=\""},
                                                              {config::BinaryMode::kBase64UrlSafe, "\"AP8Q-_4=\""},
                                                              {config::BinaryMode::kHex, "\"00ff10fbfe\""}};
  for (const auto& [mode, expected] : modes) {
    ExpectAll({{pg::kBytea, -1, R"({"type":"string","optional":true})", {{"\\x00ff10fbfe", expected}}}},
              {.binary = mode});
  }
}

TEST(ColumnType, Decimals) {
  constexpr char kVariable[] =
      R"({"type":"struct","fields":[{"type":"int32","optional":false,"field":"scale"},{"type":"bytes","optional":false,"field":"value"}],)"
      R"("optional":true,"name":"io.debezium.data.VariableScaleDecimal","version":1,"doc":"Variable scaled decimal"})";
  constexpr char kDecimal[] =
      R"({"type":"bytes","optional":true,"name":"org.apache.kafka.connect.data.Decimal","version":1,)"
      R"("parameters":{"scale":"2","connect.decimal.precision":"10"}})";
  constexpr char kMoney[] =
      R"({"type":"bytes","optional":true,"name":"org.apache.kafka.connect.data.Decimal","version":1,"parameters":{"scale":"2"}})";
  ExpectAll({
      {pg::kNumeric,
       NumericModifier(10, 2),
       kDecimal,
       {{"12.50", "\"BOI=\""}, {"NaN", "unconvertible"}, {"x", "malformed"}}},
      {pg::kNumeric,
       -1,
       kVariable,
       {{"12.50", R"({"scale":1,"value":"fQ=="})"}, {"1000", R"({"scale":0,"value":"A+g="})"}}},
      {pg::kMoney, -1, kMoney, {{"$1,234.56", "\"AeJA\""}, {"-$0.05", "\"+w==\""}, {"($0.05)", "\"+w==\""}}},
  });
  ExpectAll({{pg::kNumeric,
              NumericModifier(10, 2),
              R"({"type":"string","optional":true})",
              {{"0.00", "\"0.00\""}, {"NaN", "\"NAN\""}}},
             {pg::kNumeric, -1, R"({"type":"string","optional":true})", {{"-Infinity", "\"NEGATIVE_INFINITY\""}}},
             {pg::kMoney, -1, R"({"type":"string","optional":true})", {{"$1,234.56", "\"1234.56\""}}}},
            {.decimal = config::DecimalMode::kString});
  ExpectAll({{pg::kNumeric, -1, R"({"type":"double","optional":true})", {{"100.10", "100.1"}, {"NaN", "\"NaN\""}}}},
            {.decimal = config::DecimalMode::kDouble});
}

std::string Named(const char* type, const char* name) {
  return std::string(R"({"type":")") + type + R"(","optional":true,"name":")" + name + R"(","version":1})";
}

TEST(ColumnType, TimesAdaptively) {
  const std::string date = Named("int32", "io.debezium.time.Date"),
                    micro = Named("int64", "io.debezium.time.MicroTime"),
                    time = Named("int32", "io.debezium.time.Time"),
                    stamp = Named("int64", "io.debezium.time.MicroTimestamp"),
                    stamp3 = Named("int64", "io.debezium.time.Timestamp"),
                    zoned = Named("string", "io.debezium.time.ZonedTimestamp"),
                    timetz = Named("string", "io.debezium.time.ZonedTime");
  ExpectAll({
      {pg::kDate,
       -1,
       date.c_str(),
       {{"2026-01-02", "20455"}, {"infinity", "-2147472692"}, {"-infinity", "-2147472691"}, {"x", "malformed"}}},
      {pg::kTime, -1, micro.c_str(), {{"03:04:05.5", "11045500000"}, {"24:00:00", "86400000000"}}},
      {pg::kTime, 3, time.c_str(), {{"03:04:05.123", "11045123"}}},
      {pg::kTimetz, -1, timetz.c_str(), {{"03:04:05.5+02", "\"01:04:05.5Z\""}}},
      {pg::kTimestamp,
       -1,
       stamp.c_str(),
       {{"2026-01-02 03:04:05.678901", "1767323045678901"},
        {"infinity", "9223372036825200000"},
        {"-infinity", "-9223372036832400000"}}},
      {pg::kTimestamp,
       3,
       stamp3.c_str(),
       {{"1960-01-01 00:00:00.001", "-315619199999"}, {"infinity", "9223372036825200"}}},
      {pg::kTimestamptz,
       -1,
       zoned.c_str(),
       {{"2026-01-02 03:04:05.678901+02", "\"2026-01-02T01:04:05.678901Z\""}, {"infinity", "\"infinity\""}}},
      {pg::kTimestamptz, 0, zoned.c_str(), {{"2026-01-02 03:04:00+00", "\"2026-01-02T03:04:00Z\""}}},
      {pg::kTimestamptz, 3, zoned.c_str(), {{"2026-01-02 03:04:00+00", "\"2026-01-02T03:04:00.000Z\""}}},
  });
}

TEST(ColumnType, TimesByMode) {
  struct ModeCase {
    config::TimePrecision mode;
    std::string date, time, timestamp;  // of a column without and with three digits
  };
  const ModeCase cases[] = {
      {config::TimePrecision::kAdaptiveTimeMicroseconds, "20455", "11045500000", "1767323045678"},
      {config::TimePrecision::kConnect, "20455", "11045500", "1767323045678"},
      {config::TimePrecision::kIsoString, "\"2026-01-02Z\"", "\"03:04:05.5Z\"", "\"2026-01-02T03:04:05.678Z\""},
      {config::TimePrecision::kMicroseconds, "20455", "11045500000", "1767323045678000"},
      {config::TimePrecision::kNanoseconds, "20455", "11045500000000", "1767323045678000000"}};
  for (const ModeCase& mode : cases) {
    const Types types{.time = mode.mode};
    EXPECT_EQ(Compiled(pg::kDate, -1, types).Read("2026-01-02"), mode.date);
    EXPECT_EQ(Compiled(pg::kTime, 3, types).Read("03:04:05.5"), mode.time);
    EXPECT_EQ(Compiled(pg::kTimestamp, 3, types).Read("2026-01-02 03:04:05.678"), mode.timestamp);
  }
  const Types connect{.time = config::TimePrecision::kConnect}, nanos{.time = config::TimePrecision::kNanoseconds};
  EXPECT_EQ(Compiled(pg::kDate, -1, connect).schema(), Named("int32", "org.apache.kafka.connect.data.Date"));
  EXPECT_EQ(Compiled(pg::kTime, -1, connect).schema(), Named("int32", "org.apache.kafka.connect.data.Time"));
  EXPECT_EQ(Compiled(pg::kTimestamp, -1, connect).schema(), Named("int64", "org.apache.kafka.connect.data.Timestamp"));
  EXPECT_EQ(Compiled(pg::kTimestamp, -1, nanos).Read("0044-03-15 12:00:00 BC"), "unconvertible");
  EXPECT_EQ(Compiled(pg::kTimestamp, -1, nanos).Read("-infinity"), "-9223372036854775808");
}

TEST(ColumnType, Intervals) {
  const std::string micros = Named("int64", "io.debezium.time.MicroDuration"),
                    iso = Named("string", "io.debezium.time.Interval");
  ExpectAll({{pg::kInterval,
              -1,
              micros.c_str(),
              {{"1 day 02:00:00", "93600000000"},
               {"1 year 2 mons", "36817200000000"},
               {"-1 mons -3 days -04:05:06.789", "-2903706789000"},
               {"00:00:00.000001", "1"},
               {"178000000 years", "9223372036854775807"},
               {"2562047788:00:54.775807", "9223372036854775807"},
               {"P1D", "malformed"},
               {"1 fortnight", "malformed"}}}});
  ExpectAll({{pg::kInterval,
              -1,
              iso.c_str(),
              {{"1 day 02:00:00", "\"P0Y0M1DT2H0M0S\""},
               {"-1 mons -3 days -04:05:06.789", "\"P0Y-1M-3DT-4H-5M-6.789S\""},
               {"-26:30:28.328379", "\"P0Y0M0DT-26H-30M-28.328378999S\""},
               {"00:00:00.000001", "\"P0Y0M0DT0H0M0.000001S\""}}}},
            {.interval = config::IntervalMode::kString});
}

TEST(ColumnType, Arrays) {
  constexpr uint32_t kInt4Array = 1007, kTextArray = 1009, kTimeArray = 1183, kTimetzArray = 1270, kNumericArray = 1231,
                     kMoneyArray = 791, kBitArray = 1561, kByteaArray = 1001;
  ExpectAll({
      {kInt4Array,
       -1,
       R"({"type":"array","items":{"type":"int32","optional":true},"optional":true})",
       {{"{1,NULL,-3}", "[1,null,-3]"},
        {"{}", "[]"},
        {"{{1,2},{3,4}}", "[null,null]"},
        {"[0:1]={7,8}", "[7,8]"},
        {"{1,x}", "malformed"},
        {"{1", "malformed"},
        {"1}", "malformed"},
        {"", "malformed"},
        {"{1}2", "malformed"}}},
      {kTextArray,
       -1,
       R"({"type":"array","items":{"type":"string","optional":true},"optional":true})",
       {{R"({a,"b c",NULL,"q\"u\\o",""})", R"(["a","b c",null,"q\"u\\o",""])"},
        {R"({"NULL"})", R"(["NULL"])"},
        {R"({{a,"}"},{c,d}})", R"(["{a,\"}\"}","{c,d}"])"},
        {"{\"", "malformed"}}},
      {kNumericArray,
       NumericModifier(10, 2),
       R"({"type":"array","items":{"type":"bytes","optional":true,"name":"org.apache.kafka.connect.data.Decimal","version":1,)"
       R"("parameters":{"scale":"2","connect.decimal.precision":"10"}},"optional":true})",
       {{"{1.50,NULL}", R"(["AJY=",null])"}, {"{NaN}", "unconvertible"}}},
      {kByteaArray,
       -1,
       R"({"type":"array","items":{"type":"bytes","optional":true},"optional":true})",
       {{R"({"\\x00ff"})", R"(["AP8="])"}}},
      {kBitArray,
       3,
       R"({"type":"bytes","optional":true,"name":"io.debezium.data.Bits","version":1,"parameters":{"length":"3"}})",
       {{"{101}", "null"}}},
  });
  EXPECT_EQ(Compiled(kTimeArray, -1).Read("{03:04:05.123456,24:00:00}"), "[11045123000,0]");
  EXPECT_EQ(Compiled(kTimetzArray, -1).Read("{03:04:05.5+02}"), R"(["01:04:05Z"])");
  EXPECT_FALSE(Compiled(kMoneyArray, -1).known());
}

TEST(ColumnType, DatesInArraysPassThroughJavaSqlTypes) {
  constexpr uint32_t kDateArray = 1182, kTimestampArray = 1115, kTimestamptzArray = 1185;
  Compiled dates(kDateArray, -1);
  EXPECT_EQ(dates.Read("{1582-10-04,1582-10-15,0001-01-01}"), "[-141438,-141427,-719162]");
  EXPECT_EQ(dates.Read("{1582-10-05,1582-10-14}"), "[-141427,-141418]");  // days that were left out in 1582
  EXPECT_EQ(dates.Read("{\"0044-03-15 BC\",\"4713-01-01 BC\"}"), "[-703383,1001860]");
  EXPECT_EQ(dates.Read("{infinity,-infinity}"), "[-622191234,-625821272]");
  EXPECT_EQ(dates.Read("{\"0005-02-29 BC\"}"), "unconvertible");

  Compiled moments(kTimestampArray, -1);
  EXPECT_EQ(moments.Read("{\"1582-10-04 12:34:56.789123\",\"0044-03-15 12:34:56.789123 BC\"}"),
            "[-12219333903210877,-63517951503210877]");
  EXPECT_EQ(moments.Read("{\"4713-01-01 12:34:56.789123 BC\"}"), "[-210866757903210877]");
  Compiled nanos(kTimestampArray, -1, {.time = config::TimePrecision::kNanoseconds});
  EXPECT_EQ(nanos.Read("{\"2262-04-12 00:00:00\",\"1970-01-01 00:00:00\"}"), "[null,0]");

  Compiled zoned(kTimestamptzArray, -1);
  EXPECT_EQ(
      zoned.Read("{\"1582-10-05 12:00:00+00\",\"0044-03-15 12:00:00+00 BC\",infinity,-infinity}"),
      R"(["1582-10-15T12:00:00.000000Z","0044-03-15T12:00:00.000000Z","infinity","+292269055-12-02T23:00:00.000000Z"])");
  EXPECT_EQ(zoned.Read("{\"0005-02-29 12:00:00+00 BC\"}"), "unconvertible");
}

TEST(ColumnType, AnArrayOfLtreesWithANullIsNull) {
  const TypeInfo paths{.oid = 20'001,
                       .schema = "public",
                       .name = "_ltree",
                       .element_oid = 20'000,
                       .element_schema = "public",
                       .element_name = "ltree"};
  EXPECT_EQ(Compiled(paths, {}).Read("{a.b,Top}"), R"(["a.b","Top"])");
  EXPECT_EQ(Compiled(paths, {}).Read("{a.b,NULL}"), "unconvertible");
}

TEST(ColumnType, ANameThatIsNotNullIsEmpty) {
  const Compiled name(pg::kName, -1);
  Arena arena;
  EXPECT_EQ(InsteadOfNull(name.column(), arena).text, "");
  EXPECT_EQ(InsteadOfNull(name.column(), arena).kind, Value::Kind::kString);
}

TypeInfo Extension(const char* name, char kind = 'b') {
  return {.oid = 20'000, .schema = "public", .name = name, .kind = kind};
}

TEST(ColumnType, TypesOfUsersAndExtensions) {
  TypeInfo mood = Extension("mood", 'e');
  mood.enum_labels = {"sad, very", "ok"};
  EXPECT_EQ(
      Compiled(mood, {}).schema(),
      R"({"type":"string","optional":true,"name":"io.debezium.data.Enum","version":1,"parameters":{"allowed":"sad, very,ok"}})");
  TypeInfo moods{.oid = 20'001,
                 .schema = "public",
                 .name = "_mood",
                 .enum_labels = mood.enum_labels,
                 .element_oid = 20'000,
                 .element_schema = "public",
                 .element_name = "mood",
                 .element_kind = 'e'};
  Compiled array(moods, {});
  EXPECT_EQ(array.Read("{ok}"), R"(["ok"])");
  EXPECT_EQ(array.Read("{ok,NULL}"), "unconvertible");  // its elements are required
  moods.name = "_mood_domain";
  EXPECT_FALSE(Compiled(moods, {}).known());

  EXPECT_EQ(Compiled(Extension("citext"), {}).schema(), R"({"type":"string","optional":true})");
  EXPECT_EQ(Compiled(Extension("ltree"), {}).schema(), Named("string", "io.debezium.data.Ltree"));
  EXPECT_FALSE(Compiled(Extension("cube"), {}).known());
  EXPECT_EQ(Compiled(Extension("cube"), {.include_unknown_datatypes = true}).Read("(1, 2)"), "\"KDEsIDIp\"");
}

TEST(ColumnType, HstoreIsInTheOrderOfAJavaHashMap) {
  const char* const text = R"("k 1"=>"v\"1", "b"=>NULL, "a"=>"ü", "aa"=>"x", "zz"=>"", "c"=>"1")";
  EXPECT_EQ(Compiled(Extension("hstore"), {}).Read(text),
            R"("{\"aa\":\"x\",\"zz\":\"\",\"a\":\"ü\",\"b\":null,\"c\":\"1\",\"k 1\":\"v\\\"1\"}")");
  Compiled map(Extension("hstore"), {.hstore = config::HstoreMode::kMap});
  EXPECT_EQ(map.Read(text), R"({"aa":"x","zz":"","a":"ü","b":null,"c":"1","k 1":"v\"1"})");
  EXPECT_EQ(map.Read(""), "{}");
  EXPECT_EQ(map.Read("\"a\""), "malformed");
  EXPECT_EQ(map.Read("\"a\"=>x"), "malformed");
  EXPECT_EQ(
      map.schema(),
      R"({"type":"map","keys":{"type":"string","optional":false},"values":{"type":"string","optional":true},"optional":true})");
}

TEST(ColumnType, Geometry) {
  Compiled point(pg::kPoint, -1);
  EXPECT_EQ(point.Read("(1.5,-2)"), R"({"x":1.5,"y":-2.0,"wkb":"AQEAAAAAAAAAAAD4PwAAAAAAAADA","srid":null})");
  EXPECT_EQ(point.Read("1.5,-2"), "malformed");
  Compiled geometry(Extension("geometry"), {});
  EXPECT_EQ(geometry.Read("0101000020E6100000000000000000F03F0000000000000040"),
            R"({"wkb":"AQEAACDmEAAAAAAAAAAA8D8AAAAAAAAAQA==","srid":4326})");
  EXPECT_EQ(geometry.Read("010700000000000000"), R"({"wkb":"AQcAAAAAAAAA","srid":null})");
  EXPECT_EQ(geometry.Read("0107"), "malformed");
  EXPECT_EQ(Compiled(Extension("vector"), {}).Read("[1,2.5]"), "[1.0,2.5]");
  EXPECT_EQ(Compiled(Extension("sparsevec"), {}).Read("{1:1.5,3:2}/5"),
            R"({"dimensions":5,"vector":[[1,1.5],[3,2.0]]})");
  EXPECT_EQ(Compiled(pg::kBox, -1, {.binary = config::BinaryMode::kHex, .include_unknown_datatypes = true})
                .Read("(3,4),(1,2)"),
            "\"28332e302c342e30292c28312e302c322e3029\"");  // (3.0,4.0),(1.0,2.0)
}

TEST(ColumnType, NullsOfRequiredColumnsBecomeZeros) {
  const auto instead = [](uint32_t oid) {
    const TypeInfo type = *pg::BuiltIn(oid, -1);
    const Types types;
    Arena arena;
    const std::optional<ColumnType> column = CompileColumnType({.type = type, .optional = false}, types, arena);
    Buffer out;
    AppendJsonValue(column->schema, InsteadOfNull(*column, arena), {}, out);
    return std::string(out.view());
  };
  EXPECT_EQ(instead(pg::kText), "\"\"");
  EXPECT_EQ(instead(pg::kInt4), "0");
  EXPECT_EQ(instead(pg::kBool), "false");
  EXPECT_EQ(instead(pg::kTimestamp), "0");
  EXPECT_EQ(instead(pg::kTimestamptz), "\"1970-01-01T00:00:00Z\"");
  EXPECT_EQ(instead(pg::kBytea), "\"\"");
  EXPECT_EQ(instead(1009), "[]");
}

}  // namespace
}  // namespace postrider::connect
