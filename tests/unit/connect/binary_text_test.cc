#include "connect/binary_text.h"

#include <gtest/gtest.h>

#include <string>

#include "connect/json_text.h"
#include "connect/pg_type.h"

namespace postrider::connect {
namespace {

// `hex` as the server's typsend wrote it.
std::string Text(uint32_t oid, const char* hex, char kind = 'b') {
  Arena arena;
  const std::optional<std::string_view> text = BinaryToText(oid, kind, *ParseHex(hex, arena), arena);
  return text ? std::string(*text) : "unknown";
}

TEST(BinaryText, GivesWhatTheServersTextWouldBe) {
  EXPECT_EQ(Text(pg::kBool, "01"), "t");
  EXPECT_EQ(Text(pg::kInt2, "8000"), "-32768");
  EXPECT_EQ(Text(pg::kInt4, "0000002a"), "42");
  EXPECT_EQ(Text(pg::kInt8, "8000000000000000"), "-9223372036854775808");
  EXPECT_EQ(Text(pg::kOid, "ffffffff"), "4294967295");
  EXPECT_EQ(Text(pg::kFloat4, "3dcccccd"), "0.1");
  EXPECT_EQ(Text(pg::kFloat8, "7ff8000000000000"), "NaN");
  EXPECT_EQ(Text(pg::kFloat8, "fff0000000000000"), "-Infinity");
  EXPECT_EQ(Text(pg::kUuid, "0000000000004000800000000000000a"), "00000000-0000-4000-8000-00000000000a");
  EXPECT_EQ(Text(pg::kText, "c3a9"), "é");
  EXPECT_EQ(Text(20'000, "6f6b", 'e'), "ok");
  EXPECT_EQ(Text(pg::kJsonb, "017b7d"), "{}");
}

TEST(BinaryText, Times) {
  EXPECT_EQ(Text(pg::kDate, "0000251b"), "2026-01-03");
  EXPECT_EQ(Text(pg::kDate, "7fffffff"), "infinity");
  EXPECT_EQ(Text(pg::kTime, "000000141dd76000"), "24:00:00");
  EXPECT_EQ(Text(pg::kTimestamp, "0000000000000001"), "2000-01-01 00:00:00.000001");
  EXPECT_EQ(Text(pg::kTimestamp, "ffffffffffffffff"), "1999-12-31 23:59:59.999999");
  EXPECT_EQ(Text(pg::kTimestamptz, "8000000000000000"), "-infinity");
  EXPECT_EQ(Text(pg::kTimestamptz, "0000000000000000"), "2000-01-01 00:00:00+00");
  EXPECT_EQ(Text(pg::kTimetz, "0000000000000000ffffe3e0"), "00:00:00+02:00:00");
  EXPECT_EQ(Text(pg::kInterval, "00000000000f4240000000020000000d"), "1 years 1 mons 2 days 00:00:01");
}

TEST(BinaryText, Numerics) {
  EXPECT_EQ(Text(pg::kNumeric, "0002000000000002000c1388"), "12.50");
  EXPECT_EQ(Text(pg::kNumeric, "0000000000000002"), "0.00");
  EXPECT_EQ(Text(pg::kNumeric, "0001fffe400000080001"), "-0.00000001");
  EXPECT_EQ(Text(pg::kNumeric, "00010002000000000007"), "700000000");
  EXPECT_EQ(Text(pg::kNumeric, "00000000c0000000"), "NaN");
  EXPECT_EQ(Text(pg::kNumeric, "00000000f0000000"), "-Infinity");
}

TEST(BinaryText, RefusesOtherTypesAndWrongLengths) {
  EXPECT_EQ(Text(pg::kInet, "02200004"), "unknown");
  EXPECT_EQ(Text(pg::kInt4, "00"), "unknown");
  EXPECT_EQ(Text(pg::kUuid, "00"), "unknown");
  EXPECT_EQ(Text(pg::kJsonb, "027b7d"), "unknown");
  EXPECT_EQ(Text(pg::kNumeric, "0002000000000002000c"), "unknown");
  EXPECT_EQ(Text(pg::kTimetz, "00"), "unknown");
}

}  // namespace
}  // namespace postrider::connect
