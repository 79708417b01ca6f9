#include "config/report.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "config/text.h"

namespace postrider::config {
namespace {

constexpr size_t kColumns = 6;
// A cell that is wider than this does not push its whole column.
constexpr size_t kCellWidthMax = 60;

using Line = std::array<std::string, kColumns>;

// Characters, not bytes: a continuation byte of UTF-8 takes no place.
size_t WidthOf(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string FormatTable(const std::vector<Line>& lines) {
  std::array<size_t, kColumns> widths{};
  for (const Line& line : lines) {
    for (size_t column = 0; column < kColumns; ++column)
      widths[column] = std::max(widths[column], std::min(WidthOf(line[column]), kCellWidthMax));
  }
  std::string text;
  for (const Line& line : lines) {
    std::string row;
    for (size_t column = 0; column < kColumns; ++column) {
      const size_t width = WidthOf(line[column]);
      Append(row, line[column], std::string(width < widths[column] ? widths[column] - width : 0, ' '), "  ");
    }
    absl::StripTrailingAsciiWhitespace(&row);
    Append(text, row, "\n");
  }
  return text;
}

}  // namespace

std::string_view OutcomeName(KeyOutcome outcome) {
  switch (outcome) {
    case KeyOutcome::kHonoured:
      return "honoured";
    case KeyOutcome::kMeaningless:
      return "meaningless";
    case KeyOutcome::kRefused:
      return "refused";
    case KeyOutcome::kUnknown:
      return "unknown";
  }
  return "unknown";
}

std::string FormatReport(const Inspection& inspection) {
  std::vector<Line> lines = {{"KEY", "VALUE", "FROM", "OUTCOME", "LIBRDKAFKA", "REMARK"}};
  for (const KeyReport& key : inspection.keys)
    lines.push_back(
        {key.key, key.value, key.origin, std::string(OutcomeName(key.outcome)), key.librdkafka, key.remark});
  std::string text = inspection.keys.empty() ? "" : FormatTable(lines);
  for (const std::string& warning : inspection.warnings) Append(text, "warning: ", warning, "\n");
  for (const std::string& problem : inspection.problems) Append(text, "error: ", problem, "\n");
  if (inspection.problems.empty() && !inspection.status.ok())
    Append(text, "error: ", inspection.status.message(), "\n");
  return text;
}

}  // namespace postrider::config
