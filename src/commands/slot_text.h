// The server's slots as a table for a terminal. Pure. Tested by tests/unit/commands/slot_text_test.cc.
#pragma once

#include <string>

#include "postgres/slot_report.h"

namespace postrider::commands {

// `name` is the slot that the configuration names: it comes first, marked with *, or is said to be missing. With
// `before`, a reading of some seconds ago, rates are shown too.
std::string SlotsAsText(const std::string& name, const postgres::SlotReport& now, const postgres::SlotReport* before);

}  // namespace postrider::commands
