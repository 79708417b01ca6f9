#include "base/java_pattern.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/java_class.h"
#include "base/java_pattern_reader.h"
#include "base/text.h"

namespace postrider {
namespace {

// Java's line terminators. `$` and \Z stand before one at the very end too, but not between \r and \n.
constexpr std::string_view kAnyButTerminator = R"([^\n\r\x{85}\x{2028}\x{2029}])";
constexpr std::string_view kEndOfInput = R"((?=(?:\r\n|(?<!\r)\n|[\r\x{85}\x{2028}\x{2029}])?\z))";

constexpr std::string_view kKeptCapture =
    "within a look-around, an atomic group or a possessive repetition Java's groups keep what they took even where "
    "that part "
    "failed: write (?: in place of (";

constexpr int kRepetitionsMax = 65535;  // PCRE2's

// Reads the pattern from left to right, once. Every Read function takes what begins at at_ and appends its translation;
// the first fault ends the reading.
class Translator : private JavaPatternReader {
 public:
  Translator(std::string_view pattern, bool case_insensitive)
      : JavaPatternReader(pattern), flags_{case_insensitive, false} {}

  absl::StatusOr<JavaPattern> Run() {
    while (ok() && !AtEnd()) ReadItem();
    if (ok() && !open_groups_.empty()) Fail(open_groups_.back().offset, "a group is not closed");
    if (!ok()) return status();
    return std::move(result_);
  }

 private:
  struct Flags {
    bool case_insensitive;
    bool dot_all;
  };
  struct OpenGroup {
    size_t offset;
    Flags flags;        // outside of it
    int groups_before;  // how many were opened before it
    bool assertion;
    bool atomic;
  };

  void Append(std::string_view text) { result_.pcre.append(text); }

  void ReadItem();
  void ReadEscape();
  void ReadQuote();
  void ReadBackReference();
  void ReadNamedBackReference();
  void ReadOpenGroup();
  void ReadGroupName();
  void ReadFlags();
  void ReadCloseGroup();
  void ReadQuantifier(bool captured);
  int ReadCount();
  void ReadClass();
  void ReadClassMember();
  // `at_` is behind the backslash. False where the escape is none of them, and then nothing was read.
  bool ReadPredefinedClass(bool within_class);
  void ReadProperty(bool within_class);
  void AppendClass(const JavaClass& java_class, bool negated, bool within_class);
  void AppendLiteral(uint32_t code_point);
  void AppendRange(uint32_t first, uint32_t last);
  void AppendBareRange(uint32_t first, uint32_t last);
  void AppendCharacter(uint32_t code_point) { absl::StrAppendFormat(&result_.pcre, "\\x{%x}", code_point); }

