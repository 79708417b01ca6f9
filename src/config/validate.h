// Every setting against its row of the table of keys: unknown keys, values that are not allowed, keys that are refused.
// Tested by tests/unit/config/validate_test.cc.
#pragma once

#include "config/draft.h"

namespace postrider::config {

void Validate(Draft& draft);

// "a number from 1 to 65535", "one of no_data, initial", "true or false": what a row allows, as the end of a sentence.
std::string Allowed(const KeySpec& spec);

}  // namespace postrider::config
