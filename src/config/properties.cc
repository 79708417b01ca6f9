#include "config/properties.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "base/utf8.h"
#include "config/text.h"

namespace postrider::config {
namespace {

bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\f';
}
bool IsLineEnd(char c) {
  return c == '\n' || c == '\r';
}

absl::Status At(int line, std::string_view what) {
  return absl::InvalidArgumentError(Cat("line ", line, ": ", what));
}

// Joins natural lines into logical ones, leaving comments and blank lines out. Follows Properties.LineReader step by
// step: a continuation keeps no leading blanks, and a `#` at its start is text unless nothing was read before it.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : text_(text) {}

  // False at the end of the text.
  bool Next() {
    line_.clear();
    bool skip_blanks = true, continued = false, escaped = false;
    for (; pos_ < text_.size(); ++pos_) {
      const char c = text_[pos_];
      if (skip_blanks) {
        if (IsBlank(c)) continue;
        if (!continued && IsLineEnd(c)) {
          CountLineEnd(c);
          continue;
        }
        skip_blanks = continued = false;
      }
      if (line_.empty()) first_line_ = line_number_;
      if (line_.empty() && (c == '#' || c == '!')) {
        SkipComment();
        skip_blanks = true;
      } else if (!IsLineEnd(c)) {
        line_.push_back(c);
        escaped = c == '\\' && !escaped;
      } else {
        CountLineEnd(c);
        if (!escaped && !line_.empty()) {
          ++pos_;
          return true;
        }
        skip_blanks = true;
        continued = escaped;
        if (escaped) line_.pop_back();
        escaped = false;
      }
    }
    if (escaped) line_.pop_back();
    return !line_.empty();
  }

  const std::string& line() const { return line_; }
  int first_line() const { return first_line_; }

 private:
  // "\r\n" is one end: the '\n' after a '\r' is stepped over here.
  void CountLineEnd(char c) {
    ++line_number_;
    if (c == '\r' && pos_ + 1 < text_.size() && text_[pos_ + 1] == '\n') ++pos_;
  }
  // Leaves pos_ on the last byte of the comment's line, its end included.
  void SkipComment() {
    while (pos_ + 1 < text_.size() && !IsLineEnd(text_[pos_])) ++pos_;
    if (IsLineEnd(text_[pos_])) CountLineEnd(text_[pos_]);
  }

  std::string_view text_;
  size_t pos_ = 0;
  int line_number_ = 1;
  int first_line_ = 1;
  std::string line_;
};

// The line of the first byte that is not well-formed UTF-8, or is NUL.
std::optional<int> FindBadLine(std::string_view text) {
  for (size_t pos = 0; pos < text.size();) {
    const size_t begin = pos;
    if (text[begin] == '\0' || !NextCodePoint(text, pos))
      return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(begin), '\n'));
  }
  return std::nullopt;
}

// `code` is a Unicode scalar value.
void AppendUtf8(uint32_t code, std::string& out) {
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
    return;
  }
  // The first byte's marks, and how many bytes of six bits follow it.
  const int tail = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  const uint32_t marks = tail == 1 ? 0xC0 : tail == 2 ? 0xE0 : 0xF0;
  out.push_back(static_cast<char>(marks | (code >> (6 * tail))));
  for (int i = tail - 1; i >= 0; --i) out.push_back(static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3F)));
}

bool IsHighSurrogate(uint32_t code) {
  return code >= 0xD800 && code <= 0xDBFF;
}
bool IsLowSurrogate(uint32_t code) {
  return code >= 0xDC00 && code <= 0xDFFF;
}
uint32_t JoinSurrogates(uint32_t high, uint32_t low) {
  return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

std::optional<uint32_t> ReadHex4(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  uint32_t value = 0;
  for (const char c : text.substr(0, 4)) {
    value <<= 4;
    if (c >= '0' && c <= '9') {
      value |= static_cast<uint32_t>(c - '0');
    } else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) {
      value |= static_cast<uint32_t>((c | 0x20) - 'a' + 10);
    } else {
      return std::nullopt;
    }
  }
  return value;
}

// Reads the XXXX of \uXXXX at `pos`, and the second half where it is the first of a pair. Moves `pos` past it.
absl::Status AppendUnicodeEscape(std::string_view text, int line, size_t& pos, std::string& out) {
  std::optional<uint32_t> code = ReadHex4(text.substr(pos));
  if (!code) return At(line, "\\u must be followed by four hexadecimal digits");
  pos += 4;
  if (IsHighSurrogate(*code) && text.substr(pos, 2) == "\\u") {
    const std::optional<uint32_t> low = ReadHex4(text.substr(pos + 2));
    if (low && IsLowSurrogate(*low)) {
      code = JoinSurrogates(*code, *low);
      pos += 6;
    }
  }
  if (*code == 0 || IsHighSurrogate(*code) || IsLowSurrogate(*code))
    return At(line, "\\u0000 and half a surrogate pair cannot be part of a setting");
  AppendUtf8(*code, out);
  return absl::OkStatus();
}

absl::StatusOr<std::string> Unescape(std::string_view text, int line) {
  std::string out;
  out.reserve(text.size());
  for (size_t pos = 0; pos < text.size();) {
    const char c = text[pos++];
    if (c != '\\' || pos == text.size()) {
      out.push_back(c);
      continue;
    }
    const char escape = text[pos++];
    switch (escape) {
      case 'u':
        if (absl::Status status = AppendUnicodeEscape(text, line, pos, out); !status.ok()) return status;
        break;
      case 't':
        out.push_back('\t');
        break;
      case 'n':
        out.push_back('\n');
        break;
      case 'r':
        out.push_back('\r');
        break;
      case 'f':
        out.push_back('\f');
        break;
      default:
        out.push_back(escape);
    }
  }
  return out;
}

absl::StatusOr<Entry> SplitLine(std::string_view line, int number) {
  size_t key_end = 0;
  while (key_end < line.size() && line[key_end] != '=' && line[key_end] != ':' && !IsBlank(line[key_end]))
    key_end += line[key_end] == '\\' ? 2 : 1;
  key_end = std::min(key_end, line.size());
  size_t value_begin = key_end;
  while (value_begin < line.size() && IsBlank(line[value_begin])) ++value_begin;
  if (value_begin < line.size() && (line[value_begin] == '=' || line[value_begin] == ':')) {
    ++value_begin;
    while (value_begin < line.size() && IsBlank(line[value_begin])) ++value_begin;
  }
  absl::StatusOr<std::string> key = Unescape(line.substr(0, key_end), number);
  if (!key.ok()) return key.status();
  absl::StatusOr<std::string> value = Unescape(line.substr(value_begin), number);
  if (!value.ok()) return value.status();
  return Entry{*std::move(key), *std::move(value), number};
}

}  // namespace

absl::StatusOr<std::vector<Entry>> ParseProperties(std::string_view text) {
  if (const std::optional<int> line = FindBadLine(text))
    return At(*line, "not UTF-8, or a NUL: save the file as UTF-8, or write the character as \\uXXXX");
  std::vector<Entry> entries;
  LineReader reader(text);
  while (reader.Next()) {
    if (reader.line().size() > kLogicalLineBytesMax)
      return At(reader.first_line(), Cat("longer than ", kLogicalLineBytesMax, " bytes"));
    if (entries.size() == kEntriesMax) return At(reader.first_line(), Cat("more than ", kEntriesMax, " settings"));
    absl::StatusOr<Entry> entry = SplitLine(reader.line(), reader.first_line());
    if (!entry.ok()) return entry.status();
    entries.push_back(*std::move(entry));
  }
  return entries;
}

}  // namespace postrider::config
