#include "connect/json_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/escaping.h"
#include "base/text.h"
#include "connect/byte_scan.h"

namespace postrider::connect {
namespace {

// What a byte needs: nothing, a backslash and this letter, or one of the long forms.
constexpr uint8_t kPlain = 0;
constexpr uint8_t kUnicode = 0x80;    // \u00XX
constexpr uint8_t kFourBytes = 0x81;  // the first of four: beyond the BMP
constexpr uint8_t kSurrogate = 0x82;  // perhaps half a surrogate pair, as a \ud800 in the payload leaves it

constexpr std::array<uint8_t, 256> MakeEscapes() {
  std::array<uint8_t, 256> escapes{};
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
constexpr std::array<uint8_t, 256> kEscapes = MakeEscapes();

char* PutUnicodeEscape(uint32_t unit, char* to) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  *to++ = '\\';
  *to++ = 'u';
  for (int shift = 12; shift >= 0; shift -= 4) *to++ = kDigits[unit >> shift & 0xf];
  return to;
}

uint32_t Continuation(char byte) {
  return static_cast<uint8_t>(byte) & 0x3f;
}

bool IsContinuation(char byte) {
  return (static_cast<uint8_t>(byte) & 0xc0) == 0x80;
}

// Writes the character at `at` in the long form that it needs, and moves on past it. At most six bytes for one.
char* PutLongForm(const char*& at, const char* end, uint8_t form, char* to) {
  const auto byte = static_cast<uint8_t>(*at);
  const auto continued = [&](ptrdiff_t bytes) {
    return end - at > bytes && std::all_of(at + 1, at + 1 + bytes, IsContinuation);
  };
  if (form == kFourBytes && continued(3)) {
    const uint32_t point =
        ((byte & 7u) << 18 | Continuation(at[1]) << 12 | Continuation(at[2]) << 6 | Continuation(at[3])) - 0x10000;
    at += 4;
    to = PutUnicodeEscape(0xd800 | (point >> 10 & 0x3ff), to);
    return PutUnicodeEscape(0xdc00 | (point & 0x3ff), to);
  }
  if (form == kSurrogate && continued(2) && (at[1] & 0x20) != 0) {
    const uint32_t unit = (byte & 0xfu) << 12 | Continuation(at[1]) << 6 | Continuation(at[2]);
    at += 3;
    return PutUnicodeEscape(unit, to);
  }
  ++at;
  if (form == kUnicode) return PutUnicodeEscape(byte, to);
  *to++ = static_cast<char>(byte);
  return to;
}

}  // namespace

void AppendJsonString(std::string_view text, Buffer& out, BeyondBmp beyond_bmp) {
  constexpr size_t kChunkBytes = 1024;
  constexpr size_t kGrowth = 6;  // bytes for one, at most
  const char* at = text.data();
  const char* const end = at + text.size();
  out.push_back('"');
  while (at != end) {
    const char* const chunk_end = at + std::min(static_cast<size_t>(end - at), kChunkBytes);
    // A word, or a character of several bytes, may reach beyond the chunk.
    char* to = out.Reserve(kGrowth * static_cast<size_t>(chunk_end - at) + 2 * kWordBytes);
    while (at < chunk_end) {
      if (static_cast<size_t>(end - at) >= kWordBytes) {
        const uint64_t word = LoadWord(at);
        const uint64_t marks = FirstSpecial(word) | (word & kHighBits);
        std::memcpy(to, at, kWordBytes);
        const size_t plain = marks == 0 ? kWordBytes : BytesBefore(marks);
        at += plain;
        to += plain;
        if (plain == kWordBytes) continue;
      }
      const uint8_t escape = kEscapes[static_cast<uint8_t>(*at)];
      if (escape == kPlain || (escape == kFourBytes && beyond_bmp == BeyondBmp::kRaw)) {
        *to++ = *at++;
      } else if (escape < kUnicode) {
        *to++ = '\\';
        *to++ = static_cast<char>(escape);
        ++at;
      } else {
        to = PutLongForm(at, end, escape, to);
      }
    }
    out.Commit(to);
  }
  out.push_back('"');
}

void AppendBase64(std::string_view bytes, Buffer& out) {
  const std::string text = absl::Base64Escape(View(bytes));
  out.append(text);
}

void AppendBase64UrlSafe(std::string_view bytes, Buffer& out) {
  std::string text = absl::Base64Escape(View(bytes));
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  out.append(text);
}

void AppendHex(std::string_view bytes, Buffer& out) {
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
