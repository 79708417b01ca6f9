#include "base/java_pattern_reader.h"

#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/java_class.h"
#include "base/text.h"
#include "base/utf8.h"

namespace postrider {
namespace {

std::optional<uint32_t> HexValue(char c) {
  if (!absl::ascii_isxdigit(static_cast<unsigned char>(c))) return std::nullopt;
  const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
  return static_cast<uint32_t>(lower <= '9' ? lower - '0' : lower - 'a' + 10);
}

}  // namespace

bool IsAsciiLetter(uint32_t code_point) {
  return code_point < 0x80 && absl::ascii_isalpha(static_cast<unsigned char>(code_point));
}

void JavaPatternReader::Fail(size_t offset, std::string_view why) {
  if (ok()) status_ = absl::InvalidArgumentError(absl::StrCat("at offset ", offset, ": ", View(why)));
}

bool JavaPatternReader::Take(std::string_view expected) {
  if (pattern_.substr(at_, expected.size()) != expected) return false;
  at_ += expected.size();
  return true;
}

uint32_t JavaPatternReader::ReadCharacter() {
  if (Peek() != '\\') return ReadCodePoint();
  ++at_;
  return ReadEscapedCharacter();
}

uint32_t JavaPatternReader::ReadCodePoint() {
  const size_t offset = at_;
  const auto code_point = NextCodePoint(pattern_, at_);
  if (!code_point) Fail(offset, "the expression is not valid UTF-8");
  return code_point.value_or(0);
}

uint32_t JavaPatternReader::ReadEscapedCharacter() {
  const size_t offset = at_ - 1;
  if (AtEnd()) {
    Fail(offset, "a backslash ends the expression");
    return 0;
  }
  const char type = Peek();
  if (!absl::ascii_isalnum(static_cast<unsigned char>(type))) return ReadCodePoint();
  ++at_;
  switch (type) {
    case 't':
      return '\t';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 'f':
      return '\f';
    case 'a':
      return '\a';
    case 'e':
      return 0x1b;
    case '0':
      return ReadOctal();
    case 'x':
      return Take("{") ? ReadBracedHex() : ReadHex(2);
    case 'u':
      return ReadUtf16Escape();
    case 'c':
      if (AtEnd() || static_cast<unsigned char>(Peek()) >= 0x80) break;
      return static_cast<uint32_t>(pattern_[at_++] ^ 64);
    default:
      break;
  }
  Fail(offset, "an escape that is unknown or not supported here");
  return 0;
}

// \0n, \0nn, \0mnn with m up to 3.
uint32_t JavaPatternReader::ReadOctal() {
  const size_t digits_max = Peek() <= '3' ? 3 : 2;
  const size_t begin = at_;
  uint32_t value = 0;
  while (at_ - begin < digits_max && Peek() >= '0' && Peek() <= '7')
    value = value * 8 + static_cast<uint32_t>(pattern_[at_++] - '0');
  if (at_ == begin) Fail(begin, "\\0 is not followed by an octal number");
  return value;
}

uint32_t JavaPatternReader::ReadHex(size_t digits) {
  const size_t begin = at_;
  uint32_t value = 0;
  for (; at_ - begin < digits; ++at_) {
    const auto digit = HexValue(Peek());
    if (!digit) {
      Fail(begin, "\\x and \\u are followed by two and four hexadecimal digits");
      return 0;
    }
    value = value * 16 + *digit;
  }
  return value;
}

uint32_t JavaPatternReader::ReadBracedHex() {
  const size_t begin = at_;
  uint32_t value = 0;
  for (; value <= kLastCodePoint; ++at_) {
    const auto digit = HexValue(Peek());
    if (!digit) break;
    value = value * 16 + *digit;
  }
  if (at_ == begin || !Take("}") || value > kLastCodePoint || (value >= 0xd800 && value <= 0xdfff)) {
    Fail(begin, "\\x{...} holds no code point");
    return 0;
  }
  return value;
}

uint32_t JavaPatternReader::ReadUtf16Escape() {
  const size_t begin = at_;
  const uint32_t high = ReadHex(4);
  if (high < 0xd800 || high > 0xdfff) return high;
  const uint32_t low = high < 0xdc00 && Take("\\u") ? ReadHex(4) : 0;
  if (low < 0xdc00 || low > 0xdfff) {
    Fail(begin, "\\u gives half of a surrogate pair");
    return 0;
  }
  return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

}  // namespace postrider
