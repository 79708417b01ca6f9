#include "base/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace postrider {
namespace {

using namespace std::string_view_literals;

// The code points of `bytes`; 0xffffffff stands for a malformed byte.
std::vector<uint32_t> CodePoints(std::string_view bytes) {
  std::vector<uint32_t> code_points;
  for (size_t position = 0; position < bytes.size();) {
    const size_t before = position;
    code_points.push_back(NextCodePoint(bytes, position).value_or(0xffffffff));
    EXPECT_GT(position, before);
    EXPECT_LE(position, bytes.size());
    if (position <= before) break;
  }
  return code_points;
}

TEST(NextCodePoint, ReadsOneToFourBytes) {
  EXPECT_EQ(CodePoints("a\0\x7f"sv), (std::vector<uint32_t>{'a', 0, 0x7f}));
  EXPECT_EQ(CodePoints("é€😀"), (std::vector<uint32_t>{0xe9, 0x20ac, 0x1f600}));
  EXPECT_EQ(CodePoints("\xf4\x8f\xbf\xbf"), (std::vector<uint32_t>{0x10ffff}));
}

TEST(NextCodePoint, GoesOnOneByteBehindAMalformedOne) {
  constexpr uint32_t kBad = 0xffffffff;
  EXPECT_EQ(CodePoints("a\xff"
                       "b"),
            (std::vector<uint32_t>{'a', kBad, 'b'}));
  EXPECT_EQ(CodePoints("\x80"), (std::vector<uint32_t>{kBad})) << "a continuation alone";
  EXPECT_EQ(CodePoints("\xc0\xaf"), (std::vector<uint32_t>{kBad, kBad})) << "overlong";
  EXPECT_EQ(CodePoints("\xe0\x80\xaf"), (std::vector<uint32_t>{kBad, kBad, kBad})) << "overlong";
  EXPECT_EQ(CodePoints("\xed\xa0\x80"), (std::vector<uint32_t>{kBad, kBad, kBad})) << "a surrogate";
  EXPECT_EQ(CodePoints("\xf4\x90\x80\x80"), (std::vector<uint32_t>{kBad, kBad, kBad, kBad})) << "above U+10FFFF";
  EXPECT_EQ(CodePoints("\xe2\x82"), (std::vector<uint32_t>{kBad, kBad})) << "cut off at the end";
  EXPECT_EQ(CodePoints("\xe2\x82z"), (std::vector<uint32_t>{kBad, kBad, 'z'})) << "cut off in the middle";
}

}  // namespace
}  // namespace postrider
