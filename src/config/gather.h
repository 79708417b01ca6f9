// Files, environment and command line -> Settings in order of precedence, with the placeholders resolved.
// Used at start, one thread. Tested by tests/unit/config/gather_test.cc.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "config/draft.h"
#include "config/load.h"
#include "config/settings.h"

namespace postrider::config {

struct Gathered {
  Settings settings;
  std::function<Resolve(const Setting&)> resolver_of;           // for Secrets
  std::vector<std::pair<std::string, std::string>> unresolved;  // key, why
  std::vector<std::string> warnings;
};

// A fault kConfiguration for a file that cannot be read and for an ambiguous variable.
absl::StatusOr<Gathered> Gather(const Sources& sources);

}  // namespace postrider::config
