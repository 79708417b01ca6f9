// Java's .properties syntax, as java.util.Properties.load reads it, from UTF-8 text.
//
// Separators `=`, `:` or blanks; escapes \t \n \r \f \uXXXX (surrogate pairs become one character), `\c` is c; a line
// whose end has an odd number of backslashes goes on with the next; `#` and `!` begin a comment. Differences from Java,
// on purpose: the bytes are UTF-8 (Java takes Latin-1 from a stream), and what cannot be a setting's text (a NUL, half
// a surrogate pair) is an error. Pure functions, any thread. Rules: java.util.Properties, "load(Reader)". Tested by
// tests/unit/config/properties_test.cc, fuzzed by tests/fuzz/properties_fuzz.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace postrider::config {

// One key as a file gives it. `line` counts from 1: where the key begins.
struct Entry {
  std::string key;
  std::string value;
  int line = 0;
};

// A setting that is longer than this is an error: certificates given inline are a few kilobytes.
inline constexpr size_t kLogicalLineBytesMax = 256 * 1024;
inline constexpr size_t kEntriesMax = 10'000;

// The entries in their order; a key given twice is there twice. InvalidArgument beginning with "line N: ".
absl::StatusOr<std::vector<Entry>> ParseProperties(std::string_view text);

}  // namespace postrider::config
