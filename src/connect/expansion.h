// table.expand.json.payload: the schema of a JSON text is inferred and its value built, as Debezium's JsonSchemaData
// does.
//
// What Debezium leaves to chance or stops on is settled: schemas of an array's objects are merged in document order; an
// array at the top is expanded as a field holding it would be; where schema and value do not fit each other, nothing is
// expanded. Keeps its memory from payload to payload. One thread at a time. Tested by
// tests/unit/connect/expansion_test.cc, fuzzed by tests/fuzz/expansion_fuzz.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "connect/arena.h"
#include "connect/json_document.h"
#include "connect/schema.h"

namespace postrider::connect {

struct Expanded {
  const Schema* schema = nullptr;  // none for an empty array, whose value is its text: so Debezium has it
  Value value;
};

class Expansion {
 public:
  // `root_name` names the outermost struct: the payload's column. Nulls get no field, or an optional bytes field.
  Expansion(std::string_view root_name, bool nulls_as_optional_bytes)
      : root_name_(root_name), nulls_as_optional_bytes_(nulls_as_optional_bytes) {}

  // nullopt: the text stays a text. The result lives until the next call, and as long as what is in `arena`.
  std::optional<Expanded> Expand(std::string_view text, Arena& arena);

 private:
  std::string root_name_;
  std::string path_;
  bool nulls_as_optional_bytes_;
  JsonDocument document_;
};

}  // namespace postrider::connect
