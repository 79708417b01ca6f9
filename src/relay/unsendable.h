// Tells a row that the server itself cannot send (bytes that are no UTF-8 in a SQL_ASCII database, a message above 1
// GB) from a fault that passes: the same error of the stream, at the same position, three times in a row.
//
// The stream cannot get past such a row, and Postrider does not go over it by itself. Loop's thread. Tested by
// tests/unit/relay/operator_test.cc. Source: the walsender's errors carry "associated LSN" (logical.c,
// output_plugin_error_callback).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "decoder/lsn.h"
#include "relay/desk.h"

namespace postrider::relay {

class UnsendableRow {
 public:
  explicit UnsendableRow(std::string slot) : slot_(std::move(slot)) {}

  // The stream ended. `commit_lsn`: of the transaction that was open, zero where none was; `rows`: how many of its rows
  // had come.
  void StreamEnded(const absl::Status& status, Lsn commit_lsn, uint32_t rows);
  // The stream has come further than that.
  void Passed();

  const std::optional<Unsendable>& found() const { return found_; }

 private:
  const std::string slot_;
  std::string error_;
  int times_ = 0;
  std::optional<Unsendable> found_;
};

}  // namespace postrider::relay
