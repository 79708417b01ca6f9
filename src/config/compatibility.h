// COMPATIBILITY.md, made from the tables of keys and classes, so that the two cannot drift apart: a test compares the
// file with this. Tested by tests/unit/config/compatibility_test.cc.
#pragma once

#include <string>

namespace postrider::config {

std::string CompatibilityText();

}  // namespace postrider::config
