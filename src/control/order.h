// An order as a line of text, and a report as text or JSON. Pure. Tested by tests/unit/control/order_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "relay/desk.h"

namespace postrider::control {

struct Request {
  relay::Order order;
  enum class View { kDone, kList, kJson, kShow } view = View::kDone;  // how the report is told
};

// "list", "list-json", "show ID", "retry", "park ID", "skip ID", "release WORD", "pause", "resume". InvalidArgument for
// any other line.
absl::StatusOr<Request> ParseRequest(std::string_view line);

// What the operator reads. `wall_ms`: the time of report.now_us. No payload stands in it.
std::string Render(const Request& request, const relay::Report& report, int64_t wall_ms);

}  // namespace postrider::control
