// One captured run, replayed through decoder, router and converters: what the relay would publish for it.
#pragma once

#include <string>
#include <vector>

#include "recorded_case.h"

namespace postrider::conformance {

struct Replayed {
  std::vector<RecordedRecord> records;  // in the order of the stream; no partition but where a column sets it
  bool stopped = false;                 // refused, or held at an event
  std::string reason;
};

// The time that the replay takes for its clock.
inline constexpr int64_t kNowMs = 1'800'000'000'000;

Replayed Replay(const RecordedCase& recorded, const Capture& capture);

}  // namespace postrider::conformance
