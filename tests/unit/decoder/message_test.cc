#include "decoder/message.h"

#include <gtest/gtest.h>

#include "bytes.h"

namespace postrider::decoder {
namespace {

TEST(Tuple, WalksEveryKindMixedInOneRow) {
  const std::string bytes =
      Bytes().Text("abc").Null().Binary(std::string_view("\0\x01", 2)).Unchanged().Text("").Binary("").Null().str();
  std::vector<Value> values;
  Tuple(7, bytes).CopyTo(values);
  ASSERT_EQ(values.size(), 7u);
  EXPECT_EQ(values[0].kind, ValueKind::kText);
  EXPECT_EQ(values[0].bytes, "abc");
  EXPECT_EQ(values[1].kind, ValueKind::kNull);
  EXPECT_EQ(values[2].kind, ValueKind::kBinary);
  EXPECT_EQ(values[2].bytes, std::string_view("\0\x01", 2));
  EXPECT_EQ(values[3].kind, ValueKind::kUnchanged);
  EXPECT_EQ(values[4].kind, ValueKind::kText);
  EXPECT_EQ(values[4].bytes, "");
  EXPECT_EQ(values[5].kind, ValueKind::kBinary);
  EXPECT_EQ(values[6].kind, ValueKind::kNull);
}

TEST(Tuple, LeavesNothingOfThePreviousRowInAReusedVector) {
  std::vector<Value> values;
  const std::string first = Bytes().Text("long ago").Text("x").Text("y").str();
  Tuple(3, first).CopyTo(values);
  const std::string second = Bytes().Null().Unchanged().str();
  Tuple(2, second).CopyTo(values);
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[0].kind, ValueKind::kNull);
  EXPECT_EQ(values[0].bytes, "");
  EXPECT_EQ(values[1].kind, ValueKind::kUnchanged);
  EXPECT_EQ(values[1].bytes, "");
  Tuple().CopyTo(values);
  EXPECT_TRUE(values.empty());
}

TEST(ColumnList, WalksFlagsNamesAndModifiers) {
  const std::string bytes = Bytes()
                                .Int8(1)
                                .String("id")
                                .Int32(2950)
                                .Int32(0xffffffff)
                                .Int8(0)
                                .String("Größe, \"x\"")
                                .Int32(1700)
                                .Int32(655366)
                                .Int8(2)  // a flag of a later protocol is not taken for the key
                                .String("")
                                .Int32(25)
                                .Int32(0)
                                .str();
  std::vector<Column> columns;
  ColumnList(3, bytes).CopyTo(columns);
  ASSERT_EQ(columns.size(), 3u);
  EXPECT_TRUE(columns[0].key);
  EXPECT_EQ(columns[0].name, "id");
  EXPECT_EQ(columns[0].type_oid, 2950u);
  EXPECT_EQ(columns[0].type_modifier, -1);
  EXPECT_FALSE(columns[1].key);
  EXPECT_EQ(columns[1].name, "Größe, \"x\"");
  EXPECT_EQ(columns[1].type_modifier, 655366);
  EXPECT_FALSE(columns[2].key);
  EXPECT_EQ(columns[2].name, "");
}

TEST(Truncate, ReadsOidsOneByOne) {
  const std::string bytes = Bytes().Int32(16384).Int32(0xfffffffe).str();
  Truncate truncate;
  truncate.relation_oids = bytes;
  ASSERT_EQ(truncate.relation_count(), 2u);
  EXPECT_EQ(truncate.relation_oid(0), 16384u);
  EXPECT_EQ(truncate.relation_oid(1), 0xfffffffeu);
}

TEST(Time, CountsFrom2000) {
  EXPECT_EQ(ToUnixMicros(0), 946'684'800'000'000);
  EXPECT_EQ(ToUnixMicros(-946'684'800'000'000), 0);
}

}  // namespace
}  // namespace postrider::decoder
