// How the values of one column become Connect values: Debezium's PostgresValueConverter, compiled once for a column.
//
//   std::optional<ColumnType> type = CompileColumnType(facts, types, plan_arena);
//   switch (Decode(*type, bytes, /*binary=*/false, event_arena, value)) ...
//
// Rules: Debezium 3.6.1, connector/postgresql/PostgresValueConverter and io.debezium.jdbc.JdbcValueConverters. A
// ColumnType is plain data and lives as long as the arena it was compiled into and the config::Types that it was given.
// Tested by tests/unit/connect/column_type_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/table.h"
#include "config/config.h"
#include "connect/arena.h"
#include "connect/schema.h"

namespace postrider::connect {

enum class Decoded {
  kDone,
  // The type cannot express it (numeric's NaN where decimals are precise): Debezium warns and sends null.
  kUnconvertible,
  // Not the text of such a value: the session's output settings are wrong, or the bytes are.
  kMalformed,
};

struct ColumnType {
  using DecodeText = Decoded (*)(const ColumnType& type, std::string_view text, Arena& arena, Value& value);

  const Schema* schema = nullptr;
  DecodeText decode = nullptr;
  const config::Types* types = nullptr;
  uint32_t oid = 0;    // of the base type, for the binary format
  char kind = 'b';     // as in TypeInfo
  int32_t length = 0;  // bit: how many; numeric: the precision
  int32_t scale = 0;   // numeric: the scale; times: digits of the fraction
  bool in_array = false;
  const ColumnType* element = nullptr;  // arrays
};

struct ColumnFacts {
  const TypeInfo& type;
  bool optional = true;
  // The column's own type is a domain over `type`: Debezium then knows no default.
  bool is_domain = false;
  std::optional<std::string_view> default_expression;  // pg_get_expr
};

// nullopt where Debezium leaves such a column out of the record. `types` outlives the result.
std::optional<ColumnType> CompileColumnType(const ColumnFacts& facts, const config::Types& types, Arena& arena);

// One value that is not null; the result may be, for types whose values Debezium does not read. On kUnconvertible it is
// null. What it points to lives as long as `bytes` and what is in `arena`. kMalformed also for a type whose binary
// format is not known.
Decoded Decode(const ColumnType& type, std::string_view bytes, bool binary, Arena& arena, Value& value);

// What Debezium sends for a null in a column that the catalogue now calls NOT NULL: the default, or else a zero of the
// type.
Value InsteadOfNull(const ColumnType& type, Arena& arena);

}  // namespace postrider::connect
