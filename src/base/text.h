// Debian builds abseil with a string_view of its own, to which std::string_view does not convert: View() goes between.
//
//   absl::InvalidArgumentError(absl::StrCat("no column named ", View(name)));
//
// The result lives as long as the bytes of `text`.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace postrider {

inline absl::string_view View(std::string_view text) {
  return {text.data(), text.size()};
}

// The other way, for the text of a status. Lives as long as the status.
inline std::string_view MessageOf(const absl::Status& status) {
  return {status.message().data(), status.message().size()};
}

}  // namespace postrider
