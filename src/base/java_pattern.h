// Rewrites a pattern of java.util.regex as one of PCRE2 that means the same. The inside of base/java_regex.h.
//
// Source: the manual of java.util.regex.Pattern (Java 17 to 21), pcre2pattern(3). What the rewriting settles: `.`, `$`
// and \Z stop at Java's line terminators; regard of case is Java's (ASCII alone), also after (?i); (?s), \Q..\E, octal,
// \x, \u, \c and Java's \p{Alpha} kin; back references and groups by number. \b and \B are those of Java 19 and
// later: ASCII words. What has no twin (class intersections and unions, (?m) (?x) (?u) (?d) (?U), \X, scripts, blocks
// and java* properties, ...) is refused. Every character of a literal is written as PCRE2 cannot misread it, so nothing
// that only PCRE2 knows gets through. Pure. Tested by tests/unit/base/java_regex_test.cc, fuzzed by
// tests/fuzz/java_regex_fuzz.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace postrider {

inline constexpr size_t kJavaPatternBytesMax = 32 * 1024;

struct JavaPattern {
  struct NamedGroup {
    std::string name;
    int number;
  };
  std::string pcre;  // for PCRE2_UTF | PCRE2_DOTALL
  int groups = 0;
  std::vector<NamedGroup> named_groups;
};

// InvalidArgument: a sentence with the offset in bytes.
absl::StatusOr<JavaPattern> TranslateJavaPattern(std::string_view pattern, bool case_insensitive);

}  // namespace postrider
