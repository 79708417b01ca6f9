#include "connect/byte_scan.h"

#include <gtest/gtest.h>

#include <string>

namespace postrider::connect {
namespace {

bool IsSpecial(unsigned byte) {
  return byte < 0x20 || byte == '"' || byte == '\\';
}

TEST(ByteScan, FindsTheFirstSpecialByteWhereverItStands) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    for (size_t place = 0; place < kWordBytes; ++place) {
      for (const char around : {'a', '\x7f', '\x80', '\xff', ' ', '!'}) {
        std::string text(kWordBytes, around);
        text[place] = static_cast<char>(byte);
        const uint64_t marks = FirstSpecial(LoadWord(text.data()));
        ASSERT_EQ(marks != 0, IsSpecial(byte)) << byte << " at " << place;
        if (marks != 0) {
          ASSERT_EQ(BytesBefore(marks), place) << byte;
        }
      }
    }
  }
}

TEST(ByteScan, TheFirstOfTwoCounts) {
  for (size_t first = 0; first < kWordBytes; ++first) {
    for (size_t second = first + 1; second < kWordBytes; ++second) {
      std::string text(kWordBytes, 'x');
      text[first] = '"';
      text[second] = '\x01';
      EXPECT_EQ(BytesBefore(FirstSpecial(LoadWord(text.data()))), first);
    }
  }
}

}  // namespace
}  // namespace postrider::connect
