// What a running relay takes from its configuration files when they are read again (SIGHUP).
//
// It takes the log level, thresholds, the policy for events that cannot be published, and secrets. Where any other key
// has changed nothing at all is taken, and that key is named: half a file would be a configuration that nobody wrote.
// A key that means nothing here may change freely. Pure. Tested by tests/unit/config/reload_test.cc.
#pragma once

#include <string>
#include <vector>

#include "config/load.h"

namespace postrider::config {

struct Changes {
  std::vector<std::string> taken;          // keys as the user knows them, in the order of their names
  std::vector<std::string> needs_restart;  // likewise; where there is one nothing is to be taken
};

// From the keys that hold now to those of the files as they are now.
Changes Compare(const std::vector<GivenKey>& now, const std::vector<GivenKey>& next);

// `now` becomes `next`; the Secrets that were made with `now` read the texts of `next` from here on. Only where nothing
// needs a restart.
void TakeKeys(std::vector<GivenKey>& now, const std::vector<GivenKey>& next);

}  // namespace postrider::config
