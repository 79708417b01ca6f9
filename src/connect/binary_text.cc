#include "connect/binary_text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "connect/java_number.h"
#include "connect/java_time.h"
#include "connect/json_text.h"
#include "connect/pg_type.h"

namespace postrider::connect {
namespace {

constexpr int64_t kPostgresEpochDays = 10'957;  // 2000-01-01
constexpr int64_t kMicrosPerDay = 86'400'000'000;

// Big-endian; nullopt unless `bytes` is exactly a T.
template <typename T>
std::optional<T> Load(std::string_view bytes) {
  if (bytes.size() != sizeof(T)) return std::nullopt;
  std::make_unsigned_t<T> value = 0;
  for (const char byte : bytes) {
    value = static_cast<std::make_unsigned_t<T>>(static_cast<uint64_t>(value) << 8 | static_cast<uint8_t>(byte));
  }
  return static_cast<T>(value);
}

template <typename Number>
void AppendReal(Number number, Buffer& out) {
  if (std::isnan(number)) return static_cast<void>(out.append("NaN"));
  if (std::abs(number) == std::numeric_limits<Number>::infinity()) {
    return static_cast<void>(out.append(number < 0 ? "-Infinity" : "Infinity"));
  }
  constexpr size_t kBytesMax = 64;
  char* const start = out.Reserve(kBytesMax);
  out.Commit(std::to_chars(start, start + kBytesMax, number).ptr);
}

// "2026-01-02 03:04:05.5 BC": the calendar's year 0 is 1 BC.
void AppendDate(int64_t days, std::string_view after, Buffer& out) {
  Buffer buffer;
  AppendIsoDate(days, buffer);
  std::string_view iso = buffer.view();
  if (iso.starts_with('+')) iso.remove_prefix(1);
  const std::string_view month_day = iso.substr(iso.size() - 6);
  int64_t year = 0;
  std::from_chars(iso.data(), month_day.data(), year);
  if (year > 0) return static_cast<void>(out.append(iso).append(after));
  const std::string padded = std::to_string(1 - year);
  out.append(4 - std::min<size_t>(padded.size(), 4), '0').append(padded).append(month_day).append(after).append(" BC");
}

void AppendTime(int64_t micros_of_day, Buffer& out) {
  AppendIsoTime(micros_of_day * 1000, out);
}

void AppendOffset(int32_t seconds_west, Buffer& out) {
  out.push_back(seconds_west > 0 ? '-' : '+');
  AppendIsoTime(std::abs(static_cast<int64_t>(seconds_west)) * kNanosPerSecond, 0, out);
}

bool AppendTimestamp(std::string_view bytes, std::string_view zone, Buffer& out) {
  const std::optional<int64_t> micros = Load<int64_t>(bytes);
  if (!micros) return false;
  if (*micros == std::numeric_limits<int64_t>::max()) return out.append("infinity"), true;
  if (*micros == std::numeric_limits<int64_t>::min()) return out.append("-infinity"), true;
  const int64_t days = *micros / kMicrosPerDay - (*micros % kMicrosPerDay < 0 ? 1 : 0);
  Buffer after;
  after.push_back(' ');
  AppendTime(*micros - days * kMicrosPerDay, after);
  AppendDate(days + kPostgresEpochDays, after.append(zone).view(), out);
  return true;
}

bool AppendDateValue(std::string_view bytes, Buffer& out) {
  const std::optional<int32_t> days = Load<int32_t>(bytes);
  if (!days) return false;
  if (*days == std::numeric_limits<int32_t>::max()) return out.append("infinity"), true;
  if (*days == std::numeric_limits<int32_t>::min()) return out.append("-infinity"), true;
  AppendDate(*days + kPostgresEpochDays, "", out);
  return true;
}

bool AppendTimetz(std::string_view bytes, Buffer& out) {
  if (bytes.size() != 12) return false;
  AppendTime(*Load<int64_t>(bytes.substr(0, 8)), out);
  AppendOffset(*Load<int32_t>(bytes.substr(8)), out);
  return true;
}

bool AppendInterval(std::string_view bytes, Buffer& out) {
  if (bytes.size() != 16) return false;
  const int64_t micros = *Load<int64_t>(bytes.substr(0, 8));
  const int32_t days = *Load<int32_t>(bytes.substr(8, 4));
  const int32_t months = *Load<int32_t>(bytes.substr(12));
  const auto part = [&out](int32_t number, std::string_view unit) {
    if (number == 0) return;
    AppendInteger(number, out);
    out.append(unit);
  };
  part(months / 12, " years ");
  part(months % 12, " mons ");
  part(days, " days ");
  if (micros < 0) out.push_back('-');
  AppendTime(std::abs(micros), out);
  return true;
}

// numeric_send: number of digits, weight of the first, sign, scale, digits to the base 10,000.
bool AppendNumeric(std::string_view bytes, Buffer& out) {
  constexpr uint16_t kNegative = 0x4000, kNan = 0xc000, kInfinite = 0xd000, kMinusInfinite = 0xf000;
  if (bytes.size() < 8 || bytes.size() % 2 != 0) return false;
  const auto word = [&](size_t index) { return *Load<uint16_t>(bytes.substr(2 * index, 2)); };
  const size_t count = word(0);
  const int weight = static_cast<int16_t>(word(1));
  const uint16_t sign = word(2);
  const int scale = word(3);
  if (bytes.size() != 8 + 2 * count) return false;
  if (sign == kNan) return out.append("NaN"), true;
  if (sign == kInfinite) return out.append("Infinity"), true;
  if (sign == kMinusInfinite) return out.append("-Infinity"), true;
  // Groups from the point to the left, then to the right as far as the scale.
  const auto append_group = [&](int group, std::string& to) {
    const int index = weight - group;
    std::string digits =
        std::to_string(index >= 0 && index < static_cast<int>(count) ? word(4 + static_cast<size_t>(index)) : 0);
    to.append(4 - std::min<size_t>(digits.size(), 4), '0').append(digits);
  };
  std::string whole;
  for (int group = weight; group >= 0; --group) append_group(group, whole);
  whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size()));
  if (sign == kNegative) out.push_back('-');
  out.append(whole.empty() ? "0" : whole);
  if (scale == 0) return true;
  std::string fraction;
  for (int group = -1; static_cast<int>(fraction.size()) < scale; --group) append_group(group, fraction);
  fraction.resize(static_cast<size_t>(scale));
  out.append(".").append(fraction);
  return true;
}

