#include "base/fault.h"

#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "base/check.h"
#include "base/text.h"

namespace postrider {
namespace {
constexpr std::string_view kPayloadUrl = "postrider/fault";
}

absl::Status MakeFault(Fault fault, std::string_view message) {
  absl::Status status(fault == Fault::kPassing ? absl::StatusCode::kUnavailable : absl::StatusCode::kFailedPrecondition,
                      View(message));
  status.SetPayload(View(kPayloadUrl), absl::Cord(std::to_string(static_cast<int>(fault))));
  return status;
}

Fault FaultOf(const absl::Status& status) {
  POSTRIDER_CHECK(!status.ok());
  auto payload = status.GetPayload(View(kPayloadUrl));
  int value = 0;
  if (!payload || !absl::SimpleAtoi(std::string(*payload), &value)) return Fault::kInternal;
  return static_cast<Fault>(value);
}

}  // namespace postrider
