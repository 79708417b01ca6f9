// Kafka Connect's Values.parseString for what an InsertHeader may hold: a text becomes a schema and a value.
//
// `null`, `true`, `false`; whole numbers in the smallest type from int8 to int64 that holds them; other numbers as
// float, double or Decimal; 2026-01-02, 03:04:05.678Z and 2026-01-02T03:04:05.678Z as Date, Time and Timestamp in UTC;
// anything else is a string, with its blanks. As in Connect a number ends at the first of `,:"[]{}`: "12,5" is 12.
//
// Source: Kafka 4.3, org.apache.kafka.connect.data.Values. Used at start. Tested by tests/unit/connect/literal_test.cc,
// against what Kafka itself answers.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "connect/arena.h"
#include "connect/schema.h"

namespace postrider::connect {

struct Literal {
  const Schema* schema = nullptr;  // null for `null`
  Value value;
};

// The result lives as long as `text` and `arena`. InvalidArgument, the end of a sentence, for what Connect reads and we
// do not: lists, maps, digits other than 0 to 9, dates and times in another form, numbers beyond 1E+10000.
absl::StatusOr<Literal> ParseLiteral(std::string_view text, Arena& arena);

}  // namespace postrider::connect
