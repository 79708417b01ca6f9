#include "config/text.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"

namespace postrider::config {

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    pieces.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return pieces;
}

std::vector<std::string> SplitList(std::string_view text) {
  std::vector<std::string> items;
  for (const std::string_view piece : Split(text, ',')) {
    const std::string_view item = Trim(piece);
    if (!item.empty()) items.emplace_back(item);
  }
  return items;
}

std::optional<bool> ParseFlag(std::string_view text) {
  const std::string_view trimmed = Trim(text);
  if (EqualsIgnoreCase(trimmed, "true")) return true;
  if (EqualsIgnoreCase(trimmed, "false")) return false;
  return std::nullopt;
}

std::optional<int64_t> ParseNumber(std::string_view text) {
  int64_t value = 0;
  if (!absl::SimpleAtoi(View(text), &value)) return std::nullopt;
  return value;
}

bool HasTopicCharacters(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-'; });
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && absl::ascii_isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && absl::ascii_isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase(View(a), View(b));
}
std::string ToLower(std::string_view text) {
  return absl::AsciiStrToLower(View(text));
}
std::string ToUpper(std::string_view text) {
  return absl::AsciiStrToUpper(View(text));
}

bool ConsumePrefix(std::string_view& text, std::string_view part) {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
}

bool ConsumeSuffix(std::string_view& text, std::string_view part) {
  if (!text.ends_with(part)) return false;
  text.remove_suffix(part.size());
  return true;
}

}  // namespace postrider::config
