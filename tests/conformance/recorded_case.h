// The recorded cases (cases/*.json) and the pgoutput messages captured for them (captured.json.gz, by capture.py), as
// the tests take them.
//
// Files that are not as they should be end the test program with a message.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/table.h"

namespace postrider::conformance {

using Bytes = std::optional<std::string>;  // nullopt: null

struct RecordedRecord {
  std::string topic;
  std::optional<int> partition;  // nullopt where the key is null: any will do
  Bytes key, value;
  std::vector<std::pair<std::string, Bytes>> headers;
  std::optional<int64_t> timestamp_ms;  // nullopt: the clock's
};

struct RecordedCase {
  std::string name;
  std::map<std::string, std::string> config;  // with the base that all recordings share
  std::vector<RecordedRecord> records;
  bool stops = false;
  std::vector<std::string> says;
};

struct CapturedMessage {
  std::string data;
  std::optional<Table> table;  // with a Relation
};

struct Capture {
  std::vector<CapturedMessage> setup, sql;
};

RecordedCase LoadCase(const std::string& path);
std::map<std::string, Capture> LoadCaptures(const std::string& path);

}  // namespace postrider::conformance
