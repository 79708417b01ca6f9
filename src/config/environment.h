// POSTRIDER_* variables -> settings.
//
// A variable is a key in capitals with `_` for every other character, a leading `postrider.` dropped:
// POSTRIDER_DATABASE_HOSTNAME is database.hostname, POSTRIDER_LOG_LEVEL is postrider.log.level. It is matched against
// the table of keys (with the aliases that the settings define) and the keys that are already there. Unknown: a
// warning. Two keys that fit: an error. Used at start, one thread. Tested by tests/unit/config/environment_test.cc.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "config/settings.h"

namespace postrider::config {

// "database.hostname" -> "POSTRIDER_DATABASE_HOSTNAME"
std::string VariableOf(std::string_view key);

// Puts the settings that the variables give. Appends a sentence to `warnings` for each unknown one. A fault
// kConfiguration for an ambiguous one.
absl::Status ApplyEnvironment(const std::vector<std::pair<std::string, std::string>>& environment, Settings& settings,
                              std::vector<std::string>& warnings);

}  // namespace postrider::config
