// Java's named classes of characters: \d, \w and the like, \p{Alpha} and the like, and the general categories of
// Unicode. Source: the manual of java.util.regex.Pattern, without UNICODE_CHARACTER_CLASS. The inside of
// base/java_pattern.h. Tested by tests/unit/base/java_regex_test.cc.
#pragma once

#include <cstdint>
#include <string_view>

namespace postrider {

inline constexpr uint32_t kLastCodePoint = 0x10ffff;

// A class that Java defines by its characters: first and last of each range, in rising order. They are written out for
// PCRE2, negated ones too, since 10.42 misreads a negated escape beside a property ([^\D\p{L}]) and takes \v and \S for
// disjoint.
struct JavaClass {
  std::string_view name;
  std::u32string_view ranges;
};

// d, w, s, h, v; nullptr where there is none.
const JavaClass* FindPredefinedClass(char name);
// Lower, Alpha, XDigit, ...; nullptr where there is none.
const JavaClass* FindAsciiProperty(std::string_view name);
// L, Lu, Nd, ...: PCRE2 has them under the same names.
bool IsGeneralCategory(std::string_view name);
// Whether it tells capitals from small letters, so that it changes where case is disregarded.
bool IsCasedProperty(std::string_view name);

}  // namespace postrider
