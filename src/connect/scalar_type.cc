// Booleans, numbers, bits, bytes, and all that is text to Connect.
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "base/text.h"
#include "connect/json_text.h"
#include "connect/pg_type.h"
#include "connect/type_family.h"

namespace postrider::connect {
namespace {

Decoded DecodeText(const ColumnType&, std::string_view text, Arena&, Value& value) {
  value = Value::String(text);
  return Decoded::kDone;
}

Decoded DecodeNothing(const ColumnType&, std::string_view, Arena&, Value&) {
  return Decoded::kDone;
}

Decoded DecodeBoolean(const ColumnType&, std::string_view text, Arena&, Value& value) {
  value = Value::Boolean(text == "t");
  return Decoded::kDone;
}

Decoded DecodeInteger(const ColumnType&, std::string_view text, Arena&, Value& value) {
  int64_t integer = 0;
  if (!absl::SimpleAtoi(View(text), &integer)) return Decoded::kMalformed;
  value = Value::Integer(integer);
  return Decoded::kDone;
}

Decoded DecodeFloat(const ColumnType&, std::string_view text, Arena&, Value& value) {
  float real = 0;
  if (!absl::SimpleAtof(View(text), &real)) return Decoded::kMalformed;
  value = Value::Float(real);
  return Decoded::kDone;
}

Decoded DecodeDouble(const ColumnType&, std::string_view text, Arena&, Value& value) {
  double real = 0;
  if (!absl::SimpleAtod(View(text), &real)) return Decoded::kMalformed;
  value = Value::Double(real);
  return Decoded::kDone;
}

Decoded DecodeBytea(const ColumnType& type, std::string_view text, Arena& arena, Value& value) {
  if (!text.starts_with("\\x")) return Decoded::kMalformed;
  const std::optional<std::string_view> bytes = ParseHex(text.substr(2), arena);
  if (!bytes) return Decoded::kMalformed;
  value = BinaryValue(type.types->binary, *bytes, arena);
  return Decoded::kDone;
}

bool IsBits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("01") == std::string_view::npos;
}

Decoded DecodeBit(const ColumnType&, std::string_view text, Arena&, Value& value) {
  if (!IsBits(text)) return Decoded::kMalformed;
  value = Value::Boolean(text.find('1') != std::string_view::npos);
  return Decoded::kDone;
}

// java.util.BitSet.toByteArray: the last bit first, no zero bytes at the end.
Decoded DecodeBits(const ColumnType&, std::string_view text, Arena& arena, Value& value) {
  if (!text.empty() && !IsBits(text)) return Decoded::kMalformed;
  const size_t first = text.find('1');
  const size_t count = first == std::string_view::npos ? 0 : text.size() - first;
  std::span<char> bytes = arena.NewBytes((count + 7) / 8);
  std::fill(bytes.begin(), bytes.end(), '\0');
  for (size_t bit = 0; bit < count; ++bit) {
    if (text[text.size() - 1 - bit] == '1') bytes[bit / 8] = static_cast<char>(bytes[bit / 8] | 1 << bit % 8);
  }
  value = Value::ByteArray({bytes.data(), bytes.size()});
  return Decoded::kDone;
}

void SetNamed(std::string_view name, Schema& schema) {
  schema.type = Type::kString;
  schema.name = name;
  schema.version = 1;
}

void CompileBits(const TypeInfo& type, Arena& arena, Schema& schema, ColumnType& column) {
  // pgjdbc's length of a varbit without one: the largest int.
  column.length = type.modifier < 0 ? INT32_MAX : type.modifier;
  if (column.length <= 1) {
    schema.type = Type::kBoolean;
    column.decode = DecodeBit;
    return;
  }
  schema.type = Type::kBytes;
  schema.name = "io.debezium.data.Bits";
  schema.version = 1;
  const Parameter length{.key = "length", .value = arena.Copy(std::to_string(column.length))};
  schema.parameters = arena.CopySpan(std::span<const Parameter>(&length, 1));
  column.decode = DecodeBits;
}

// Types of extensions have no fixed number: Debezium knows them by name.
bool CompileByName(const TypeInfo& type, Arena& arena, Schema& schema, ColumnType& column) {
  if (type.kind == 'e') {
    SetNamed("io.debezium.data.Enum", schema);
    const Parameter allowed{.key = "allowed", .value = arena.Copy(absl::StrJoin(type.enum_labels, ","))};
    schema.parameters = arena.CopySpan(std::span<const Parameter>(&allowed, 1));
  } else if (type.name == "ltree") {
    SetNamed("io.debezium.data.Ltree", schema);
  } else if (type.name == "citext" || type.name == "isbn") {
    schema.type = Type::kString;
  } else {
    return false;
  }
  column.decode = DecodeText;
  return true;
}

void SetPlain(Type plain, ColumnType::DecodeText decode, Schema& schema, ColumnType& column) {
  schema.type = plain;
  column.decode = decode;
}

}  // namespace

