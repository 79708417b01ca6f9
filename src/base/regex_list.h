// A comma list of regular expressions, as Debezium's include and exclude lists are written.
//
// A comma after a backslash belongs to its expression (`a{1\,2}`); a backslash hides whatever follows it, so that in
// `\\,` the comma separates. Items are trimmed, empty ones left out, and `\,` is given as `,`. Pure, any thread. Tested
// by tests/unit/base/regex_list_test.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace postrider {

std::vector<std::string> SplitRegexList(std::string_view list);

}  // namespace postrider
