// Eight bytes of text at a time: which of them JSON treats apart. Pure. Tested by tests/unit/connect/byte_scan_test.cc.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace postrider::connect {

inline constexpr size_t kWordBytes = 8;
inline constexpr uint64_t kEachByte = 0x0101010101010101;
inline constexpr uint64_t kHighBits = 0x8080808080808080;

// `at` has kWordBytes readable bytes. The first is the lowest.
inline uint64_t LoadWord(const char* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

// The high bit is set in the first byte that is a quote, a backslash or a control character; above it, bits mean
// nothing.
inline uint64_t FirstSpecial(uint64_t word) {
  const auto zero = [](uint64_t bytes) { return (bytes - kEachByte) & ~bytes; };
  const uint64_t control = (word - kEachByte * 0x20) & ~word;
  return (zero(word ^ kEachByte * '"') | zero(word ^ kEachByte * '\\') | control) & kHighBits;
}

// How many bytes come before the lowest bit that is set in `marks`, which is not 0.
inline size_t BytesBefore(uint64_t marks) {
  return static_cast<size_t>(std::countr_zero(marks)) / 8;
}

}  // namespace postrider::connect
