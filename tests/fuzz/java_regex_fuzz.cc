// base/java_regex.h: no pattern, text or replacement makes it crash or work without bound, and what the parts say of
// each other holds.
//
// Input: pattern, subject and replacement, separated by NUL; a first byte of 'i' disregards case and is not part of the
// pattern.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/java_regex.h"

namespace postrider {
namespace {

std::string_view TakePart(std::string_view& input) {
  const std::string_view part = input.substr(0, input.find('\0'));
  input.remove_prefix(std::min(part.size() + 1, input.size()));
  return part;
}

void CompileAndMatch(std::string_view input) {
  const bool case_insensitive = !input.empty() && input.front() == 'i';
  if (!input.empty()) input.remove_prefix(1);
  const std::string_view pattern = TakePart(input);
  const std::string_view subject = TakePart(input);
  const std::string_view replacement = input;

  const auto regex = JavaRegex::Compile(pattern, {.case_insensitive = case_insensitive});
  if (!regex.ok()) {
    POSTRIDER_CHECK(regex.status().code() == absl::StatusCode::kInvalidArgument);
    return;
  }
  POSTRIDER_CHECK(regex->pattern() == pattern);
  const auto matches = regex->Matches(subject);
  const auto replaced = regex->ReplaceFirst(subject, replacement);
  POSTRIDER_CHECK(matches.status().code() != absl::StatusCode::kInternal);
  POSTRIDER_CHECK(replaced.status().code() != absl::StatusCode::kInternal);
  // Where the whole matches there is a find, so the replacement was read; the two must agree on whether it can be.
  if (matches.ok() && *matches && replaced.status().code() != absl::StatusCode::kResourceExhausted)
    POSTRIDER_CHECK(replaced.ok() == regex->CheckReplacement(replacement).ok());
}

}  // namespace
}  // namespace postrider

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  postrider::CompileAndMatch({reinterpret_cast<const char*>(data), size});
  return 0;
}
