#include "connect/column_type.h"

#include "connect/binary_text.h"
#include "connect/default_value.h"
#include "connect/pg_type.h"
#include "connect/type_family.h"

namespace postrider::connect {
namespace {

// The text of JdbcValueConverters' fallback values.
std::string_view ZeroText(const ColumnType& type) {
  switch (type.oid) {
    case pg::kBool:
      return "f";
    case pg::kInt2:
    case pg::kInt4:
    case pg::kInt8:
    case pg::kOid:
    case pg::kFloat4:
    case pg::kFloat8:
    case pg::kNumeric:
    case pg::kMoney:
      return "0";
    case pg::kBytea:
      return "\\x";
    case pg::kBit:
    case pg::kVarbit:
      return type.schema->type == Type::kBoolean ? "0" : "";
    case pg::kDate:
    case pg::kTimestamp:
      return "1970-01-01";
    case pg::kTime:
      return "00:00:00";
    case pg::kTimetz:
      return "00:00:00+00";
    case pg::kPoint:
      return "(0,0)";
    default:
      return type.element != nullptr ? "{}" : "";
  }
}

}  // namespace

std::optional<ColumnType> CompileBare(const TypeInfo& type, bool optional, bool in_array, const config::Types& types,
                                      Arena& arena) {
  ColumnType column{.types = &types, .oid = type.oid, .kind = type.kind, .in_array = in_array};
  Schema schema;
  const bool known = CompileScalar(type, arena, schema, column) || CompileDecimal(type, arena, schema, column) ||
                     CompileTime(type, arena, schema, column) || CompileInterval(type, arena, schema, column) ||
                     CompileArray(type, arena, schema, column) || CompileMap(type, arena, schema, column) ||
                     CompileGeometry(type, arena, schema, column) || CompileUnknown(type, arena, schema, column);
  if (!known) return std::nullopt;
  if (optional) schema.optional = true;
  column.schema = arena.New(schema);
  return column;
}

std::optional<ColumnType> CompileColumnType(const ColumnFacts& facts, const config::Types& types, Arena& arena) {
  std::optional<ColumnType> column = CompileBare(facts.type, facts.optional, /*in_array=*/false, types, arena);
  if (!column || facts.is_domain || !facts.default_expression) return column;
  Schema schema = *column->schema;
  schema.default_value = ParseDefault(*column, facts.type.name, *facts.default_expression, arena);
  column->schema = arena.New(schema);
  return column;
}

Decoded Decode(const ColumnType& type, std::string_view bytes, bool binary, Arena& arena, Value& value) {
  value = Value{};
  if (!binary) return type.decode(type, bytes, arena, value);
  if (type.oid == pg::kBytea) {
    value = BinaryValue(type.types->binary, bytes, arena);
    return Decoded::kDone;
  }
  const std::optional<std::string_view> text = BinaryToText(type.oid, type.kind, bytes, arena);
  return text ? type.decode(type, *text, arena, value) : Decoded::kMalformed;
}

Value InsteadOfNull(const ColumnType& type, Arena& arena) {
  if (type.schema->default_value != nullptr) return *type.schema->default_value;
  if (type.oid == pg::kTimestamptz) return Value::String("1970-01-01T00:00:00Z");
  if (type.oid == pg::kName) return Value::String("");  // whose values are not read
  Value value;
  static_cast<void>(type.decode(type, ZeroText(type), arena, value));
  return value;
}

}  // namespace postrider::connect
