// Small text helpers of config/: lists and numbers as Java's side writes them, and abseil's functions for
// std::string_view. Pure, any thread. Tested by tests/unit/config/text_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/text.h"

namespace postrider::config {

// Items between commas, trimmed, empty ones left out (Kafka's LIST).
std::vector<std::string> SplitList(std::string_view text);

// `true` or `false`, any case, blanks around; nullopt otherwise (Debezium's Field.isBoolean).
std::optional<bool> ParseFlag(std::string_view text);

// A whole decimal number with blanks around; nullopt otherwise or beyond 64 bits.
std::optional<int64_t> ParseNumber(std::string_view text);

// The pieces between separators, empty ones too; one empty piece for empty text. Views into `text`.
std::vector<std::string_view> Split(std::string_view text, char separator);

// Whether a topic's name may hold all of its characters.
bool HasTopicCharacters(std::string_view text);

std::string_view Trim(std::string_view text);
bool EqualsIgnoreCase(std::string_view a, std::string_view b);
std::string ToLower(std::string_view text);
std::string ToUpper(std::string_view text);
inline bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Cut `part` off the front or the end of `text`; false where it is not there.
bool ConsumePrefix(std::string_view& text, std::string_view part);
bool ConsumeSuffix(std::string_view& text, std::string_view part);

// absl::StrCat and absl::StrAppend, for pieces that may be std::string_view.
template <typename T>
decltype(auto) Piece(const T& piece) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    return View(piece);
  } else {
    return (piece);
  }
}
template <typename... Pieces>
std::string Cat(const Pieces&... pieces) {
  return absl::StrCat(Piece(pieces)...);
}
template <typename... Pieces>
void Append(std::string& text, const Pieces&... pieces) {
  absl::StrAppend(&text, Piece(pieces)...);
}

}  // namespace postrider::config
