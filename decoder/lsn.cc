#include "decoder/lsn.h"

#include <charconv>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace postrider {
namespace {

constexpr size_t kQuotedBytesMax = 64;

// One half of an LSN: 1 to 8 hexadecimal digits, without a sign or a prefix.
std::optional<uint32_t> ParseHalf(std::string_view digits) {
  if (digits.empty() || digits.size() > 8) return std::nullopt;
  uint32_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value, 16);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

}  // namespace

absl::StatusOr<Lsn> Lsn::Parse(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const auto high = ParseHalf(text.substr(0, slash));
    const auto low = ParseHalf(text.substr(slash + 1));
    if (high && low) return Lsn(uint64_t{*high} << 32 | *low);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", absl::CHexEscape(std::string(text.substr(0, kQuotedBytesMax))),
                   "' is no LSN: two hexadecimal numbers with a slash between, as in 16/B374D848"));
}

std::string Lsn::ToString() const {
  return absl::StrFormat("%X/%X", static_cast<uint32_t>(value_ >> 32), static_cast<uint32_t>(value_));
}

}  // namespace postrider
