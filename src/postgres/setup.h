// `postrider setup` in the database: publication first, then the rights that are missing, then the slot.
//
// What exists is left alone, so it may be run again. The slot is made only where nothing is lost by it: a slot that
// exists is taken over by `run` where it stands, without a snapshot, so while the tables have rows that a first start
// would publish (snapshot.mode), it is left to that start; and where the evidence record shows an earlier start,
// nothing is made, as `run` makes nothing there. Inside postgres/ only; blocking. Tested by
// tests/unit/postgres/survey_test.cc (needs a server) and tests/e2e/test_check.py.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "base/finding.h"
#include "base/table_filter.h"
#include "base/wakeup.h"
#include "config/config.h"
#include "evidence/record.h"
#include "postgres/facts.h"

namespace postrider::postgres {

struct SetupInput {
  const config::Config& config;
  const TableFilter& filter;
  const DatabaseFacts& facts;
};

// With `print` nothing is done, and the steps have the statements.
SetupSteps SetUpDatabase(const SetupInput& input, const absl::StatusOr<std::optional<evidence::Record>>& record,
                         const std::string& place, bool print, const Wakeup* stop);

}  // namespace postrider::postgres
