// What `postrider config` prints. Tested by tests/unit/config/report_test.cc.
#pragma once

#include <string>
#include <string_view>

#include "config/load.h"

namespace postrider::config {

// A table (key, value, origin, outcome, librdkafka's property, remark), then warnings and problems, one line each. No
// secret is in it.
std::string FormatReport(const Inspection& inspection);

std::string_view OutcomeName(KeyOutcome outcome);

}  // namespace postrider::config
