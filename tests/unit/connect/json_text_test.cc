#include "connect/json_text.h"

#include <gtest/gtest.h>

#include <string>

namespace postrider::connect {
namespace {

std::string Json(std::string_view text, BeyondBmp beyond_bmp = BeyondBmp::kEscaped) {
  Buffer out;
  AppendJsonString(text, out, beyond_bmp);
  return std::string(out.view());
}

TEST(JsonText, EscapesWhatJacksonEscapes) {
  EXPECT_EQ(Json("plain text"), R"("plain text")");
  EXPECT_EQ(Json(""), R"("")");
  EXPECT_EQ(Json("a\"b\\c/"), R"("a\"b\\c/")");
  EXPECT_EQ(Json("\b\t\n\f\r"), R"("\b\t\n\f\r")");
  EXPECT_EQ(Json(std::string_view("\x00\x01\x1f\x7f", 4)), std::string(R"("\u0000\u0001\u001F)") + "\x7f\"");
  EXPECT_EQ(Json("ümläut € 漢字 \xe2\x80\xa8 <&>"), "\"ümläut € 漢字 \xe2\x80\xa8 <&>\"");
}

TEST(JsonText, EscapesCharactersBeyondTheBmpAsTwoUnits) {
  EXPECT_EQ(Json("x😀y"), R"("x\uD83D\uDE00y")");
  EXPECT_EQ(Json("x😀y", BeyondBmp::kRaw), "\"x😀y\"");
  EXPECT_EQ(Json("\xf4\x8f\xbf\xbf"), R"("\uDBFF\uDFFF")");
}

TEST(JsonText, EscapesHalvesOfSurrogatePairs) {
  EXPECT_EQ(Json("\xed\xa0\x80"), R"("\uD800")");
  EXPECT_EQ(Json("\xed\xbf\xbf!"), R"("\uDFFF!")");
  EXPECT_EQ(Json("\xed\x9f\xbf"), "\"\xed\x9f\xbf\"");  // U+D7FF is none
}

TEST(JsonText, PassesBytesThatAreNoUtf8) {
  for (const std::string text :
       {"\xf0", "\xf0\x9f", "\xf0\x9f\x98", "\xed\xa0", "\xed", "\xff", "\x80", "\xf0xyz", "\xed\xa0x"}) {
    EXPECT_EQ(Json(text), "\"" + text + "\"");
  }
}

TEST(JsonText, EscapesAcrossChunksAndWords) {
  for (size_t before = 0; before < 20; ++before) {
    for (const size_t lead : {size_t{0}, size_t{1010}, size_t{1020}, size_t{2040}}) {
      const std::string plain(lead + before, 'x');
      EXPECT_EQ(Json(plain + "😀\"\n" + plain), "\"" + plain + R"(\uD83D\uDE00\"\n)" + plain + "\"");
    }
  }
  std::string controls(5000, '\x01'), escaped;
  for (int i = 0; i < 5000; ++i) escaped += "\\u0001";
  EXPECT_EQ(Json(controls), "\"" + escaped + "\"");
}

TEST(JsonText, TakesTheQuotesOfATextThatStandsInJson) {
  const std::string_view json = R"({"name":1})";
  Buffer out;
  AppendJsonString(json.substr(2, 4), /*in_quotes=*/true, out);
  EXPECT_EQ(out.view(), R"("name")");
}

TEST(JsonText, WritesBase64AndHex) {
  const auto written = [](auto append, std::string_view bytes) {
    Buffer out;
    append(bytes, out);
    return std::string(out.view());
  };
  const std::string_view bytes("\x00\xff\x10\xfb\xfe", 5);
  EXPECT_EQ(written(AppendBase64, bytes), "AP8Q+/4=");
  EXPECT_EQ(written(AppendBase64UrlSafe, bytes), "AP8Q-_4=");
  EXPECT_EQ(written(AppendHex, bytes), "00ff10fbfe");
  EXPECT_EQ(written(AppendBase64, ""), "");
}

TEST(JsonText, ReadsHex) {
  Arena arena;
  EXPECT_EQ(ParseHex("00fF10", arena), std::string_view("\x00\xff\x10", 3));
  EXPECT_EQ(ParseHex("", arena), "");
  EXPECT_EQ(ParseHex("0", arena), std::nullopt);
  EXPECT_EQ(ParseHex("0g", arena), std::nullopt);
}

}  // namespace
}  // namespace postrider::connect