  Flags flags_;
  // Of what was read last: whether a quantifier may follow, and whether it is a group that captures or holds such a
  // group.
  bool repeatable_ = false;
  bool captures_ = false;
  std::vector<OpenGroup> open_groups_;
  JavaPattern result_;
};

void Translator::ReadItem() {
  const bool captured = captures_;
  captures_ = false;
  switch (Peek()) {
    case '\\':
      return ReadEscape();
    case '[':
      ReadClass();
      repeatable_ = true;
      return;
    case '(':
      return ReadOpenGroup();
    case ')':
      return ReadCloseGroup();
    case '*':
    case '+':
    case '?':
    case '{':
      return ReadQuantifier(captured);
    case '|':
    case '^':
      Append(pattern_.substr(at_++, 1));
      repeatable_ = false;
      return;
    case '$':
      ++at_;
      Append(kEndOfInput);
      repeatable_ = false;
      return;
    case '.':
      ++at_;
      Append(flags_.dot_all ? "." : kAnyButTerminator);
      repeatable_ = true;
      return;
    default:
      AppendLiteral(ReadCharacter());
      repeatable_ = true;
  }
}

void Translator::ReadEscape() {
  const size_t offset = at_++;
  const char type = Peek();
  repeatable_ = true;
  if (type == 'Q') return ReadQuote();
  if (type >= '1' && type <= '9') return ReadBackReference();
  if (Take("k")) return ReadNamedBackReference();
  if (type == 'p' || type == 'P') return ReadProperty(/*within_class=*/false);
  if (ReadPredefinedClass(/*within_class=*/false)) return;
  if (type == 'b' && Peek(1) == '{') return Fail(offset, "\\b{g} is known to Java alone");
  const bool zero_width = type == 'A' || type == 'z' || type == 'G' || type == 'b' || type == 'B' || type == 'Z';
  if (!zero_width) return AppendLiteral(ReadEscapedCharacter());
  ++at_;
  repeatable_ = false;
  if (type == 'Z') return Append(kEndOfInput);
  result_.pcre.append({'\\', type});
}

void Translator::ReadQuote() {
  ++at_;
  const size_t begin = at_;
  const size_t end = std::min(pattern_.find("\\E", begin), pattern_.size());
  while (ok() && at_ < end) AppendLiteral(ReadCodePoint());
  repeatable_ = end > begin;
  Take("\\E");
}

// As in Java a further digit belongs to the number only while there are that many groups.
void Translator::ReadBackReference() {
  const size_t offset = at_ - 1;
  int number = Peek() - '0';
  ++at_;
  for (; absl::ascii_isdigit(static_cast<unsigned char>(Peek())); ++at_) {
    const int longer = number * 10 + (Peek() - '0');
    if (longer > result_.groups) break;
    number = longer;
  }
  if (number > result_.groups) return Fail(offset, "a back reference to a group that does not stand before it");
  if (flags_.case_insensitive)
    return Fail(offset, "a back reference without regard to case is read differently by Java");
  absl::StrAppend(&result_.pcre, "\\g{", number, "}");
}

void Translator::ReadNamedBackReference() {
  const size_t offset = at_ - 2;
  const size_t end = pattern_.find('>', at_);
  if (!Take("<") || end == std::string_view::npos) return Fail(offset, "\\k is not followed by <name>");
  const std::string_view name = pattern_.substr(at_, end - at_);
  at_ = end + 1;
  const auto group = std::find_if(result_.named_groups.begin(), result_.named_groups.end(),
                                  [&](const auto& candidate) { return candidate.name == name; });
  if (group == result_.named_groups.end())
    return Fail(offset, "a back reference to a name that does not stand before it");
  if (flags_.case_insensitive)
    return Fail(offset, "a back reference without regard to case is read differently by Java");
  absl::StrAppend(&result_.pcre, "\\g{", group->number, "}");
}

void Translator::ReadOpenGroup() {
  OpenGroup group{at_, flags_, result_.groups, /*assertion=*/false, /*atomic=*/false};
  if (!Take("(?")) {
    ++at_;
    ++result_.groups;
    Append("(");
  } else if (Peek() == '<' && Peek(1) != '=' && Peek(1) != '!') {
    ReadGroupName();
    Append("(");
  } else if (Peek() == ':' || Peek() == '>') {
    group.atomic = Peek() == '>';
    Append("(?");
    Append(pattern_.substr(at_++, 1));
  } else if (Peek() == '=' || Peek() == '!' || Peek() == '<') {
    const size_t size = Peek() == '<' ? 2 : 1;
    Append("(?");
    Append(pattern_.substr(at_, size));
    at_ += size;
    group.assertion = true;
  } else {
    ReadFlags();
    repeatable_ = false;
    if (!Take(":")) {
      if (!Take(")")) Fail(group.offset, "a group begins with (? and no modifier that is known");
      return;
    }
    Append("(?:");
  }
  repeatable_ = false;
  open_groups_.push_back(group);
}

void Translator::ReadGroupName() {
  const size_t offset = at_++;
  const size_t begin = at_;
  while (absl::ascii_isalnum(static_cast<unsigned char>(Peek()))) ++at_;
  const std::string_view name = pattern_.substr(begin, at_ - begin);
  if (name.empty() || !IsAsciiLetter(static_cast<unsigned char>(name[0])) || !Take(">"))
    return Fail(offset, "a group's name is one letter and then letters and digits, between < and >");
  for (const auto& group : result_.named_groups)
    if (group.name == name) return Fail(offset, "two groups have the same name");
  result_.named_groups.push_back({std::string(name), ++result_.groups});
}

void Translator::ReadFlags() {
  for (bool on = true; !AtEnd(); ++at_) {
    switch (Peek()) {
      case '-':
        on = false;
        break;
      case 'i':
        flags_.case_insensitive = on;
        break;
      case 's':
        flags_.dot_all = on;
        break;
      case 'm':
      case 'x':
      case 'd':
      case 'u':
      case 'U':
      case 'c':
        return Fail(at_, "of Java's flags only (?i) and (?s) are supported");
      default:
        return;
    }
  }
}

void Translator::ReadCloseGroup() {
  if (open_groups_.empty()) return Fail(at_, "a ) closes no group");
  ++at_;
  Append(")");
  const OpenGroup group = open_groups_.back();
  open_groups_.pop_back();
  flags_ = group.flags;
  repeatable_ = !group.assertion;
  captures_ = result_.groups > group.groups_before;
  if (captures_ && (group.assertion || group.atomic)) Fail(group.offset, kKeptCapture);
}

// `captured`: what is repeated holds a capturing group.
void Translator::ReadQuantifier(bool captured) {
  const size_t offset = at_;
  if (!repeatable_) return Fail(offset, "a quantifier has nothing before it that can be repeated");
  repeatable_ = false;
  if (!Take("{")) {
    Append(pattern_.substr(at_++, 1));
  } else {
    const int least = ReadCount();
    absl::StrAppend(&result_.pcre, "{", least);
    if (Take(",")) {
      Append(",");
      if (Peek() != '}') {
        const int most = ReadCount();
        if (most < least) Fail(offset, "a quantifier's second number is below its first");
        absl::StrAppend(&result_.pcre, most);
      }
    }
    if (!Take("}")) return Fail(offset, "a { begins no quantifier; a brace itself is written \\{");
    Append("}");
  }
  if (Peek() == '+' && captured) Fail(at_, kKeptCapture);
  if (Peek() == '?' || Peek() == '+') Append(pattern_.substr(at_++, 1));
}

int Translator::ReadCount() {
  const size_t offset = at_;
  int count = 0;
  for (; absl::ascii_isdigit(static_cast<unsigned char>(Peek())) && count <= kRepetitionsMax; ++at_)
    count = count * 10 + (Peek() - '0');
  if (at_ == offset) Fail(offset, "a { begins no quantifier; a brace itself is written \\{");
  if (count > kRepetitionsMax) Fail(offset, "more than 65535 repetitions");
  return count;
}

void Translator::ReadClass() {
  const size_t offset = at_++;
  Append("[");
  if (Take("^")) Append("^");
  for (bool first = true; ok(); first = false) {
    if (AtEnd()) return Fail(offset, "a character class is not closed");
    if (!first && Take("]")) break;
    ReadClassMember();
  }
  Append("]");
}

void Translator::ReadClassMember() {
  const size_t offset = at_;
  if (Peek() == '[')
    return Fail(offset, "a class within a class is read by Java alone; a bracket itself is written \\[");
  if (Peek() == '&' && Peek(1) == '&') return Fail(offset, "intersections of classes (&&) are not supported");
  if (Peek() == '\\') {
    ++at_;
    if (Peek() == 'p' || Peek() == 'P') return ReadProperty(/*within_class=*/true);
    if (ReadPredefinedClass(/*within_class=*/true)) return;
    at_ = offset;
  }
  const uint32_t first = ReadCharacter();
  if (Peek() != '-' || Peek(1) == ']' || Peek(1) == '[' || at_ + 1 >= pattern_.size()) return AppendRange(first, first);
  ++at_;
  const uint32_t last = ReadCharacter();
  if (last < first) return Fail(offset, "a range of characters ends before it begins");
  AppendRange(first, last);
}

bool Translator::ReadPredefinedClass(bool within_class) {
  const char lower = absl::ascii_tolower(static_cast<unsigned char>(Peek()));
  const JavaClass* found = FindPredefinedClass(lower);
  if (found == nullptr) return false;
  if (within_class && Peek() == 'v' && Peek(1) == '-') Fail(at_ - 1, "\\v before a - is read differently by Java");
  AppendClass(*found, /*negated=*/Peek() != lower, within_class);
  ++at_;
  return true;
}

void Translator::ReadProperty(bool within_class) {
  const size_t offset = at_ - 1;
  const bool negated = Peek() == 'P';
  ++at_;
  std::string_view name = pattern_.substr(at_, 1);
  if (Take("{")) {
    const size_t end = pattern_.find('}', at_);
    if (end == std::string_view::npos) return Fail(offset, "a property's name is not closed");
    name = pattern_.substr(at_, end - at_);
    at_ = end + 1;
  } else {
    at_ += name.size();
  }
  if (flags_.case_insensitive && IsCasedProperty(name))
    return Fail(offset, "a property of letter case without regard to case is read differently by Java");
  if (const JavaClass* found = FindAsciiProperty(name)) return AppendClass(*found, negated, within_class);
  if (name.size() > 2 && name.substr(0, 2) == "Is") name.remove_prefix(2);
  if (!IsGeneralCategory(name) || (flags_.case_insensitive && IsCasedProperty(name)))
    return Fail(offset, "of \\p{...} the general categories (L, Lu, Nd, ...) and Java's ASCII classes are supported");
  absl::StrAppend(&result_.pcre, negated ? "\\P{" : "\\p{", View(name), "}");
}

void Translator::AppendClass(const JavaClass& java_class, bool negated, bool within_class) {
  const std::u32string_view ranges = java_class.ranges;
  if (!within_class) Append("[");
  uint32_t gap = 0;  // where the next range of the complement begins
  for (size_t i = 0; i < ranges.size(); i += 2) {
    if (!negated) AppendBareRange(ranges[i], ranges[i + 1]);
    if (negated && gap < ranges[i]) AppendBareRange(gap, ranges[i] - 1);
    gap = ranges[i + 1] + 1;
  }
  if (negated) AppendBareRange(gap, kLastCodePoint);
  if (!within_class) Append("]");
}

void Translator::AppendLiteral(uint32_t code_point) {
  if (!flags_.case_insensitive || !IsAsciiLetter(code_point)) return AppendCharacter(code_point);
  Append("[");
  AppendRange(code_point, code_point);
  Append("]");
}

// Within a class. Without regard to case the twin of each ASCII letter in the range belongs to it.
void Translator::AppendRange(uint32_t first, uint32_t last) {
  AppendBareRange(first, last);
  if (!flags_.case_insensitive) return;
  constexpr uint32_t kCaseBit = 'a' - 'A';
  const uint32_t lower_first = std::max<uint32_t>(first, 'a'), lower_last = std::min<uint32_t>(last, 'z');
  const uint32_t upper_first = std::max<uint32_t>(first, 'A'), upper_last = std::min<uint32_t>(last, 'Z');
  if (lower_first <= lower_last) AppendBareRange(lower_first - kCaseBit, lower_last - kCaseBit);
  if (upper_first <= upper_last) AppendBareRange(upper_first + kCaseBit, upper_last + kCaseBit);
}

void Translator::AppendBareRange(uint32_t first, uint32_t last) {
  AppendCharacter(first);
  if (first == last) return;
  Append("-");
  AppendCharacter(last);
}

}  // namespace

absl::StatusOr<JavaPattern> TranslateJavaPattern(std::string_view pattern, bool case_insensitive) {
  if (pattern.size() > kJavaPatternBytesMax)
    return absl::InvalidArgumentError(absl::StrCat("the expression is longer than ", kJavaPatternBytesMax, " bytes"));
  return Translator(pattern, case_insensitive).Run();
}

}  // namespace postrider
