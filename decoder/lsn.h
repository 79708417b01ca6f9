// A position in the write-ahead log: the 64-bit byte address that PostgreSQL prints as `16/B374D848`.
//
// Convention (PostgreSQL manual, "Streaming Replication Protocol"): a position that was *reached* is the address of
// the next byte, "last byte + 1". Zero is "no position". Values are compared as unsigned integers, never as text:
// servers up to 18 print the low half without leading zeros.
//
// A value type; thread-safe as any integer. Tested by tests/unit/decoder/lsn_test.cc.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace postrider {

class Lsn {
 public:
  constexpr Lsn() = default;
  constexpr explicit Lsn(uint64_t value) : value_(value) {}

  // Parses "X/X" in hexadecimal. InvalidArgument with the text quoted when it is anything else.
  static absl::StatusOr<Lsn> Parse(std::string_view text);

  constexpr uint64_t value() const { return value_; }
  constexpr bool valid() const { return value_ != 0; }
  std::string ToString() const;

  friend constexpr auto operator<=>(Lsn, Lsn) = default;

 private:
  uint64_t value_ = 0;
};

}  // namespace postrider
