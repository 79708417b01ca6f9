// The other end of control/server.h: one order to the relay that listens at `path`, and its answer. Blocks for ten
// seconds at the most. Tested by tests/unit/control/server_test.cc.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace postrider::control {

// The text of the answer. Unavailable: no relay listens there; FailedPrecondition: it refuses, with its sentence.
absl::StatusOr<std::string> Send(const std::string& path, std::string_view line);

}  // namespace postrider::control
