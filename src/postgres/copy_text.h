// One row of COPY TO STDOUT in text format (PostgreSQL manual, COPY, "Text Format"): columns between tabs, \N for NULL,
// backslash escapes for the characters that would be taken for something else.
//
// Pure. Tested by tests/unit/postgres/copy_text_test.cc.
#pragma once

#include <string>
#include <string_view>

namespace postrider::postgres {

// Takes the columns of one row off, one after the other. The row outlives it.
class CopyTextRow {
 public:
  // The line break at the end may be there or not.
  explicit CopyTextRow(std::string_view row);

  // The next column as it stands in the row; false when there is none. A row has at least one, which may be empty.
  bool Next(std::string_view& column);

 private:
  std::string_view rest_;
  bool done_ = false;
};

inline bool IsCopyNull(std::string_view column) {
  return column == "\\N";
}

// Appends the column's value: its escapes undone.
void AppendCopyText(std::string_view column, std::string& out);

}  // namespace postrider::postgres
