// After a failover to a standby that did not have everything: which events in Kafka belong to transactions that are
// gone. Tested by tests/unit/relay/relay_test.cc and tests/e2e/test_failover.py.
#pragma once

#include <string>

#include "postgres/connector.h"
#include "relay/stats.h"
#include "relay/tracker.h"

namespace postrider::relay {

// Counts them where this process published them, and says so; where an earlier one did, it says how far that had read.
// Silent where there are none. `tracker` still knows the old timeline.
void TellVanished(const postgres::TimelineFork& fork, const Tracker& tracker, const std::string& slot, Stats& stats);

}  // namespace postrider::relay
