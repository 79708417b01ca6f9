// point, PostGIS's geometry and geography, pgvector's vectors; and types that Debezium does not know
// (include.unknown.datatypes).
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "absl/strings/numbers.h"
#include "base/text.h"
#include "connect/java_number.h"
#include "connect/json_text.h"
#include "connect/pg_type.h"
#include "connect/type_family.h"

namespace postrider::connect {
namespace {

constexpr Schema kInt16{.type = Type::kInt16};
constexpr Schema kOptionalInt32{.type = Type::kInt32, .optional = true};
constexpr Schema kFloat32{.type = Type::kFloat32};
constexpr Schema kFloat64{.type = Type::kFloat64};
constexpr Schema kBytes{.type = Type::kBytes};
constexpr Schema kOptionalBytes{.type = Type::kBytes, .optional = true};

// The text between `open` and `close`, if that is what stands around it.
std::optional<std::string_view> Within(std::string_view text, char open, char close) {
  if (text.size() < 2 || text.front() != open || text.back() != close) return std::nullopt;
  return text.substr(1, text.size() - 2);
}

std::string_view TakeUntil(char delimiter, std::string_view& rest) {
  const std::string_view taken = rest.substr(0, rest.find(delimiter));
  rest.remove_prefix(std::min(rest.size(), taken.size() + 1));
  return taken;
}

void AppendLittleEndian(double value, Buffer& out) {
  auto bits = std::bit_cast<uint64_t>(value);
  for (int i = 0; i < 8; ++i, bits >>= 8) out.push_back(static_cast<char>(bits & 0xff));
}

Decoded DecodePoint(const ColumnType&, std::string_view text, Arena& arena, Value& value) {
  std::optional<std::string_view> rest = Within(text, '(', ')');
  double x = 0, y = 0;
  if (!rest || !absl::SimpleAtod(View(TakeUntil(',', *rest)), &x) || !absl::SimpleAtod(View(*rest), &y)) {
    return Decoded::kMalformed;
  }
  std::span<Value> items = arena.NewSpan<Value>(4);
  items[0] = Value::Double(x);
  items[1] = Value::Double(y);
  items[2] = Value::ByteArray(arena.Compose([&](Buffer& out) {
    out.append(std::string_view("\x01\x01\0\0\0", 5));  // little-endian, a point
    AppendLittleEndian(x, out);
    AppendLittleEndian(y, out);
  }));
  value = Value::Struct(items);
  return Decoded::kDone;
}

// EWKB in hexadecimal: byte order, type, and where the type says so the SRID.
Decoded DecodeGeometry(const ColumnType&, std::string_view text, Arena& arena, Value& value) {
  constexpr uint32_t kHasSrid = 0x20000000;
  const std::optional<std::string_view> ewkb = ParseHex(text, arena);
  if (!ewkb || ewkb->size() < 9) return Decoded::kMalformed;
  const bool little_endian = ewkb->front() != 0;
  const auto load = [&](size_t at) {
    uint32_t number = 0;
    for (size_t i = 0; i < 4; ++i)
      number = number << 8 | static_cast<uint8_t>((*ewkb)[little_endian ? at + 3 - i : at + i]);
    return number;
  };
  std::span<Value> items = arena.NewSpan<Value>(2);
  items[0] = Value::ByteArray(*ewkb);
  if ((load(1) & kHasSrid) != 0) items[1] = Value::Integer(static_cast<int32_t>(load(5)));
  value = Value::Struct(items);
  return Decoded::kDone;
}

bool MakeReal(const Schema& schema, std::string_view text, Value& value) {
  if (schema.type == Type::kFloat32) {
    float real = 0;
    if (!absl::SimpleAtof(View(text), &real)) return false;
    value = Value::Float(real);
    return true;
  }
  double real = 0;
  if (!absl::SimpleAtod(View(text), &real)) return false;
  value = Value::Double(real);
  return true;
}

Decoded DecodeVector(const ColumnType& type, std::string_view text, Arena& arena, Value& value) {
  std::optional<std::string_view> rest = Within(text, '[', ']');
  if (!rest) return Decoded::kMalformed;
  std::span<Value> items = arena.NewSpan<Value>(1 + static_cast<size_t>(std::count(rest->begin(), rest->end(), ',')));
  for (Value& item : items) {
    if (!MakeReal(*type.schema->element, TakeUntil(',', *rest), item)) return Decoded::kMalformed;
  }
  value = Value::List(items);
  return Decoded::kDone;
}

// {1:1.5,3:2}/5: a HashMap<Short, Double>, made for so many entries.
Decoded DecodeSparseVector(const ColumnType&, std::string_view text, Arena& arena, Value& value) {
  std::string_view dimensions_text = text;
  std::optional<std::string_view> rest = Within(TakeUntil('/', dimensions_text), '{', '}');
  int32_t dimensions = 0;
  if (!rest || !absl::SimpleAtoi(View(dimensions_text), &dimensions)) return Decoded::kMalformed;
  const size_t count = rest->empty() ? 0 : 1 + static_cast<size_t>(std::count(rest->begin(), rest->end(), ','));
  struct Entry {
    int32_t index = 0;
    double real = 0;
  };
  std::span<Entry> entries = arena.NewSpan<Entry>(count);
  for (Entry& entry : entries) {
    std::string_view real = TakeUntil(',', *rest);
    if (!absl::SimpleAtoi(View(TakeUntil(':', real)), &entry.index) || !absl::SimpleAtod(View(real), &entry.real)) {
      return Decoded::kMalformed;
    }
  }
  uint32_t buckets = std::bit_ceil(static_cast<uint32_t>(std::max<size_t>(count, 1)));
  if (4 * count > 3 * size_t{buckets}) buckets *= 2;
  std::stable_sort(entries.begin(), entries.end(), [mask = buckets - 1](const Entry& left, const Entry& right) {
    return (static_cast<uint32_t>(left.index) & mask) < (static_cast<uint32_t>(right.index) & mask);
  });
  std::span<Value> map = arena.NewSpan<Value>(2 * count);
  for (size_t i = 0; i < count; ++i) {
    map[2 * i] = Value::Integer(entries[i].index);
    map[2 * i + 1] = Value::Double(entries[i].real);
  }
  std::span<Value> items = arena.NewSpan<Value>(2);
  items[0] = Value::Integer(dimensions);
  items[1] = Value::Map(map);
  value = Value::Struct(items);
  return Decoded::kDone;
}

Decoded DecodeOpaque(const ColumnType& type, std::string_view text, Arena& arena, Value& value) {
  value = BinaryValue(type.types->binary, text, arena);
  return Decoded::kDone;
}

// org.postgresql.geometric.*.getValue(): PostgreSQL's text with Java's doubles.
Decoded DecodeGeometric(const ColumnType& type, std::string_view text, Arena& arena, Value& value) {
  const auto is_number = [](char c) { return std::string_view("()[]{}<>,").find(c) == std::string_view::npos; };
  bool ok = true;
  const std::string_view spelled = arena.Compose([&](Buffer& out) {
    for (size_t at = 0; at < text.size();) {
      if (!is_number(text[at])) {
        out.push_back(text[at++]);
        continue;
      }
      size_t end = at;
      while (end < text.size() && is_number(text[end])) ++end;
      double real = 0;
      ok = ok && absl::SimpleAtod(View(text.substr(at, end - at)), &real);
      AppendDouble(real, out);
      at = end;
    }
  });
  return ok ? DecodeOpaque(type, spelled, arena, value) : Decoded::kMalformed;
}

void Set(Type type, std::string_view name, std::string_view doc, Schema& schema) {
  schema.type = type;
  schema.name = name;
  schema.version = 1;
  schema.doc = doc;
}

bool IsGeometric(uint32_t oid) {
  return oid == pg::kBox || oid == pg::kCircle || oid == pg::kLine || oid == pg::kLseg || oid == pg::kPath ||
         oid == pg::kPolygon;
}

}  // namespace

bool CompileGeometry(const TypeInfo& type, Arena&, Schema& schema, ColumnType& column) {
  if (type.oid == pg::kPoint) {
    static constexpr Field kFields[] = {
        {"x", &kFloat64}, {"y", &kFloat64}, {"wkb", &kOptionalBytes}, {"srid", &kOptionalInt32}};
    Set(Type::kStruct, "io.debezium.data.geometry.Point", "Geometry (POINT)", schema);
    schema.fields = kFields;
    column.decode = DecodePoint;
  } else if (type.name == "geometry" || type.name == "geography") {
    static constexpr Field kFields[] = {{"wkb", &kBytes}, {"srid", &kOptionalInt32}};
    const bool geometry = type.name == "geometry";
    Set(Type::kStruct, geometry ? "io.debezium.data.geometry.Geometry" : "io.debezium.data.geometry.Geography",
        geometry ? "Geometry" : "Geography", schema);
    schema.optional = geometry;  // whatever the column says
    schema.fields = kFields;
    column.decode = DecodeGeometry;
  } else if (type.name == "vector" || type.name == "halfvec") {
    const bool doubles = type.name == "vector";
    Set(Type::kArray, doubles ? "io.debezium.data.DoubleVector" : "io.debezium.data.FloatVector", "", schema);
    schema.element = doubles ? &kFloat64 : &kFloat32;
    column.decode = DecodeVector;
  } else if (type.name == "sparsevec") {
    static constexpr Schema kMap{.type = Type::kMap, .element = &kFloat64, .key = &kInt16};
    static constexpr Field kFields[] = {{"dimensions", &kInt16}, {"vector", &kMap}};
    Set(Type::kStruct, "io.debezium.data.SparseDoubleVector", "Sparse double vector", schema);
    schema.fields = kFields;
    column.decode = DecodeSparseVector;
  } else {
    return false;
  }
  return true;
}

bool CompileUnknown(const TypeInfo& type, Arena&, Schema& schema, ColumnType& column) {
  if (!column.types->include_unknown_datatypes || type.element_oid != 0) return false;
  schema.type = BinaryType(column.types->binary);
  column.decode = IsGeometric(type.oid) ? DecodeGeometric : DecodeOpaque;
  return true;
}

}  // namespace postrider::connect
