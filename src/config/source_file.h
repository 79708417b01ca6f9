// One file of the command line -> its entries, whichever of the two forms it has.
//
// `.properties` and `.json` by the name's end; anything else, and "-" (standard input), by the first byte that is not
// blank: `{` is JSON. Blocking; at start only. Tested by tests/unit/config/source_file_test.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "config/properties.h"

namespace postrider::config {

inline constexpr size_t kFileBytesMax = 1024 * 1024;

// The whole of a file of at most kFileBytesMax. The error says what is wrong with it, without its name: "does not
// exist".
absl::StatusOr<std::string> ReadSmallFile(const std::string& path);

// A fault kConfiguration that names the file, and the line where there is one.
absl::StatusOr<std::vector<Entry>> ReadSourceFile(const std::string& path);

// The same for text that is at hand. `path` names it and decides by its end.
absl::StatusOr<std::vector<Entry>> ParseSource(const std::string& path, std::string_view text);

}  // namespace postrider::config
