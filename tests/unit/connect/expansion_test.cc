// Expected texts: what Debezium 3.6.1's JsonSchemaData made of such documents, written by its JsonConverter.
#include "connect/expansion.h"

#include <string>

#include <gtest/gtest.h>

#include "connect/json_converter.h"

namespace postrider::connect {
namespace {

// Whole: schema, blank, payload; "text" where nothing is expanded.
std::string Expand(const std::string& text, bool nulls_as_optional_bytes = false,
                   std::string_view root_name = "payload") {
  Arena arena;
  Expansion expansion(root_name, nulls_as_optional_bytes);
  const std::optional<Expanded> expanded = expansion.Expand(text, arena);
  if (!expanded) return "text";
  Buffer out;
  AppendJsonSchema(expanded->schema, {}, out);
  out.push_back(' ');
  AppendJsonValue(expanded->schema, expanded->value, {}, out);
  return std::string(out.view());
}

// The schema of a struct with these fields, and its closing part.
std::string Struct(const std::string& fields, const std::string& name, bool optional = true) {
  return R"({"type":"struct","fields":[)" + fields + R"(],"optional":)" + (optional ? "true" : "false") +
         (name.empty() ? "" : R"(,"name":")" + name + '"');
}
std::string FieldOf(const std::string& type, const std::string& name) {
  return R"({"type":")" + type + R"(","optional":true,"field":")" + name + R"("})";
}

TEST(Expansion, ScalarsByTheirWidth) {
  EXPECT_EQ(Expand(R"({"i":1,"l":5000000000,"d":1.5,"s":"x","b":true})"),
            Struct(FieldOf("int32", "i") + "," + FieldOf("int64", "l") + "," + FieldOf("double", "d") + "," +
                       FieldOf("string", "s") + "," + FieldOf("boolean", "b"),
                   "payload") +
                R"(} {"i":1,"l":5000000000,"d":1.5,"s":"x","b":true})");
}

TEST(Expansion, NullsHaveNoFieldOrAreBytes) {
  EXPECT_EQ(Expand(R"({"a":null,"b":1})"), Struct(FieldOf("int32", "b"), "payload") + R"(} {"b":1})");
  EXPECT_EQ(Expand(R"({"a":null,"b":1})", true),
            Struct(FieldOf("bytes", "a") + "," + FieldOf("int32", "b"), "payload") + R"(} {"a":null,"b":1})");
  EXPECT_EQ(Expand(R"({"a":null})"), Struct("", "payload") + "} {}");
}

TEST(Expansion, StructsAreNamedByTheirPath) {
  const std::string inner = Struct(FieldOf("int32", "c"), "payload.a.b") + R"(,"field":"b"})";
  const std::string outer = Struct(inner, "payload.a") + R"(,"field":"a"})";
  EXPECT_EQ(Expand(R"({"a":{"b":{"c":1}}})"), Struct(outer, "payload") + R"(} {"a":{"b":{"c":1}}})");
  EXPECT_EQ(Expand("{}", false, "data"), Struct("", "data") + "} {}");
}

TEST(Expansion, ArraysOfScalars) {
  EXPECT_EQ(
      Expand(R"({"a":[1,null,2]})"),
      Struct(R"({"type":"array","items":{"type":"int32","optional":true},"optional":true,"field":"a"})", "payload") +
          R"(} {"a":[1,null,2]})");
}

TEST(Expansion, EmptyArraysHaveNoField) {
  EXPECT_EQ(Expand(R"({"a":[],"b":1})"), Struct(FieldOf("int32", "b"), "payload") + R"(} {"b":1})");
  EXPECT_EQ(Expand(R"({"a":[]})", true), Struct("", "payload") + "} {}");
}

TEST(Expansion, ArraysThatMixTypesAreNotExpanded) {
  for (const char* array :
       {R"([1,"a"])", "[1,5000000000]", "[1,1.5]", "[true,1]", "[{},1]", "[[1],1]", "[[]]", "[null]"}) {
    EXPECT_EQ(Expand(std::string(R"({"a":)") + array + "}"), "text") << array;
    EXPECT_EQ(Expand(array), "text") << array;
  }
}

TEST(Expansion, AnArrayOfNullsIsOneOfBytes) {
  EXPECT_EQ(
      Expand(R"({"a":[null]})", true),
      Struct(R"({"type":"array","items":{"type":"bytes","optional":true},"optional":true,"field":"a"})", "payload") +
          R"(} {"a":[null]})");
}

TEST(Expansion, ObjectsOfOneShape) {
  const std::string element = Struct(FieldOf("int32", "x"), "payload.a") + "}";
  EXPECT_EQ(Expand(R"({"a":[{"x":1},{"x":2}]})"),
            Struct(R"({"type":"array","items":)" + element + R"(,"optional":true,"field":"a"})", "payload") +
                R"(} {"a":[{"x":1},{"x":2}]})");
}

TEST(Expansion, ObjectsOfSeveralShapesAreMergedInDocumentOrder) {
  const std::string element =
      Struct(FieldOf("int32", "x") + "," + FieldOf("int32", "z") + "," + FieldOf("string", "y"), "payload.a", false) +
      "}";
  EXPECT_EQ(Expand(R"({"a":[{"x":1,"z":2},{"y":"t","x":3}]})"),
            Struct(R"({"type":"array","items":)" + element + R"(,"optional":true,"field":"a"})", "payload") +
                R"(} {"a":[{"x":1,"z":2,"y":null},{"x":3,"z":null,"y":"t"}]})");
}

TEST(Expansion, AMergedStructTakesNoNull) {
  EXPECT_EQ(Expand(R"({"a":[{"x":1},{"y":2},null]})"), "text");
  EXPECT_NE(Expand(R"({"a":[{"x":1},{"x":2},null]})"), "text");
}

TEST(Expansion, MergedFieldsKeepTheirFirstTypeUnlessItStoodForNull) {
  EXPECT_EQ(Expand(R"({"a":[{"x":1},{"x":"t"}]})"), "text");  // the second value does not fit
  const std::string element = Struct(FieldOf("int32", "x"), "payload.a", false) + "}";
  EXPECT_EQ(Expand(R"({"a":[{"x":null},{"x":1}]})", true),
            Struct(R"({"type":"array","items":)" + element + R"(,"optional":true,"field":"a"})", "payload") +
                R"(} {"a":[{"x":null},{"x":1}]})");
}

TEST(Expansion, ManyFieldsMergeToo) {
  std::string first = "{", second = "{";
  for (int i = 0; i < 40; ++i) {
    first += "\"n" + std::to_string(i) + "\":1,";
    second += "\"n" + std::to_string(60 - i) + "\":1,";
  }
  first.back() = '}';
  second.back() = '}';
  const std::string expanded = Expand("{\"a\":[" + first + "," + second + "]}");
  size_t fields = 0;
  for (size_t at = 0; (at = expanded.find("\"field\":\"n", at)) != std::string::npos; ++at) ++fields;
  EXPECT_EQ(fields, 61u);
}

TEST(Expansion, ArraysWithinArraysBeginNamesAnew) {
  const std::string element = Struct(FieldOf("int32", "x"), "") + "}";
  EXPECT_EQ(Expand(R"({"a":[[{"x":1}]]})"), Struct(R"({"type":"array","items":{"type":"array","items":)" + element +
                                                       R"(,"optional":true},"optional":true,"field":"a"})",
                                                   "payload") +
                                                R"(} {"a":[[{"x":1}]]})");
}

TEST(Expansion, AnArrayAtTheTopIsExpandedAsAFieldsWouldBe) {
  EXPECT_EQ(Expand("[1,2]"), R"({"type":"array","items":{"type":"int32","optional":true},"optional":true} [1,2])");
  EXPECT_EQ(Expand(R"([{"x":1}])"), R"({"type":"array","items":)" + Struct(FieldOf("int32", "x"), "payload") +
                                        R"(},"optional":true} [{"x":1}])");
}

TEST(Expansion, AnEmptyArrayAtTheTopIsItsTextWithoutASchema) {
  EXPECT_EQ(Expand("[]"), R"(null "[]")");
  EXPECT_EQ(Expand("[ ]x"), R"(null "[ ]x")");
}

TEST(Expansion, WhatHasNoSchemaStaysText) {
  EXPECT_EQ(Expand("not json"), "text");
  EXPECT_EQ(Expand(" {}"), "text");
  EXPECT_EQ(Expand(R"({"a":1)"), "text");
  EXPECT_EQ(Expand(R"({"":1})"), "text");                             // a field must have a name
  EXPECT_EQ(Expand(R"({"":null})"), Struct("", "payload") + "} {}");  // but this has no field
  EXPECT_EQ(Expand(R"({"a":9223372036854775808})"), "text");
}

TEST(Expansion, NumbersBeyondADoubleAreInfinite) {
  EXPECT_EQ(Expand(R"({"a":1e999})"), Struct(FieldOf("double", "a"), "payload") + R"(} {"a":"Infinity"})");
}

TEST(Expansion, TextIsEscapedAnew) {
  EXPECT_EQ(Expand(R"({"a\u0001":"\u00e4\/\ud83d"})"),
            Struct(FieldOf("string", R"(a\u0001)"), "payload") + "} {\"a\\u0001\":\"\xc3\xa4/\\uD83D\"}");
}

TEST(Expansion, KeepsNothingFromPayloadToPayload) {
  Arena arena;
  Expansion expansion("payload", false);
  for (const char* text : {R"({"a":{"b":[[{"c":)", R"({"a":{"b":[1,"x"]}})", R"({"a":{"b":1}})"}) {
    arena.Reset();
    const std::optional<Expanded> expanded = expansion.Expand(text, arena);
    if (expanded) {
      EXPECT_EQ(expanded->schema->fields[0].schema->name, "payload.a");
    }
  }
}

}  // namespace
}  // namespace postrider::connect
