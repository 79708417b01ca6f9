#include "connect/json_text.h"

#include <array>
#include <cstdint>

#include "absl/strings/escaping.h"
#include "base/text.h"

namespace postrider::connect {
namespace {

constexpr char kPlain = 0;
constexpr char kUnicode = 'u';    // \u00XX
constexpr char kFourBytes = '4';  // the first of four: beyond the BMP
constexpr char kSurrogate = 's';  // perhaps half a surrogate pair, as a \ud800 in the payload leaves it

constexpr std::array<char, 256> MakeEscapes() {
  std::array<char, 256> escapes{};
  for (size_t i = 0; i < 0x20; ++i) escapes[i] = kUnicode;
  escapes['\b'] = 'b';
  escapes['\t'] = 't';
  escapes['\n'] = 'n';
  escapes['\f'] = 'f';
  escapes['\r'] = 'r';
  escapes['"'] = '"';
  escapes['\\'] = '\\';
  for (size_t i = 0xf0; i < 0xf5; ++i) escapes[i] = kFourBytes;
  escapes[0xed] = kSurrogate;
  return escapes;
}
constexpr std::array<char, 256> kEscapes = MakeEscapes();

void AppendUnicodeEscape(uint32_t unit, std::string& out) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  out.append("\\u");
  for (int shift = 12; shift >= 0; shift -= 4) out.push_back(kDigits[unit >> shift & 0xf]);
}

uint32_t Continuation(char byte) {
  return static_cast<uint8_t>(byte) & 0x3f;
}

bool IsContinuation(char byte) {
  return (static_cast<uint8_t>(byte) & 0xc0) == 0x80;
}

// The character at text[at], which needs `escape`. Returns how many bytes it took.
size_t AppendEscaped(std::string_view text, size_t at, char escape, std::string& out) {
  const auto byte = static_cast<uint8_t>(text[at]);
  const std::string_view rest = text.substr(at);
  if (escape == kFourBytes) {
    if (rest.size() < 4 || !IsContinuation(rest[1]) || !IsContinuation(rest[2]) || !IsContinuation(rest[3])) {
      out.push_back(text[at]);
      return 1;
    }
    const uint32_t point =
        ((byte & 7u) << 18 | Continuation(rest[1]) << 12 | Continuation(rest[2]) << 6 | Continuation(rest[3])) -
        0x10000;
    AppendUnicodeEscape(0xd800 | (point >> 10 & 0x3ff), out);
    AppendUnicodeEscape(0xdc00 | (point & 0x3ff), out);
    return 4;
  }
  if (escape == kSurrogate) {
    if (rest.size() < 3 || static_cast<uint8_t>(rest[1]) < 0xa0 || !IsContinuation(rest[1]) ||
        !IsContinuation(rest[2])) {
      out.push_back(text[at]);
      return 1;
    }
    AppendUnicodeEscape((byte & 0xfu) << 12 | Continuation(rest[1]) << 6 | Continuation(rest[2]), out);
    return 3;
  }
  if (escape == kUnicode) {
    AppendUnicodeEscape(byte, out);
  } else {
    out.push_back('\\');
    out.push_back(escape);
  }
  return 1;
}

}  // namespace

void AppendJsonString(std::string_view text, std::string& out, BeyondBmp beyond_bmp) {
  out.push_back('"');
  size_t start = 0;  // of what is not yet copied
  for (size_t at = 0; at < text.size();) {
    const char escape = kEscapes[static_cast<uint8_t>(text[at])];
    if (escape == kPlain || (escape == kFourBytes && beyond_bmp == BeyondBmp::kRaw)) [[likely]] {
      ++at;
      continue;
    }
    out.append(text.substr(start, at - start));
    at += AppendEscaped(text, at, escape, out);
    start = at;
  }
  out.append(text.substr(start));
  out.push_back('"');
}

void AppendBase64(std::string_view bytes, std::string& out) {
  out.append(absl::Base64Escape(View(bytes)));
}

void AppendBase64UrlSafe(std::string_view bytes, std::string& out) {
  const size_t start = out.size();
  AppendBase64(bytes, out);
  for (size_t i = start; i < out.size(); ++i) {
    if (out[i] == '+') out[i] = '-';
    if (out[i] == '/') out[i] = '_';
  }
}

void AppendHex(std::string_view bytes, std::string& out) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (const char byte : bytes) {
    out.push_back(kDigits[static_cast<uint8_t>(byte) >> 4]);
    out.push_back(kDigits[static_cast<uint8_t>(byte) & 0xf]);
  }
}

std::optional<std::string_view> ParseHex(std::string_view digits, Arena& arena) {
  if (digits.size() % 2 != 0) return std::nullopt;
  const auto nibble = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  std::span<char> bytes = arena.NewBytes(digits.size() / 2);
  for (size_t i = 0; i < bytes.size(); ++i) {
    const int high = nibble(digits[2 * i]);
    const int low = nibble(digits[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes[i] = static_cast<char>(high << 4 | low);
  }
  return std::string_view(bytes.data(), bytes.size());
}

}  // namespace postrider::connect
