// org.apache.kafka.connect.json.JsonConverter: schemas and values as JSON, byte for byte.
//
// Compact, fields in the schema's order, nulls written. Append to `out`; never fail: what Connect would refuse (null
// where the schema requires a value) is kept from here by the caller. Pure. Tested by
// tests/unit/connect/json_converter_test.cc.
#pragma once

#include "connect/arena.h"
#include "connect/buffer.h"
#include "connect/schema.h"

namespace postrider::connect {

struct JsonOptions {
  bool decimal_numeric = false;           // decimal.format=NUMERIC
  bool replace_null_with_default = true;  // replace.null.with.default
};

// `null` where there is no schema.
void AppendJsonSchema(const Schema* schema, const JsonOptions& options, Buffer& out);
void AppendJsonValue(const Schema* schema, const Value& value, const JsonOptions& options, Buffer& out);

// The schema with its JSON kept beside it, in `arena`: for schemas that are part of many others.
const Schema* WithJson(const Schema& schema, const JsonOptions& options, Arena& arena);

}  // namespace postrider::connect
