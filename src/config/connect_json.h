// A connector's configuration as Kafka Connect's REST interface takes and gives it.
//
// Either a flat object (the body of PUT /connectors/NAME/config) or {"name": ..., "config": {...}} (the body of POST
// /connectors, the answer of GET /connectors/NAME with its "tasks" and "type"). Numbers and booleans become their text
// as written, null is a key that is not given; lists and objects as values are errors. Pure function, any thread.
// Format: Kafka documentation, "Connect REST API". Tested by tests/unit/config/connect_json_test.cc.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "config/properties.h"

namespace postrider::config {

// InvalidArgument beginning with "line N, column M: ".
absl::StatusOr<std::vector<Entry>> ParseConnectJson(std::string_view text);

}  // namespace postrider::config
