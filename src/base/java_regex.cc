#include "base/java_regex.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/java_pattern.h"
#include "base/text.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace postrider {
namespace {

// A match that needs more is an error. The steps are some tens of milliseconds of work at each place where a match may
// begin.
constexpr uint32_t kMatchStepsMax = 1'000'000;
constexpr uint32_t kMatchHeapKibMax = 16 * 1024;

template <auto kFree>
struct Free {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using CodePtr = std::unique_ptr<pcre2_code, Free<pcre2_code_free>>;
using MatchContextPtr = std::unique_ptr<pcre2_match_context, Free<pcre2_match_context_free>>;
using MatchDataPtr = std::unique_ptr<pcre2_match_data, Free<pcre2_match_data_free>>;

absl::Status MatchError(int code) {
  if (code <= PCRE2_ERROR_UTF8_ERR1 && code >= PCRE2_ERROR_UTF8_ERR21)
    return absl::InvalidArgumentError("the text that an expression is matched against is not valid UTF-8");
  if (code == PCRE2_ERROR_MATCHLIMIT || code == PCRE2_ERROR_DEPTHLIMIT || code == PCRE2_ERROR_HEAPLIMIT)
    return absl::ResourceExhaustedError("an expression needs too many steps for the text that it is matched against");
  return absl::InternalError(absl::StrCat("PCRE2 error ", code));
}

std::string CompileErrorText(int code) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(code, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

}  // namespace

struct JavaRegex::Code {
  CodePtr pcre;
  MatchContextPtr limits;
  int groups = 0;
  std::vector<JavaPattern::NamedGroup> named_groups;

  // nullptr: no match.
  absl::StatusOr<MatchDataPtr> Match(std::string_view subject, uint32_t options) const {
    MatchDataPtr match(pcre2_match_data_create_from_pattern(pcre.get(), nullptr));
    POSTRIDER_CHECK(match != nullptr);
    const char* text = subject.empty() ? "" : subject.data();
    const int result = pcre2_match(pcre.get(), reinterpret_cast<PCRE2_SPTR>(text), subject.size(), /*startoffset=*/0,
                                   options, match.get(), limits.get());
    if (result == PCRE2_ERROR_NOMATCH) return nullptr;
    if (result < 0) return MatchError(result);
    return match;
  }

  // Reads a replacement as Matcher.appendReplacement does: on_text for characters, on_group for numbers of groups.
  template <typename OnText, typename OnGroup>
  absl::Status ReadReplacement(std::string_view replacement, OnText on_text, OnGroup on_group) const {
    for (size_t at = 0; at < replacement.size();) {
      const size_t special = std::min(replacement.find_first_of("\\$", at), replacement.size());
      on_text(replacement.substr(at, special - at));
      at = special + 1;
      if (special == replacement.size()) break;
      if (at == replacement.size())
        return absl::InvalidArgumentError(absl::StrCat("the replacement ends with ", View(replacement.substr(special)),
                                                       ", which stands before something: write it as \\",
                                                       View(replacement.substr(special))));
      if (replacement[special] == '\\') {
        on_text(replacement.substr(at++, 1));
        continue;
      }
      const absl::StatusOr<int> group =
          replacement[at] == '{' ? ReadName(replacement, at) : ReadNumber(replacement, at);
      if (!group.ok()) return group.status();
      on_group(*group);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<int> ReadName(std::string_view replacement, size_t& at) const {
    const size_t begin = at + 1;
    size_t end = begin;
    while (end < replacement.size() && absl::ascii_isalnum(static_cast<unsigned char>(replacement[end]))) ++end;
    if (end == replacement.size() || replacement[end] != '}')
      return absl::InvalidArgumentError("the replacement holds ${ without a name of letters and digits and a }");
    const std::string_view name = replacement.substr(begin, end - begin);
    at = end + 1;
    for (const auto& group : named_groups)
      if (group.name == name) return group.number;
    return absl::InvalidArgumentError(
        absl::StrCat("the replacement names the group ${", View(name), "}, which the expression does not have"));
  }

  // The first digit is a group in any case, each further one only while there are that many groups.
  absl::StatusOr<int> ReadNumber(std::string_view replacement, size_t& at) const {
    const auto digit = [&]() -> std::optional<int> {
      if (at >= replacement.size() || replacement[at] < '0' || replacement[at] > '9') return std::nullopt;
      return replacement[at] - '0';
    };
    if (!digit())
      return absl::InvalidArgumentError(
          "the replacement holds a $ without a group: write $1, ${name}, or \\$ for a dollar");
    int number = *digit();
    for (++at; digit() && number * 10 + *digit() <= groups; ++at) number = number * 10 + *digit();
    if (number > groups)
      return absl::InvalidArgumentError(
          absl::StrCat("the replacement holds $", number, ", and the expression has ", groups, " groups"));
    return number;
  }
};

absl::StatusOr<JavaRegex> JavaRegex::Compile(std::string_view pattern, Flags flags) {
  absl::StatusOr<JavaPattern> translated = TranslateJavaPattern(pattern, flags.case_insensitive);
  if (!translated.ok()) return translated.status();
  int error = 0;
  PCRE2_SIZE error_offset = 0;
  CodePtr pcre(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated->pcre.data()), translated->pcre.size(),
                             PCRE2_UTF | PCRE2_DOTALL, &error, &error_offset, nullptr));
  if (!pcre) return absl::InvalidArgumentError(CompileErrorText(error));

  auto code = std::make_shared<Code>();
  code->pcre = std::move(pcre);
  code->limits.reset(pcre2_match_context_create(nullptr));
  POSTRIDER_CHECK(code->limits != nullptr);
  pcre2_set_match_limit(code->limits.get(), kMatchStepsMax);
  pcre2_set_heap_limit(code->limits.get(), kMatchHeapKibMax);
  code->groups = translated->groups;
  code->named_groups = std::move(translated->named_groups);

  JavaRegex regex;
  regex.pattern_ = std::string(pattern);
  regex.code_ = std::move(code);
  return regex;
}

absl::StatusOr<bool> JavaRegex::Matches(std::string_view subject) const {
  const auto match = code_->Match(subject, PCRE2_ANCHORED | PCRE2_ENDANCHORED);
  if (!match.ok()) return match.status();
  return *match != nullptr;
}

absl::StatusOr<std::string> JavaRegex::ReplaceFirst(std::string_view subject, std::string_view replacement) const {
  const auto match = code_->Match(subject, 0);
  if (!match.ok()) return match.status();
  if (*match == nullptr) return std::string(subject);
  const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(match->get());
  std::string result(subject.substr(0, ends[0]));
  const absl::Status status = code_->ReadReplacement(
      replacement, [&](std::string_view text) { result.append(text); },
      [&](int group) {
        const PCRE2_SIZE* pair = ends + 2 * group;
        // A group that took no part gives nothing.
        if (pair[0] != PCRE2_UNSET) result.append(subject.substr(pair[0], pair[1] - pair[0]));
      });
  if (!status.ok()) return status;
  result.append(subject.substr(ends[1]));
  return result;
}

absl::Status JavaRegex::CheckReplacement(std::string_view replacement) const {
  return code_->ReadReplacement(
      replacement, [](std::string_view) {}, [](int) {});
}

}  // namespace postrider