Value BinaryValue(config::BinaryMode mode, std::string_view bytes, Arena& arena) {
  switch (mode) {
    case config::BinaryMode::kBytes:
      return Value::Bytes(bytes);
    case config::BinaryMode::kBase64:
      return Value::String(arena.Compose([&](Buffer& out) { AppendBase64(bytes, out); }));
    case config::BinaryMode::kBase64UrlSafe:
      return Value::String(arena.Compose([&](Buffer& out) { AppendBase64UrlSafe(bytes, out); }));
    case config::BinaryMode::kHex:
      return Value::String(arena.Compose([&](Buffer& out) { AppendHex(bytes, out); }));
  }
  return {};
}

Type BinaryType(config::BinaryMode mode) {
  return mode == config::BinaryMode::kBytes ? Type::kBytes : Type::kString;
}

bool CompileScalar(const TypeInfo& type, Arena& arena, Schema& schema, ColumnType& column) {
  switch (type.oid) {
    case pg::kBool:
      SetPlain(Type::kBoolean, DecodeBoolean, schema, column);
      return true;
    case pg::kInt2:
      SetPlain(Type::kInt16, DecodeInteger, schema, column);
      return true;
    case pg::kInt4:
      SetPlain(Type::kInt32, DecodeInteger, schema, column);
      return true;
    case pg::kInt8:
    case pg::kOid:
      SetPlain(Type::kInt64, DecodeInteger, schema, column);
      return true;
    case pg::kFloat4:
      SetPlain(Type::kFloat32, DecodeFloat, schema, column);
      return true;
    case pg::kFloat8:
      SetPlain(Type::kFloat64, DecodeDouble, schema, column);
      return true;
    case pg::kName:
      // A string to the schema, but no value is read: Debezium takes it for an unknown type.
      SetPlain(Type::kString, column.types->include_unknown_datatypes ? DecodeText : DecodeNothing, schema, column);
      return true;
    case pg::kUuid:
      SetNamed("io.debezium.data.Uuid", schema);
      break;
    case pg::kJson:
    case pg::kJsonb:
      SetNamed("io.debezium.data.Json", schema);
      break;
    case pg::kXml:
      SetNamed("io.debezium.data.Xml", schema);
      break;
    case pg::kTsvector:
      SetNamed("io.debezium.data.Tsvector", schema);
      break;
    case pg::kText:
    case pg::kVarchar:
    case pg::kBpchar:
    case pg::kChar:
    case pg::kInet:
    case pg::kCidr:
    case pg::kMacaddr:
    case pg::kMacaddr8:
    case pg::kInt4range:
    case pg::kInt8range:
    case pg::kNumrange:
    case pg::kTsrange:
    case pg::kTstzrange:
    case pg::kDaterange:
      schema.type = Type::kString;
      break;
    case pg::kBytea:
      SetPlain(BinaryType(column.types->binary), DecodeBytea, schema, column);
      return true;
    case pg::kBit:
    case pg::kVarbit:
      CompileBits(type, arena, schema, column);
      return true;
    default:
      return CompileByName(type, arena, schema, column);
  }
  column.decode = DecodeText;
  return true;
}

}  // namespace postrider::connect
