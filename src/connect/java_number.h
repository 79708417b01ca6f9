// Numbers as Java spells them.
//
// Double.toString and Float.toString as from JDK 19 on (JDK-4511638: the shortest digits that read back as the same
// number, at least two); BigDecimal.toString, toPlainString, setScale, doubleValue; BigInteger.toByteArray. All append
// to `out`. Pure. Tested by tests/unit/connect/java_number_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "connect/arena.h"
#include "connect/buffer.h"
#include "connect/schema.h"

namespace postrider::connect {

void AppendInteger(int64_t value, Buffer& out);
void AppendDouble(double value, Buffer& out);
void AppendFloat(float value, Buffer& out);

// A kDecimal out of "-12.50" or "1.5E-7", as new BigDecimal(text) reads it; nullopt for anything else, NaN included.
std::optional<Value> ParseDecimal(std::string_view text, Arena& arena);

// BigDecimal.setScale: more zeros; or nullopt where digits other than zero would be lost.
std::optional<Value> WithScale(const Value& decimal, int64_t scale, Arena& arena);
// BigDecimal.setScale(scale, RoundingMode.HALF_UP).
Value WithScaleHalfUp(const Value& decimal, int64_t scale, Arena& arena);
// stripTrailingZeros(), and a scale below zero raised to zero.
Value WithoutTrailingZeros(const Value& decimal, Arena& arena);

void AppendDecimal(const Value& decimal, Buffer& out);       // BigDecimal.toString
void AppendPlainDecimal(const Value& decimal, Buffer& out);  // BigDecimal.toPlainString
double DecimalToDouble(const Value& decimal);

// The unscaled value as BigInteger.toByteArray gives it: two's complement, big-endian, as few bytes as hold the sign.
void AppendUnscaledBytes(const Value& decimal, Buffer& out);

}  // namespace postrider::connect
