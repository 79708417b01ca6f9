// The lists of TableSelection as filters. Pure. Tested by tests/unit/config/selection_test.cc.
#pragma once

#include "absl/status/statusor.h"
#include "base/table_filter.h"
#include "config/config.h"

namespace postrider::config {

// Over "schema.table": which tables are captured. A fault kConfiguration where an expression cannot be compiled.
absl::StatusOr<TableFilter> TablesOf(const TableSelection& selection);
// Over "schema.table.column".
absl::StatusOr<TableFilter> ColumnsOf(const TableSelection& selection);

}  // namespace postrider::config
