// Whether the evidence record can be kept where the configuration says, as the user that runs the check. Looks, and
// writes nothing. Tested by tests/unit/check/evidence_place_test.cc.
#pragma once

#include "base/finding.h"
#include "config/config.h"

namespace postrider::check {

// One finding; a topic is looked at with the other topics, so none for it.
Findings CheckEvidencePlace(const config::Evidence& evidence);

}  // namespace postrider::check
