// java.util.regex patterns on PCRE2.
//
// The common ground of both is taken as it is, and what can be said in PCRE2's words is rewritten
// (base/java_pattern.h); what Java alone has, or reads otherwise (\p{javaLowerCase}, `&&` in classes, ...), is refused
// when compiled, with a sentence. Known difference that is left: where a repeated group that captures is tried, given
// up and tried another way, Java may keep the text of the attempt that was given up. Match limits bound the work: a
// subject that exceeds them is an error (ResourceExhausted), not a mismatch; one that is not UTF-8 is an error too
// (InvalidArgument).
// `.` does not match the line terminators \n \r U+0085 U+2028 U+2029, as in Java.
// Thread-safe once made (each call has its own match data). Tested by tests/unit/base/java_regex_test.cc, against what
// Java itself answers.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace postrider {

class JavaRegex {
 public:
  struct Flags {
    bool case_insensitive = false;
  };
  // InvalidArgument with the reason, and with the offset in bytes where the reason is ours and not PCRE2's.
  static absl::StatusOr<JavaRegex> Compile(std::string_view pattern, Flags flags);
  static absl::StatusOr<JavaRegex> Compile(std::string_view pattern) { return Compile(pattern, Flags{}); }

  // Matcher.matches(): the whole subject.
  absl::StatusOr<bool> Matches(std::string_view subject) const;
  // Matcher.replaceFirst(replacement): the first find() is replaced, the rest is kept. Java's replacement syntax ($1,
  // ${name}, \x). InvalidArgument for an unknown group.
  absl::StatusOr<std::string> ReplaceFirst(std::string_view subject, std::string_view replacement) const;
  // Whether the replacement's syntax and groups fit this pattern; what ReplaceFirst would say.
  absl::Status CheckReplacement(std::string_view replacement) const;

  const std::string& pattern() const { return pattern_; }

 private:
  struct Code;  // the compiled pattern; in java_regex.cc
  std::string pattern_;
  std::shared_ptr<const Code> code_;
};

}  // namespace postrider
