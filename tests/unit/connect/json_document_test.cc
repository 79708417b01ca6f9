#include "connect/json_document.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace postrider::connect {
namespace {

using Kind = JsonNode::Kind;

class JsonDocumentTest : public ::testing::Test {
 protected:
  const JsonNode* Parse(std::string text) {
    text_ = std::move(text);
    arena_.Reset();
    return document_.Parse(text_, arena_);
  }
  bool Reads(std::string text) { return Parse(std::move(text)) != nullptr; }
  // The one element of [text].
  JsonNode Element(const std::string& text) {
    const JsonNode* root = Parse("[" + text + "]");
    if (root == nullptr || root->elements().size() != 1) {
      ADD_FAILURE() << text;
      return {};
    }
    return root->elements()[0];
  }

 private:
  std::string text_;
  Arena arena_;
  JsonDocument document_;
};

std::string Nested(size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST_F(JsonDocumentTest, Literals) {
  EXPECT_EQ(Element("null").kind, Kind::kNull);
  EXPECT_EQ(Element("true").kind, Kind::kBoolean);
  EXPECT_EQ(Element("true").integer, 1);
  EXPECT_EQ(Element("false").integer, 0);
  EXPECT_FALSE(Reads("[nul]"));
  EXPECT_FALSE(Reads("[truefalse]"));
  EXPECT_FALSE(Reads("[NaN]"));
}

TEST_F(JsonDocumentTest, IntegersByWidth) {
  EXPECT_EQ(Element("0").kind, Kind::kInt);
  EXPECT_EQ(Element("-2147483648").kind, Kind::kInt);
  EXPECT_EQ(Element("-2147483648").integer, std::numeric_limits<int32_t>::min());
  EXPECT_EQ(Element("2147483648").kind, Kind::kLong);
  EXPECT_EQ(Element("-9223372036854775808").kind, Kind::kLong);
  EXPECT_EQ(Element("-9223372036854775808").integer, std::numeric_limits<int64_t>::min());
  EXPECT_EQ(Element("9223372036854775808").kind, Kind::kBigInteger);
  EXPECT_EQ(Element("-0").kind, Kind::kInt);
  EXPECT_EQ(Element("-0").integer, 0);
}

TEST_F(JsonDocumentTest, Doubles) {
  EXPECT_EQ(Element("1.50").real, 1.5);
  EXPECT_EQ(Element("-12.25").real, -12.25);
  EXPECT_TRUE(std::signbit(Element("-0.0").real));
  EXPECT_EQ(Element("1e3").real, 1000);
  EXPECT_EQ(Element("1E+3").kind, Kind::kDouble);
  EXPECT_EQ(Element("0.1234567890123456789").real, 0.1234567890123456789);
  EXPECT_EQ(Element("123456789012345678901.5").real, 123456789012345678901.5);
  EXPECT_EQ(Element("1e400").real, std::numeric_limits<double>::infinity());
  EXPECT_EQ(Element("-1e400").real, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(Element("1e-400").real, 0);
}

TEST_F(JsonDocumentTest, NumbersThatAreNone) {
  for (const char* text : {"01", "-", "+1", ".5", "1.", "1.e5", "1e", "1e+", "--1", "0x1", "1 2"}) {
    EXPECT_FALSE(Reads(std::string("[") + text + "]")) << text;
  }
}

TEST_F(JsonDocumentTest, ANumberHasAtMostAThousandDigits) {
  EXPECT_EQ(Element(std::string(1000, '7')).kind, Kind::kBigInteger);
  EXPECT_FALSE(Reads("[" + std::string(1001, '7') + "]"));
  EXPECT_EQ(Element("-1." + std::string(999, '0')).real, -1);
  EXPECT_FALSE(Reads("[1." + std::string(1000, '0') + "]"));
}

TEST_F(JsonDocumentTest, Strings) {
  EXPECT_EQ(Element(R"("")").text(), "");
  EXPECT_EQ(Element(R"("abc")").text(), "abc");
  EXPECT_TRUE(Element(R"("a rather long text without escapes")").in_quotes);
  EXPECT_EQ(Element("\"\xc3\xa4 \xf0\x9f\x98\x80\"").text(), "\xc3\xa4 \xf0\x9f\x98\x80");
  EXPECT_EQ(Element(R"("a\"\\\/\b\f\n\r\tz")").text(), "a\"\\/\b\f\n\r\tz");
  EXPECT_FALSE(Element(R"("a\"b")").in_quotes);
  EXPECT_EQ(Element(R"("\u0041\u00e4\u20AC\ud83d\ude00")").text(), "A\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(Element(R"("\u0000")").text(), std::string_view("\0", 1));
}

TEST_F(JsonDocumentTest, HalvesOfSurrogatePairsStay) {
  EXPECT_EQ(Element(R"("\ud83dx")").text(), "\xed\xa0\xbdx");
  EXPECT_EQ(Element(R"("\ude00")").text(), "\xed\xb8\x80");
  EXPECT_EQ(Element(R"("\ud83d\u0041")").text(),
            "\xed\xa0\xbd"
            "A");
  EXPECT_EQ(Element(R"("\ud83d\ud83d\ude00")").text(), "\xed\xa0\xbd\xf0\x9f\x98\x80");
}

TEST_F(JsonDocumentTest, StringsThatAreNone) {
  for (const char* text : {"\"", "\"a", "\"\\\"", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\u+123\"", "'a'",
                           "\"a\nb\"", "\"\\na\tb\"", "\"\x01\""}) {
    EXPECT_FALSE(Reads(std::string("[") + text + "]")) << text;
  }
}

TEST_F(JsonDocumentTest, ObjectsKeepTheirOrder) {
  const JsonNode* root = Parse(R"({"b":1,"a":2,"":3})");
  ASSERT_NE(root, nullptr);
  ASSERT_EQ(root->kind, Kind::kObject);
  ASSERT_EQ(root->members().size(), 3u);
  EXPECT_EQ(root->members()[0].name, "b");
  EXPECT_EQ(root->members()[1].name, "a");
  EXPECT_EQ(root->members()[2].name, "");
}

TEST_F(JsonDocumentTest, TheLastValueOfANameCountsAtTheFirstPlace) {
  const JsonNode* root = Parse(R"({"a":1,"b":2,"a":3,"\u0061":4})");
  ASSERT_NE(root, nullptr);
  ASSERT_EQ(root->members().size(), 2u);
  EXPECT_EQ(root->members()[0].name, "a");
  EXPECT_EQ(root->members()[0].value.integer, 4);
  EXPECT_EQ(root->members()[1].value.integer, 2);
}

TEST_F(JsonDocumentTest, RepeatedNamesAmongMany) {
  std::string text = "{";
  for (int i = 0; i < 100; ++i) {
    text += "\"n" + std::to_string(i % 60) + "\":" + std::to_string(i) + ",";
  }
  text.back() = '}';
  const JsonNode* root = Parse(text);
  ASSERT_NE(root, nullptr);
  ASSERT_EQ(root->members().size(), 60u);
  EXPECT_EQ(root->members()[0].name, "n0");
  EXPECT_EQ(root->members()[0].value.integer, 60);
  EXPECT_EQ(root->members()[59].value.integer, 59);
}

TEST_F(JsonDocumentTest, BlanksBetweenTokens) {
  const JsonNode* root = Parse("{ \"a\"\t:\r\n[ 1 , 2 ] , \"b\" : { } }");
  ASSERT_NE(root, nullptr);
  EXPECT_EQ(root->members()[0].value.elements()[1].integer, 2);
  EXPECT_EQ(root->members()[1].value.members().size(), 0u);
}

TEST_F(JsonDocumentTest, BrokenContainers) {
  for (const char* text : {"{", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
                           "{1:2}", "{\"a\":1", "[1}", "{]", "[/**/1]"}) {
    EXPECT_FALSE(Reads(text)) << text;
  }
}

TEST_F(JsonDocumentTest, OnlyContainersAtTheVeryBeginning) {
  for (const char* text : {"", " {}", "\n[]", "1", "\"a\"", "null", "\xef\xbb\xbf{}"})
    EXPECT_FALSE(Reads(text)) << text;
}

TEST_F(JsonDocumentTest, WhatFollowsIsNotLookedAt) {
  EXPECT_TRUE(Reads("{}x"));
  EXPECT_TRUE(Reads("[1]{broken"));
}

TEST_F(JsonDocumentTest, AThousandLevels) {
  EXPECT_TRUE(Reads(Nested(1000)));
  EXPECT_FALSE(Reads(Nested(1001)));
  EXPECT_FALSE(Reads(std::string(100'000, '[')));
  EXPECT_FALSE(Reads("{\"a\":" + Nested(1000) + "}"));
}

TEST_F(JsonDocumentTest, ANameHasItsLimit) {
  EXPECT_TRUE(Reads("{\"" + std::string(50'000, 'n') + "\":1}"));
  EXPECT_FALSE(Reads("{\"" + std::string(50'001, 'n') + "\":1}"));
}

TEST_F(JsonDocumentTest, NothingIsLeftOverFromABrokenText) {
  EXPECT_FALSE(Reads("[1,2,{\"a\":"));
  const JsonNode* root = Parse("[3]");
  ASSERT_NE(root, nullptr);
  ASSERT_EQ(root->elements().size(), 1u);
  EXPECT_EQ(root->elements()[0].integer, 3);
}

}  // namespace
}  // namespace postrider::connect
