// Builds pgoutput bytes by hand, field by field in the order of the wire. For tests only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace postrider::decoder {

class Bytes {
 public:
  explicit Bytes(char type) : bytes_(1, type) {}
  Bytes() = default;

  Bytes& Int8(uint8_t value) { return Int(value, 1); }
  Bytes& Int16(uint16_t value) { return Int(value, 2); }
  Bytes& Int32(uint32_t value) { return Int(value, 4); }
  Bytes& Int64(uint64_t value) { return Int(value, 8); }
  Bytes& Char(char value) { return Raw(std::string_view(&value, 1)); }
  Bytes& String(std::string_view text) { return Raw(text).Int8(0); }
  Bytes& Raw(std::string_view raw) {
    bytes_.append(raw);
    return *this;
  }

  // Columns of a tuple.
  Bytes& Null() { return Char('n'); }
  Bytes& Unchanged() { return Char('u'); }
  Bytes& Text(std::string_view text) { return Char('t').Int32(static_cast<uint32_t>(text.size())).Raw(text); }
  Bytes& Binary(std::string_view binary) { return Char('b').Int32(static_cast<uint32_t>(binary.size())).Raw(binary); }

  const std::string& str() const { return bytes_; }

 private:
  Bytes& Int(uint64_t value, int size) {
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) bytes_.push_back(static_cast<char>(value >> shift & 0xff));
    return *this;
  }

  std::string bytes_;
};

}  // namespace postrider::decoder
