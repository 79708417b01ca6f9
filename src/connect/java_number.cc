#include "connect/java_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/text.h"

namespace postrider::connect {
namespace {

constexpr int64_t kExponentMax = 10'000;  // of what ParseDecimal takes: scales stay small enough to be written out

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// d.ddd * 10^exponent: plain where Java is plain (10^-3 <= |x| < 10^7), in scientific notation elsewhere.
void AppendDigits(std::string_view digits, int exponent, Buffer& out) {
  if (exponent < -3 || exponent >= 7) {
    out.push_back(digits[0]);
    out.push_back('.');
    out.append(digits.size() > 1 ? digits.substr(1) : "0");
    out.push_back('E');
    AppendInteger(exponent, out);
    return;
  }
  if (exponent < 0) {
    out.append("0.");
    out.append(static_cast<size_t>(-exponent - 1), '0');
    out.append(digits);
    return;
  }
  const size_t whole = static_cast<size_t>(exponent) + 1;
  out.append(digits.substr(0, whole));
  if (digits.size() < whole) out.append(whole - digits.size(), '0');
  out.push_back('.');
  out.append(digits.size() > whole ? digits.substr(whole) : "0");
}

// Most numbers are hundredths below 10^7: their digits are those of an integer. Numbers of up to 15 digits are all
// different as doubles, so there are no shorter ones for the same. False: not such a number.
bool AppendHundredths(double value, Buffer& out) {
  constexpr double kMax = 1e7;
  if (!(value >= 0.01 && value < kMax)) return false;
  const double scaled = std::nearbyint(value * 100);
  if (scaled / 100 != value) return false;
  const auto hundredths = static_cast<int64_t>(scaled);
  AppendInteger(hundredths / 100, out);
  const auto tenth = static_cast<char>('0' + hundredths / 10 % 10),
             hundredth = static_cast<char>('0' + hundredths % 10);
  out.push_back('.');
  out.push_back(tenth);
  if (hundredth != '0') out.push_back(hundredth);
  return true;
}

template <typename Real>
void AppendReal(Real value, Buffer& out) {
  if (std::isnan(value)) return static_cast<void>(out.append("NaN"));
  if (std::signbit(value)) out.push_back('-');
  value = std::fabs(value);
  if (std::isinf(value)) return static_cast<void>(out.append("Infinity"));
  if (value == 0) return static_cast<void>(out.append("0.0"));
  if (std::is_same_v<Real, double> && AppendHundredths(value, out)) return;

  char buffer[64];
  char* end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  if (buffer[1] != '.') {
    // One digit would do; Java then takes the nearest two-digit number: 4.9E-324, not 5E-324.
    end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific, 1).ptr;
  }
  char* const e = std::find(buffer, end, 'e');
  int exponent = 0;
  std::from_chars(e[1] == '+' ? e + 2 : e + 1, end, exponent);
  buffer[1] = buffer[0];  // over the point
  std::string_view digits(buffer + 1, static_cast<size_t>(e - buffer) - 1);
  while (digits.size() > 1 && digits.back() == '0') digits.remove_suffix(1);
  AppendDigits(digits, exponent, out);
}

std::string_view DigitsOf(const Value& decimal) {
  return decimal.text.front() == '-' ? decimal.text.substr(1) : decimal.text;
}

// The decimal with these digits; leading zeros go, and zero has no sign.
Value MakeDecimal(bool negative, std::string_view digits, int64_t scale, Arena& arena) {
  const size_t first = std::min(digits.find_first_not_of('0'), digits.size());
  digits.remove_prefix(first);
  if (digits.empty()) return Value::Decimal("0", scale);
  std::span<char> text = arena.NewBytes(digits.size() + (negative ? 1 : 0));
  if (negative) text[0] = '-';
  std::copy(digits.begin(), digits.end(), text.end() - static_cast<std::ptrdiff_t>(digits.size()));
  return Value::Decimal({text.data(), text.size()}, scale);
}

Value WithMoreZeros(const Value& decimal, size_t zeros, int64_t scale, Arena& arena) {
  if (decimal.text == "0") return Value::Decimal("0", scale);
  std::span<char> text = arena.NewBytes(decimal.text.size() + zeros);
  std::fill(std::copy(decimal.text.begin(), decimal.text.end(), text.begin()), text.end(), '0');
  return Value::Decimal({text.data(), text.size()}, scale);
}

// Little-endian base 2^32.
std::vector<uint32_t> Magnitude(std::string_view digits) {
  std::vector<uint32_t> words;
  while (!digits.empty()) {
    const size_t taken = std::min<size_t>(digits.size(), 9);
    uint64_t factor = 1, carry = 0;
    for (size_t i = 0; i < taken; ++i) {
      factor *= 10;
      carry = carry * 10 + static_cast<uint64_t>(digits[i] - '0');
    }
    for (uint32_t& word : words) {
      carry += word * factor;
      word = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) words.push_back(static_cast<uint32_t>(carry));
    digits.remove_prefix(taken);
  }
  return words;
}

}  // namespace

void AppendInteger(int64_t value, Buffer& out) {
  constexpr size_t kDigitsMax = 20;  // with the sign
  char* const start = out.Reserve(kDigitsMax);
  out.Commit(std::to_chars(start, start + kDigitsMax, value).ptr);
}

void AppendDouble(double value, Buffer& out) {
  AppendReal(value, out);
}

void AppendFloat(float value, Buffer& out) {
  AppendReal(value, out);
}

