// numeric and money under decimal.handling.mode.
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/text.h"
#include "connect/java_number.h"
#include "connect/pg_type.h"
#include "connect/type_family.h"

namespace postrider::connect {
namespace {

using config::DecimalMode;

// `decimal` in the form that the mode asks for. SpecialValueDecimal.fromLogical.
Value InMode(DecimalMode mode, const Value& decimal, Arena& arena) {
  switch (mode) {
    case DecimalMode::kPrecise:
      return decimal;
    case DecimalMode::kString:
      return Value::String(arena.Compose([&](Buffer& out) { AppendPlainDecimal(decimal, out); }));
    case DecimalMode::kDouble:
      return Value::Double(DecimalToDouble(decimal));
  }
  return {};
}

// NaN and the infinities, spelled as Debezium's enum where the mode is string.
struct Special {
  std::string_view text, name;
  double real;
};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Special kSpecials[] = {{"NaN", "NAN", std::numeric_limits<double>::quiet_NaN()},
                                 {"Infinity", "POSITIVE_INFINITY", kInfinity},
                                 {"-Infinity", "NEGATIVE_INFINITY", -kInfinity}};

Decoded DecodeSpecial(DecimalMode mode, const Special& special, Value& value) {
  switch (mode) {
    case DecimalMode::kPrecise:
      return Decoded::kUnconvertible;
    case DecimalMode::kString:
      value = Value::String(special.name);
      return Decoded::kDone;
    case DecimalMode::kDouble:
      value = Value::Double(special.real);
      return Decoded::kDone;
  }
  return Decoded::kUnconvertible;
}

bool HasScale(const ColumnType& type) {
  return type.length > 0;
}

Decoded DecodeNumeric(const ColumnType& type, std::string_view text, Arena& arena, Value& value) {
  const DecimalMode mode = type.types->decimal;
  for (const Special& special : kSpecials) {
    if (text == special.text) return type.in_array ? Decoded::kUnconvertible : DecodeSpecial(mode, special, value);
  }
  std::optional<Value> decimal = ParseDecimal(text, arena);
  if (!decimal) return Decoded::kMalformed;
  if (HasScale(type)) decimal = WithScale(*decimal, type.scale, arena);
  if (!decimal) return Decoded::kUnconvertible;  // a default with more digits than the column has
  if (HasScale(type) || mode != DecimalMode::kPrecise) {
    value = InMode(mode, *decimal, arena);
    return Decoded::kDone;
  }
  // VariableScaleDecimal
  const Value stripped = WithoutTrailingZeros(*decimal, arena);
  std::span<Value> items = arena.NewSpan<Value>(2);
  items[0] = Value::Integer(stripped.integer);
  items[1] = Value::ByteArray(arena.Compose([&](Buffer& out) { AppendUnscaledBytes(stripped, out); }));
  value = Value::Struct(items);
  return Decoded::kDone;
}

// PostgresMoney.removeCurrencySymbol: "$1,234.56", "-$0.05", "($0.05)".
std::string WithoutCurrency(std::string_view text) {
  const bool negative = text.starts_with('-') || text.starts_with('(');
  if (negative) text.remove_prefix(1);
  if (text.ends_with(')')) text.remove_suffix(1);
  if (!text.empty() && (text[0] < '0' || text[0] > '9') && text[0] != '.') {
    text.remove_prefix(1);
    while (!text.empty() && (static_cast<unsigned char>(text[0]) & 0xc0) == 0x80) text.remove_prefix(1);
  }
  std::string digits = negative ? "-" : "";
  for (const char c : text) {
    if (c != ',') digits.push_back(c);
  }
  return digits;
}

Decoded DecodeMoney(const ColumnType& type, std::string_view text, Arena& arena, Value& value) {
  const std::optional<Value> decimal = ParseDecimal(WithoutCurrency(text), arena);
  if (!decimal) return Decoded::kMalformed;
  value = type.types->decimal == DecimalMode::kPrecise
              ? WithScaleHalfUp(*decimal, type.types->money_fraction_digits, arena)
              : InMode(type.types->decimal, *decimal, arena);
  return Decoded::kDone;
}

void SetDecimal(int32_t scale, std::optional<int32_t> precision, Arena& arena, Schema& schema) {
  schema.type = Type::kBytes;
  schema.logical = Logical::kDecimal;
  schema.name = "org.apache.kafka.connect.data.Decimal";
  schema.version = 1;
  std::span<Parameter> parameters = arena.NewSpan<Parameter>(precision ? 2 : 1);
  parameters[0] = {.key = "scale", .value = arena.Copy(std::to_string(scale))};
  if (precision) {
    parameters[1] = {.key = "connect.decimal.precision", .value = arena.Copy(std::to_string(*precision))};
  }
  schema.parameters = parameters;
}

void SetVariableScaleDecimal(Schema& schema) {
  static constexpr Schema kScale{.type = Type::kInt32};
  static constexpr Schema kValue{.type = Type::kBytes};
  static constexpr Field kFields[] = {{"scale", &kScale}, {"value", &kValue}};
  schema.type = Type::kStruct;
  schema.name = "io.debezium.data.VariableScaleDecimal";
  schema.version = 1;
  schema.doc = "Variable scaled decimal";
  schema.fields = kFields;
}

}  // namespace

bool CompileDecimal(const TypeInfo& type, Arena& arena, Schema& schema, ColumnType& column) {
  if (type.oid != pg::kNumeric && type.oid != pg::kMoney) return false;
  const DecimalMode mode = column.types->decimal;
  schema.type = mode == DecimalMode::kString ? Type::kString : Type::kFloat64;
  if (type.oid == pg::kMoney) {
    column.decode = DecodeMoney;
    if (mode == DecimalMode::kPrecise) SetDecimal(column.types->money_fraction_digits, std::nullopt, arena, schema);
    return true;
  }
  column.decode = DecodeNumeric;
  if (type.modifier >= 4) {  // pgjdbc's reading of the modifier; a negative scale becomes a large one
    column.length = (type.modifier - 4) >> 16 & 0xffff;
    column.scale = (type.modifier - 4) & 0xffff;
  }
  if (mode == DecimalMode::kPrecise) {
    if (HasScale(column)) {
      SetDecimal(column.scale, column.length, arena, schema);
    } else {
      SetVariableScaleDecimal(schema);
    }
  }
  return true;
}

}  // namespace postrider::connect
