// The evidence record: that, and how far, a slot was read before. It tells a first start from a lost slot, and is never
// used as an offset.
//
// One JSON object of a fixed size on disk, so that it can be written over in place:
//   {"format":1,"system_identifier":"7340...","timeline":1,"slot":"debezium","lsn":"0/16B3748","time":"2026-01-31T12:00:00.000Z"}
// `lsn` is at or beyond every position that this relay told the server to confirm. After `postrider handback` it has
// "handed_back":true as well: from there on another program reads the slot. Plain data, any thread. Tested by
// tests/unit/evidence/record_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "decoder/lsn.h"

namespace postrider::evidence {

struct Record {
  std::string system_identifier;  // pg_control_system(); decimal
  uint32_t timeline = 0;
  std::string slot;
  Lsn lsn;
  int64_t time_ms = 0;       // since 1970, when it was written
  bool handed_back = false;  // the slot may be ahead, and has to be there
  friend bool operator==(const Record&, const Record&) = default;
};

std::string FormatRecord(const Record& record);
// InvalidArgument, with what is wrong, for anything that FormatRecord does not write; blanks around it are allowed.
absl::StatusOr<Record> ParseRecord(std::string_view text);

}  // namespace postrider::evidence
