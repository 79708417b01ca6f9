// The characters of a Java pattern: each as itself or as an escape (\t, \0n, \xhh, \uhhhh, \cX, \.). The base of the
// translator in java_pattern.cc, and of no use elsewhere. The first fault is kept; the pattern outlives the reader.
// Tested by tests/unit/base/java_regex_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/status/status.h"

namespace postrider {

class JavaPatternReader {
 protected:
  explicit JavaPatternReader(std::string_view pattern) : pattern_(pattern) {}

  bool ok() const { return status_.ok(); }
  const absl::Status& status() const { return status_; }
  // Keeps the first fault only. `offset` in bytes from the pattern's start.
  void Fail(size_t offset, std::string_view why);

  bool AtEnd() const { return at_ >= pattern_.size(); }
  // NUL beyond the end; ask AtEnd() where the pattern may hold one.
  char Peek(size_t ahead = 0) const { return at_ + ahead < pattern_.size() ? pattern_[at_ + ahead] : '\0'; }
  // Whether this is what comes next, and then it was read.
  bool Take(std::string_view expected);

  // One character, written as itself or as an escape. 0 after a fault.
  uint32_t ReadCharacter();
  // The same, where the backslash was read.
  uint32_t ReadEscapedCharacter();
  // One character as itself, a backslash too.
  uint32_t ReadCodePoint();

  const std::string_view pattern_;
  size_t at_ = 0;

 private:
  uint32_t ReadOctal();
  uint32_t ReadHex(size_t digits);
  uint32_t ReadBracedHex();
  uint32_t ReadUtf16Escape();

  absl::Status status_;
};

bool IsAsciiLetter(uint32_t code_point);

}  // namespace postrider
