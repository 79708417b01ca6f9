// The known name that a mistyped one was probably meant to be, by edit distance (insert, delete, replace, swap
// neighbours).
//
// Empty when none is near: more than a third of the name's letters would have to change. The result is one of `known`.
// Tested by tests/unit/base/nearest_name_test.cc.
#pragma once

#include <string_view>
#include <vector>

namespace postrider {

std::string_view NearestName(std::string_view name, const std::vector<std::string_view>& known);

}  // namespace postrider
