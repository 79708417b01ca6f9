// A record as a person, or a program, reads it on standard output. Pure. Tested by
// tests/unit/commands/record_text_test.cc.
#pragma once

#include <string>

#include "base/record.h"

namespace postrider::commands {

// Topic, key, partition and time on a line; then a line for each header, and the value. What is no text is shown as
// base64:....
std::string RecordAsText(const Record& record);

// One JSON object and a newline: {"topic", "key", "value", "headers": [{"key", "value"}], "timestamp_ms", "partition"};
// bytes that are no text as {"base64": ...}, none as null.
std::string RecordAsJson(const Record& record);

}  // namespace postrider::commands
