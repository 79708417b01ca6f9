// The fault that a connector gives while another relay of ours has the slot. For tests only.
//
// Declared again, because postgres/slot.h, where it lives, needs libpq's headers, and nothing outside of postgres/ has
// them.
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace postrider::postgres {

absl::Status StandbyFault(std::string_view sentence);

}  // namespace postrider::postgres
