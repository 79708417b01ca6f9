// The captured tables against the configuration, as `run` compares them at its start: columns and their types, what a
// predicate or filter keeps from the Event Router. Pure. Tested by tests/unit/check/tables_test.cc.
#pragma once

#include <string>
#include <vector>

#include "base/finding.h"
#include "base/table.h"
#include "config/config.h"

namespace postrider::check {

// One finding a table; a failure alone where the configuration's expressions cannot be used.
Findings CheckTables(const config::Config& config, const std::vector<Table>& tables);

}  // namespace postrider::check
