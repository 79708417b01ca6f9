// A JSON text as Jackson's ObjectMapper.readTree reads it.
//
// Only an object or an array at the very beginning; what follows it is not looked at. Of a name that repeats the last
// value counts, at the place of the first. Jackson's limits: 1000 levels, 1000 digits a number, 50,000 bytes a name,
// 20,000,000 a string. A reader of our own, because RapidJSON's refuses numbers beyond a double and halves of surrogate
// pairs, which Jackson takes, and Debezium with it. Tested by tests/unit/connect/json_document_test.cc, fuzzed by
// tests/fuzz/expansion_fuzz.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "connect/arena.h"

namespace postrider::connect {

struct JsonMember;

struct JsonNode {
  enum class Kind : uint8_t { kNull, kBoolean, kInt, kLong, kBigInteger, kDouble, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  bool in_quotes = false;  // kString: as Value::in_quotes
  union {
    int64_t integer = 0;  // kBoolean, kInt, kLong
    double real;          // kDouble; beyond its range: infinite
  };
  const void* data = nullptr;
  size_t size = 0;

  std::string_view text() const { return {static_cast<const char*>(data), size}; }  // kString
  std::span<const JsonNode> elements() const;                                       // kArray
  std::span<const JsonMember> members() const;  // kObject: in document order, each name once
};

struct JsonMember {
  std::string_view name;
  bool name_in_quotes = false;
  JsonNode value;
};

inline std::span<const JsonNode> JsonNode::elements() const {
  return {static_cast<const JsonNode*>(data), size};
}
inline std::span<const JsonMember> JsonNode::members() const {
  return {static_cast<const JsonMember*>(data), size};
}

// Keeps its memory from text to text. One thread at a time.
class JsonDocument {
 public:
  // nullptr where the text is not such JSON. The nodes live until the next call, and as long as `text` and what is in
  // `arena`. Half a surrogate pair becomes the three bytes that UTF-8 would have for it.
  const JsonNode* Parse(std::string_view text, Arena& arena);

 private:
  // Members of open containers wait here until their container closes.
  std::vector<JsonMember> stack_;
};

}  // namespace postrider::connect
