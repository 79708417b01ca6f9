// Kafka Connect's schemas and values, without its objects. READ THIS FIRST in connect/.
//
// A Schema is immutable and lives in an Arena together with all that it points to: a plan's, for the schemas of
// columns, or an event's, for those inferred from its payload. A Value is a tagged view of the same kind; text points
// into the row's bytes or into an arena. Both are plain data: copied freely, read from any thread.
//
// Source: org.apache.kafka.connect.data.{ConnectSchema, Struct, Decimal, Date, Time, Timestamp} of Kafka 4.3.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace postrider::connect {

struct Schema;

struct Value {
  // Each kind is one Java class, because converters tell them apart.
  enum class Kind : uint8_t {
    kNull,
    kBoolean,    // integer: 0 or 1
    kInteger,    // integer: Byte, Short, Integer or Long, which all print alike
    kFloat,      // real, exactly representable as a float
    kDouble,     // real
    kString,     // text
    kBytes,      // text: a java.nio.ByteBuffer
    kByteArray,  // text: a byte[]
    kDecimal,    // text: the digits of the unscaled value, '-' before them if below zero; integer: the scale
    kDate,       // integer: a java.util.Date, milliseconds since 1970
    kList,       // items
    kMap,        // items: key, value, key, value, ... in the order of iteration
    kStruct,     // items: one for each field of the schema
  };

  Kind kind = Kind::kNull;
  bool in_quotes = false;  // kString: a view of JSON that needs no escapes, with its quotes right before and after it
  union {
    int64_t integer = 0;
    double real;
  };
  std::string_view text;
  std::span<const Value> items;

  bool is_null() const { return kind == Kind::kNull; }

  static Value Boolean(bool value) { return Integral(Kind::kBoolean, value ? 1 : 0); }
  static Value Integer(int64_t value) { return Integral(Kind::kInteger, value); }
  static Value Date(int64_t unix_ms) { return Integral(Kind::kDate, unix_ms); }
  static Value Float(float value) { return Real(Kind::kFloat, value); }
  static Value Double(double value) { return Real(Kind::kDouble, value); }
  static Value String(std::string_view text) { return Text(Kind::kString, text); }
  static Value Bytes(std::string_view bytes) { return Text(Kind::kBytes, bytes); }
  static Value ByteArray(std::string_view bytes) { return Text(Kind::kByteArray, bytes); }
  static Value Decimal(std::string_view unscaled, int64_t scale) {
    Value value = Integral(Kind::kDecimal, scale);
    value.text = unscaled;
    return value;
  }
  static Value List(std::span<const Value> items) { return Items(Kind::kList, items); }
  static Value Map(std::span<const Value> items) { return Items(Kind::kMap, items); }
  static Value Struct(std::span<const Value> items) { return Items(Kind::kStruct, items); }

 private:
  static Value Integral(Kind kind, int64_t integer) {
    Value value;
    value.kind = kind;
    value.integer = integer;
    return value;
  }
  static Value Real(Kind kind, double real) {
    Value value;
    value.kind = kind;
    value.real = real;
    return value;
  }
  static Value Text(Kind kind, std::string_view text) {
    Value value;
    value.kind = kind;
    value.text = text;
    return value;
  }
  static Value Items(Kind kind, std::span<const Value> items) {
    Value value;
    value.kind = kind;
    value.items = items;
    return value;
  }
};

enum class Type : uint8_t {
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat32,
  kFloat64,
  kBoolean,
  kString,
  kBytes,
  kArray,
  kMap,
  kStruct,
};

// The schema names that converters treat apart: org.apache.kafka.connect.data.*.
enum class Logical : uint8_t { kNone, kDecimal, kDate, kTime, kTimestamp };

struct Parameter {
  std::string_view key, value;
};

struct Field {
  std::string_view name;
  const Schema* schema = nullptr;
  bool in_quotes = false;  // the name, as Value::in_quotes
};

struct Schema {
  Type type = Type::kString;
  Logical logical = Logical::kNone;
  bool optional = false;
  std::optional<int32_t> version;
  std::string_view name;  // empty: none
  std::string_view doc;   // empty: none
  std::span<const Parameter> parameters;
  const Value* default_value = nullptr;
  std::span<const Field> fields;    // kStruct
  const Schema* element = nullptr;  // kArray: the items; kMap: the values
  const Schema* key = nullptr;      // kMap
  // The schema as the value's JsonConverter writes it, but for the closing brace. WithJson (json_converter.h) sets it.
  std::string_view json;
};

// Struct.get(): a null gives way to the default.
inline const Value& OrDefault(const Schema& schema, const Value& value) {
  return value.is_null() && schema.default_value != nullptr ? *schema.default_value : value;
}

}  // namespace postrider::connect
