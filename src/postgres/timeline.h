// The history file of a timeline, as TIMELINE_HISTORY sends it. Pure. Tested by tests/unit/postgres/timeline_test.cc.
#pragma once

#include <cstdint>
#include <string_view>

#include "decoder/lsn.h"

namespace postrider::postgres {

// Where `timeline`, or where it is no ancestor the last one before it, was left for the next. The file has a line for
// each ancestor, the oldest first: its number, a tab, that position, a tab, a reason; lines may be empty or begin with
// "#" (src/backend/access/transam/timeline.c, readTimeLineHistory). Zero where no line tells.
Lsn EndOfTimeline(std::string_view history, uint32_t timeline);

}  // namespace postrider::postgres
