#include "decoder/wire.h"

#include <gtest/gtest.h>

namespace postrider::decoder {
namespace {

using namespace std::string_view_literals;

TEST(Reader, ReadsBigEndianNumbersAtAnyAlignment) {
  const auto bytes = "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x80"sv;
  Reader reader(bytes);
  EXPECT_EQ(reader.Int<uint8_t>(), 0x01);
  EXPECT_EQ(reader.Int<uint16_t>(), 0x0203);
  EXPECT_EQ(reader.Int<uint32_t>(), 0x04050607u);
  EXPECT_EQ(reader.Int<uint64_t>(), 0x08090a0b0c0d0e80u);
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.remaining(), 0u);
}

TEST(Reader, KeepsTheFirstFaultAndThenGivesNothing) {
  Reader reader("\x01\x02\x03"sv);
  reader.Int<uint8_t>();
  EXPECT_EQ(reader.Int<uint32_t>(), 0u);
  ASSERT_FALSE(reader.ok());
  EXPECT_EQ(reader.fault_offset(), 1u);
  EXPECT_EQ(reader.Int<uint8_t>(), 0) << "a byte behind the fault was read";
  EXPECT_TRUE(reader.String().empty());
  EXPECT_TRUE(reader.Bytes(1).empty());
  EXPECT_EQ(reader.fault_offset(), 1u);
}

TEST(Reader, StringNeedsItsNul) {
  Reader good("ab\0\0c"sv);
  EXPECT_EQ(good.String(), "ab");
  EXPECT_EQ(good.String(), "");
  EXPECT_EQ(good.remaining(), 1u);
  EXPECT_TRUE(good.String().empty());
  EXPECT_FALSE(good.ok());

  Reader empty(""sv);
  empty.String();
  EXPECT_FALSE(empty.ok());
}

TEST(Reader, BytesNeverReachBeyondTheEnd) {
  Reader reader("abcd"sv);
  EXPECT_EQ(reader.Bytes(3), "abc");
  EXPECT_TRUE(reader.Bytes(0xffffffff).empty());
  EXPECT_FALSE(reader.ok());
}

}  // namespace
}  // namespace postrider::decoder
