#include "kafka/wire_size.h"

#include <gtest/gtest.h>

#include <string>

namespace postrider::kafka {
namespace {

Record With(std::optional<std::string_view> key, std::optional<std::string_view> value,
            std::span<const Header> headers = {}) {
  return {.topic = "t",
          .key = key,
          .value = value,
          .headers = headers,
          .timestamp_ms = 1,
          .partition = std::nullopt,
          .id = ""};
}

// 61 bytes of batch, then length, attributes, two deltas, key, value, number of headers.
TEST(WireSize, CountsByHand) {
  EXPECT_EQ(WireBytes(With(std::nullopt, std::nullopt)), 61u + 1 + 3 + 1 + 1 + 1);
  EXPECT_EQ(WireBytes(With("", "")), WireBytes(With(std::nullopt, std::nullopt)));  // lengths 0 and -1 take a byte each
  EXPECT_EQ(WireBytes(With("k", "v")), 70u);  // as librdkafka's own debug output counts it
  const Header headers[] = {{.key = "id", .value = "123"}, {.key = "none", .value = std::nullopt}};
  EXPECT_EQ(WireBytes(With("k", "v", headers)), 70u + (1 + 2 + 1 + 3) + (1 + 4 + 1));
}

// A zigzag varint holds lengths to 63 in a byte, to 8,191 in two, to 1,048,575 in three.
TEST(WireSize, LengthsGrowAtTheirEdges) {
  const auto value_bytes = [](size_t size) {
    const std::string value(size, 'x');
    return WireBytes(With(std::nullopt, value)) - size;
  };
  EXPECT_EQ(value_bytes(57), value_bytes(0));         // the record's own length is 63
  EXPECT_EQ(value_bytes(58), value_bytes(0) + 1);     // and is 64
  EXPECT_EQ(value_bytes(64), value_bytes(58) + 1);    // the value's is 64
  EXPECT_EQ(value_bytes(8191), value_bytes(64) + 1);  // the record's is above 8,191
  EXPECT_EQ(value_bytes(8192), value_bytes(64) + 2);
  EXPECT_EQ(value_bytes(1'048'576), value_bytes(8192) + 2);
}

}  // namespace
}  // namespace postrider::kafka
