// Reading big-endian integers and strings from bytes that cannot be trusted. Inside decoder/ only.
//
// A Reader remembers its first fault and then gives zeros and empty views, so that a message is read straight down and
// asked once at its end whether all of it was there. Loops over counts that came from the bytes must stop at !ok().
// Views point into the bytes. Tested by tests/unit/decoder/wire_test.cc.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace postrider::decoder {

// `at` has sizeof(T) readable bytes.
template <std::unsigned_integral T>
T LoadBigEndian(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  if constexpr (sizeof(T) == 1 || std::endian::native == std::endian::big) return value;
  if constexpr (sizeof(T) == 2) return __builtin_bswap16(value);
  if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
  if constexpr (sizeof(T) == 8) return __builtin_bswap64(value);
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : begin_(bytes.data()), at_(begin_), end_(begin_ + bytes.size()) {}

  bool ok() const { return fault_ == nullptr; }
  // What was wrong first, and where. Only when !ok().
  const char* fault() const { return fault_; }
  size_t fault_offset() const { return fault_offset_; }

  size_t remaining() const { return static_cast<size_t>(end_ - at_); }
  const char* position() const { return at_; }

  template <std::unsigned_integral T>
  T Int() {
    if (remaining() < sizeof(T)) [[unlikely]] {
      Fail("it ends within a number");
      return 0;
    }
    const T value = LoadBigEndian<T>(at_);
    at_ += sizeof(T);
    return value;
  }

  std::string_view Bytes(size_t size) {
    if (remaining() < size) [[unlikely]] {
      Fail("a length points beyond its end");
      return {};
    }
    const std::string_view bytes(at_, size);
    at_ += size;
    return bytes;
  }

  // Up to the next NUL, which is read over.
  std::string_view String() {
    const void* nul = remaining() == 0 ? nullptr : std::memchr(at_, 0, remaining());
    if (nul == nullptr) [[unlikely]] {
      Fail("it ends within a name");
      return {};
    }
    const std::string_view text(at_, static_cast<size_t>(static_cast<const char*>(nul) - at_));
    at_ += text.size() + 1;
    return text;
  }

  // Notes the first fault only; nothing more is read. The fault lies `back` bytes before what is read next.
  void Fail(const char* fault, size_t back = 0) {
    if (!ok()) return;
    fault_ = fault;
    fault_offset_ = static_cast<size_t>(at_ - begin_) - back;
    at_ = end_;
  }

 private:
  const char* begin_;
  const char* at_;
  const char* end_;
  const char* fault_ = nullptr;
  size_t fault_offset_ = 0;
};

}  // namespace postrider::decoder
