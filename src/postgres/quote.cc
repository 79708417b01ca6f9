#include "postgres/quote.h"

#include "absl/strings/str_cat.h"

namespace postrider::postgres {
namespace {

std::string Enclose(std::string_view text, char mark) {
  std::string quoted(1, mark);
  quoted.reserve(text.size() + 2);
  for (const char c : text) {
    if (c == '\0') continue;
    if (c == mark) quoted.push_back(mark);
    quoted.push_back(c);
  }
  quoted.push_back(mark);
  return quoted;
}

}  // namespace

std::string QuoteIdentifier(std::string_view name) {
  return Enclose(name, '"');
}

std::string QuoteLiteral(std::string_view value) {
  return Enclose(value, '\'');
}

std::string QuoteTable(std::string_view schema, std::string_view table) {
  return absl::StrCat(QuoteIdentifier(schema), ".", QuoteIdentifier(table));
}

}  // namespace postrider::postgres