bool AppendUuid(std::string_view bytes, Buffer& out) {
  if (bytes.size() != 16) return false;
  for (size_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out.push_back('-');
    AppendHex(bytes.substr(i, 1), out);
  }
  return true;
}

template <typename T>
bool AppendInt(std::string_view bytes, Buffer& out) {
  const std::optional<T> value = Load<T>(bytes);
  if (value) AppendInteger(static_cast<int64_t>(*value), out);
  return value.has_value();
}

template <typename Bits, typename Number>
bool AppendFloatValue(std::string_view bytes, Buffer& out) {
  const std::optional<Bits> bits = Load<Bits>(bytes);
  if (bits) AppendReal(std::bit_cast<Number>(*bits), out);
  return bits.has_value();
}

bool AppendText(uint32_t oid, std::string_view bytes, Buffer& out) {
  switch (oid) {
    case pg::kBool:
      out.push_back(bytes == std::string_view("\1", 1) ? 't' : 'f');
      return bytes.size() == 1;
    case pg::kInt2:
      return AppendInt<int16_t>(bytes, out);
    case pg::kInt4:
      return AppendInt<int32_t>(bytes, out);
    case pg::kInt8:
      return AppendInt<int64_t>(bytes, out);
    case pg::kOid:
      return AppendInt<uint32_t>(bytes, out);
    case pg::kFloat4:
      return AppendFloatValue<uint32_t, float>(bytes, out);
    case pg::kFloat8:
      return AppendFloatValue<uint64_t, double>(bytes, out);
    case pg::kNumeric:
      return AppendNumeric(bytes, out);
    case pg::kUuid:
      return AppendUuid(bytes, out);
    case pg::kDate:
      return AppendDateValue(bytes, out);
    case pg::kTime:
      if (bytes.size() != 8) return false;
      AppendTime(*Load<int64_t>(bytes), out);
      return true;
    case pg::kTimetz:
      return AppendTimetz(bytes, out);
    case pg::kTimestamp:
      return AppendTimestamp(bytes, "", out);
    case pg::kTimestamptz:
      return AppendTimestamp(bytes, "+00", out);
    case pg::kInterval:
      return AppendInterval(bytes, out);
    default:
      return false;
  }
}

bool IsTextAlready(uint32_t oid, char kind) {
  switch (oid) {
    case pg::kText:
    case pg::kVarchar:
    case pg::kBpchar:
    case pg::kChar:
    case pg::kName:
    case pg::kJson:
    case pg::kXml:
      return true;
    default:
      return kind == 'e';
  }
}

}  // namespace

std::optional<std::string_view> BinaryToText(uint32_t oid, char kind, std::string_view bytes, Arena& arena) {
  if (IsTextAlready(oid, kind)) return bytes;
  if (oid == pg::kJsonb) {  // a version number goes before the text
    if (!bytes.starts_with('\1')) return std::nullopt;
    return bytes.substr(1);
  }
  bool known = false;
  const std::string_view text = arena.Compose([&](Buffer& out) { known = AppendText(oid, bytes, out); });
  if (!known) return std::nullopt;
  return text;
}

}  // namespace postrider::connect
