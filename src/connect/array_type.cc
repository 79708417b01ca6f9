// Arrays, out of PostgreSQL's text form: {a,"b c",NULL}.
//
// pgjdbc's ArrayDecoding and Debezium's convertArray: one dimension. Of more dimensions Debezium sends nulls, or for
// texts the address of a Java object: here the inner array's own text.
#include <algorithm>
#include <string>

#include "connect/pg_type.h"
#include "connect/type_family.h"

namespace postrider::connect {
namespace {

struct Element {
  enum class Kind { kNull, kText, kNested };
  Kind kind = Kind::kNull;
  std::string_view text;
};

class ArrayReader {
 public:
  ArrayReader(std::string_view text, Arena& arena) : rest_(text), arena_(arena) {
    // Bounds, where they do not begin at 1: [0:1]={7,8}
    if (rest_.starts_with('[')) rest_.remove_prefix(std::min(rest_.find('=') + 1, rest_.size()));
    ok_ = Accept('{');
    done_ = !ok_ || Accept('}');
  }

  bool done() const { return done_; }
  bool ok() const { return ok_ && rest_.empty(); }

  Element Next() {
    Element element;
    if (rest_.starts_with('"')) {
      element = {.kind = Element::Kind::kText, .text = Quoted()};
    } else if (rest_.starts_with('{')) {
      element = {.kind = Element::Kind::kNested, .text = Take(NestedSize())};
    } else {
      const std::string_view text = Take(std::min(rest_.find_first_of(",}"), rest_.size()));
      if (text != "NULL") element = {.kind = Element::Kind::kText, .text = text};
    }
    if (Accept(',')) return element;
    ok_ = Accept('}');
    done_ = true;
    return element;
  }

 private:
  bool Accept(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string_view Take(size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::string_view Quoted() {
    std::span<char> text = arena_.NewBytes(rest_.size());
    size_t size = 0;
    size_t at = 1;
    for (; at < rest_.size() && rest_[at] != '"'; ++at) {
      if (rest_[at] == '\\' && at + 1 < rest_.size()) ++at;
      text[size++] = rest_[at];
    }
    rest_.remove_prefix(std::min(at + 1, rest_.size()));
    return {text.data(), size};
  }
  // Up to and with the brace that closes the one at the front.
  size_t NestedSize() const {
    size_t depth = 0;
    bool quoted = false;
    for (size_t at = 0; at < rest_.size(); ++at) {
      if (quoted && rest_[at] == '\\') {
        ++at;
      } else if (rest_[at] == '"') {
        quoted = !quoted;
      } else if (!quoted && rest_[at] == '{') {
        ++depth;
      } else if (!quoted && rest_[at] == '}' && --depth == 0) {
        return at + 1;
      }
    }
    return rest_.size();
  }

  std::string_view rest_;
  Arena& arena_;
  bool ok_ = false;
  bool done_ = false;
};

bool IsText(const ColumnType& type) {
  return type.schema->type == Type::kString;
}

// An element that is null makes all of the array null. convertLtreeArray calls its toString().
bool TakesNoNull(const ColumnType& element) {
  return !element.schema->optional || element.schema->name == "io.debezium.data.Ltree";
}

Decoded DecodeArray(const ColumnType& type, std::string_view text, Arena& arena, Value& value) {
  std::span<Value> items = arena.NewSpan<Value>(1 + static_cast<size_t>(std::count(text.begin(), text.end(), ',')));
  size_t size = 0;
  ArrayReader reader(text, arena);
  while (!reader.done()) {
    const Element element = reader.Next();
    Value& item = items[size++];
    if (element.kind == Element::Kind::kText) {
      const Decoded decoded = type.element->decode(*type.element, element.text, arena, item);
      if (decoded != Decoded::kDone) return decoded;
    } else if (element.kind == Element::Kind::kNested && IsText(*type.element)) {
      item = Value::String(element.text);
    }
    if (item.is_null() && TakesNoNull(*type.element)) return Decoded::kUnconvertible;
  }
  if (!reader.ok()) return Decoded::kMalformed;
  value = Value::List(items.first(size));
  return Decoded::kDone;
}

Decoded DecodeNothing(const ColumnType&, std::string_view, Arena&, Value&) {
  return Decoded::kDone;
}

// Elements are optional in the arrays that PostgresValueConverter names, and required in all others.
bool HasOptionalElements(const TypeInfo& element) {
  switch (element.oid) {
    case pg::kTsvector:
    case pg::kTsquery:
    case pg::kBit:
    case pg::kBox:
    case pg::kCircle:
    case pg::kLine:
    case pg::kLseg:
    case pg::kPath:
    case pg::kPolygon:
      return false;
    default:
      break;
  }
  return pg::BuiltIn(element.oid, -1).has_value() || element.name == "citext" || element.name == "hstore" ||
         element.name == "ltree" || element.name == "geometry" || element.name == "geography";
}

// Arrays that PostgresValueConverter names as not yet done.
bool IsLeftOut(uint32_t element_oid) {
  switch (element_oid) {
    case pg::kMoney:
    case pg::kName:
    case pg::kInterval:
    case pg::kVarbit:
    case pg::kXml:
    case pg::kPoint:
    case pg::kRefcursor:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool CompileArray(const TypeInfo& type, Arena& arena, Schema& schema, ColumnType& column) {
  if (type.element_oid == 0 || IsLeftOut(type.element_oid)) return false;
  const bool plain = pg::IsPlainArray(type);
  if (!plain && !column.types->include_unknown_datatypes) return false;
  // Elements of a domain are of no type that Debezium knows.
  const TypeInfo element = plain ? pg::ElementOf(type) : TypeInfo{};
  std::optional<ColumnType> compiled =
      CompileBare(element, HasOptionalElements(element), /*in_array=*/true, *column.types, arena);
  if (!compiled) return false;
  if (element.oid == pg::kBit) {  // typed as its element is, and never read
    schema = *compiled->schema;
    column.decode = DecodeNothing;
    return true;
  }
  column.element = arena.New(*compiled);
  column.decode = DecodeArray;
  schema.type = Type::kArray;
  schema.element = column.element->schema;
  return true;
}

}  // namespace postrider::connect
