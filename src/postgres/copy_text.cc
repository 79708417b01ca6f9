#include "postgres/copy_text.h"

#include "absl/strings/ascii.h"

namespace postrider::postgres {
namespace {

int DigitOf(char c) {
  if (absl::ascii_isdigit(static_cast<unsigned char>(c))) return c - '0';
  return absl::ascii_tolower(static_cast<unsigned char>(c)) - 'a' + 10;
}

// The code of up to `digits_max` digits; what was read is taken off.
char NumberedByte(std::string_view& text, size_t digits_max, int base) {
  int value = 0;
  for (size_t digits = 0; digits < digits_max && !text.empty(); ++digits) {
    if (!absl::ascii_isxdigit(static_cast<unsigned char>(text[0])) || DigitOf(text[0]) >= base) break;
    value = value * base + DigitOf(text[0]);
    text.remove_prefix(1);
  }
  return static_cast<char>(value);
}

// What follows a backslash; it is taken off.
char Unescape(std::string_view& text) {
  const char c = text[0];
  if (c >= '0' && c <= '7') return NumberedByte(text, 3, 8);
  text.remove_prefix(1);
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    case 'x':
      if (!text.empty() && absl::ascii_isxdigit(static_cast<unsigned char>(text[0]))) return NumberedByte(text, 2, 16);
      return 'x';
    default:
      return c;
  }
}

}  // namespace

CopyTextRow::CopyTextRow(std::string_view row) : rest_(row) {
  if (!rest_.empty() && rest_.back() == '\n') rest_.remove_suffix(1);
}

bool CopyTextRow::Next(std::string_view& column) {
  if (done_) return false;
  const size_t tab = rest_.find('\t');
  column = rest_.substr(0, tab);
  done_ = tab == std::string_view::npos;
  if (!done_) rest_.remove_prefix(tab + 1);
  return true;
}

void AppendCopyText(std::string_view column, std::string& out) {
  while (true) {
    const size_t backslash = column.find('\\');
    out.append(column.substr(0, backslash));
    if (backslash == std::string_view::npos || backslash + 1 == column.size()) return;
    column.remove_prefix(backslash + 1);
    out.push_back(Unescape(column));
  }
}

}  // namespace postrider::postgres
