// The Connect schema of a JSON document, and the document as a value of it. Inside connect/ only: expansion.h is for
// others.
//
// Source: Debezium 3.6.1, transforms/outbox/JsonSchemaData.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "connect/arena.h"
#include "connect/json_document.h"
#include "connect/schema.h"

namespace postrider::connect {

class Inference {
 public:
  // `path` begins as the name of the outermost struct; it is the caller's so that its memory is kept.
  Inference(std::string& path, bool nulls_as_optional_bytes, Arena& arena)
      : path_(path), nulls_as_optional_bytes_(nulls_as_optional_bytes), arena_(arena) {}

  // In the arena. nullptr where there is none: a null, an empty array; or where the document has no schema at all.
  const Schema* SchemaOf(const JsonNode& node);
  bool failed() const { return failed_; }

 private:
  const Schema* StructOf(std::span<const JsonMember> members);
  const Schema* ElementOf(std::span<const JsonNode> elements);
  const Schema* MergedStructOf(std::span<const JsonNode> elements);
  const Schema* WithoutPath(const JsonNode& node);
  // nullptr as SchemaOf, with ".name" added to the path meanwhile.
  const Schema* MemberOf(const JsonMember& member);
  const Schema* Fail();

  std::string& path_;  // the name of a struct here; empty: it has none
  bool nulls_as_optional_bytes_;
  Arena& arena_;
  bool failed_ = false;
};

// False where it is no value of that schema. `value` is null before.
bool SetValue(const JsonNode& node, const Schema& schema, Arena& arena, Value& value);

}  // namespace postrider::connect
