// UTF-8, code point by code point. Pure, any thread. Tested by tests/unit/base/utf8_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace postrider {

// The code point that begins at `position`, which must be below bytes.size(); `position` then stands behind it. nullopt
// where the bytes are malformed (cut off, overlong, a surrogate, above U+10FFFF); `position` then stands one byte
// further.
std::optional<uint32_t> NextCodePoint(std::string_view bytes, size_t& position);

}  // namespace postrider
