// Text as Jackson writes it inside JSON, and bytes as java.util.Base64 does. All append to `out`.
//
// Source: jackson-core's UTF8JsonGenerator and CharTypes: " and \ escaped, control characters by their short form or
// \u00XX with capitals, characters beyond the BMP as two \uXXXX, all else raw. Never fails: bytes that are no UTF-8 go
// through as they are. Pure. Tested by tests/unit/connect/json_text_test.cc.
#pragma once

#include <optional>
#include <string_view>

#include "connect/arena.h"
#include "connect/buffer.h"

namespace postrider::connect {

// Jackson escapes characters beyond the BMP where it writes bytes, and not where it writes a Java string.
enum class BeyondBmp { kEscaped, kRaw };

// With the quotes around it.
void AppendJsonString(std::string_view text, Buffer& out, BeyondBmp beyond_bmp = BeyondBmp::kEscaped);

// The same for a text that may stand in JSON already (Value::in_quotes).
inline void AppendJsonString(std::string_view text, bool in_quotes, Buffer& out) {
  if (in_quotes) return static_cast<void>(out.append({text.data() - 1, text.size() + 2}));
  AppendJsonString(text, out);
}

void AppendBase64(std::string_view bytes, Buffer& out);         // '+' and '/', padded
void AppendBase64UrlSafe(std::string_view bytes, Buffer& out);  // '-' and '_', padded
void AppendHex(std::string_view bytes, Buffer& out);            // in small letters

// The bytes that an even number of hexadecimal digits stands for.
std::optional<std::string_view> ParseHex(std::string_view digits, Arena& arena);

}  // namespace postrider::connect
