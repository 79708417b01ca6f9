// What the configuration itself has to say: config::Inspect as findings. Pure. Tested by
// tests/unit/check/configuration_test.cc.
#pragma once

#include "base/finding.h"
#include "config/load.h"

namespace postrider::check {

// One finding for each problem and each warning; one that passes where there is neither.
Findings CheckConfiguration(const config::Inspection& inspection);

}  // namespace postrider::check