std::optional<Value> ParseDecimal(std::string_view text, Arena& arena) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  std::span<char> digits = arena.NewBytes(text.size());
  size_t count = 0;
  int64_t scale = 0;
  bool point = false;
  size_t at = 0;
  for (; at < text.size() && (IsDigit(text[at]) || (text[at] == '.' && !point)); ++at) {
    if (text[at] == '.') {
      point = true;
      continue;
    }
    digits[count++] = text[at];
    if (point) ++scale;
  }
  if (count == 0) return std::nullopt;
  if (at < text.size()) {
    if (text[at] != 'e' && text[at] != 'E') return std::nullopt;
    std::string_view exponent_text = text.substr(at + 1);
    if (exponent_text.starts_with('+')) exponent_text.remove_prefix(1);
    int64_t exponent = 0;
    const char* const end = exponent_text.data() + exponent_text.size();
    const auto [stop, error] = std::from_chars(exponent_text.data(), end, exponent);
    if (error != std::errc() || stop != end || std::abs(exponent) > kExponentMax) return std::nullopt;
    scale -= exponent;
  }
  return MakeDecimal(negative, {digits.data(), count}, scale, arena);
}

std::optional<Value> WithScale(const Value& decimal, int64_t scale, Arena& arena) {
  if (scale >= decimal.integer) {
    return WithMoreZeros(decimal, static_cast<size_t>(scale - decimal.integer), scale, arena);
  }
  if (decimal.text == "0") return Value::Decimal("0", scale);
  const auto dropped = static_cast<size_t>(decimal.integer - scale);
  const std::string_view digits = DigitsOf(decimal);
  if (dropped >= digits.size()) return std::nullopt;
  const std::string_view tail = digits.substr(digits.size() - dropped);
  if (tail.find_first_not_of('0') != std::string_view::npos) return std::nullopt;
  return Value::Decimal(decimal.text.substr(0, decimal.text.size() - dropped), scale);
}

Value WithScaleHalfUp(const Value& decimal, int64_t scale, Arena& arena) {
  if (std::optional<Value> exact = WithScale(decimal, scale, arena)) return *exact;
  const std::string_view digits = DigitsOf(decimal);
  const auto dropped = static_cast<size_t>(decimal.integer - scale);
  std::string kept = "0";
  if (dropped < digits.size()) kept.append(digits.substr(0, digits.size() - dropped));
  if (dropped <= digits.size() && digits[digits.size() - dropped] >= '5') {
    size_t i = kept.size() - 1;
    while (kept[i] == '9') kept[i--] = '0';
    ++kept[i];
  }
  return MakeDecimal(decimal.text.front() == '-', kept, scale, arena);
}

Value WithoutTrailingZeros(const Value& decimal, Arena& arena) {
  if (decimal.text == "0") return Value::Decimal("0", 0);
  std::string_view text = decimal.text;
  int64_t scale = decimal.integer;
  while (text.back() == '0') {
    text.remove_suffix(1);
    --scale;
  }
  const Value stripped = Value::Decimal(text, scale);
  return scale >= 0 ? stripped : WithMoreZeros(stripped, static_cast<size_t>(-scale), 0, arena);
}

void AppendDecimal(const Value& decimal, Buffer& out) {
  const std::string_view digits = DigitsOf(decimal);
  const int64_t exponent = static_cast<int64_t>(digits.size()) - 1 - decimal.integer;
  if (decimal.integer >= 0 && exponent >= -6) return AppendPlainDecimal(decimal, out);
  if (decimal.text.front() == '-') out.push_back('-');
  out.push_back(digits[0]);
  if (digits.size() > 1) {
    out.push_back('.');
    out.append(digits.substr(1));
  }
  if (exponent == 0) return;
  out.append(exponent > 0 ? "E+" : "E");
  AppendInteger(exponent, out);
}

void AppendPlainDecimal(const Value& decimal, Buffer& out) {
  const std::string_view digits = DigitsOf(decimal);
  if (decimal.text.front() == '-') out.push_back('-');
  if (decimal.integer <= 0) {
    out.append(digits);
    if (digits != "0") out.append(static_cast<size_t>(-decimal.integer), '0');
    return;
  }
  const auto scale = static_cast<size_t>(decimal.integer);
  if (digits.size() > scale) {
    out.append(digits.substr(0, digits.size() - scale));
    out.push_back('.');
    out.append(digits.substr(digits.size() - scale));
    return;
  }
  out.append("0.");
  out.append(scale - digits.size(), '0');
  out.append(digits);
}

double DecimalToDouble(const Value& decimal) {
  double value = 0;
  // Well formed; beyond the range it is infinite or zero, as in Java.
  static_cast<void>(absl::SimpleAtod(absl::StrCat(View(decimal.text), "e", -decimal.integer), &value));
  return value;
}

void AppendUnscaledBytes(const Value& decimal, Buffer& out) {
  const bool negative = decimal.text.front() == '-';
  std::vector<uint32_t> words = Magnitude(DigitsOf(decimal));
  if (negative) {  // two's complement: invert(magnitude - 1)
    size_t i = 0;
    while (words[i]-- == 0) ++i;
  }
  const auto filler = static_cast<uint8_t>(negative ? 0xff : 0);
  bool leading = true;  // a leading byte is superfluous where the next one carries the same sign
  uint8_t held = filler;
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      const auto byte = static_cast<uint8_t>((*word >> shift & 0xff) ^ filler);
      const bool superfluous = leading && held == filler && ((byte ^ filler) & 0x80) == 0;
      if (!superfluous) {
        out.push_back(static_cast<char>(held));
        leading = false;
      }
      held = byte;
    }
  }
  out.push_back(static_cast<char>(held));
}

}  // namespace postrider::connect
