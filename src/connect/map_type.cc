// hstore under hstore.handling.mode, out of its text form: "a"=>"1", "b"=>NULL.
//
// org.postgresql.util.HStoreConverter reads it into a java.util.HashMap, whose order of iteration then shows.
#include <algorithm>
#include <string>
#include <vector>

#include "connect/json_text.h"
#include "connect/type_family.h"

namespace postrider::connect {
namespace {

struct Entry {
  std::string_view key;
  Value value;
  uint32_t hash = 0;
};

// HashMap.hash(String.hashCode()): over UTF-16 units.
uint32_t JavaHash(std::string_view text) {
  uint32_t hash = 0;
  const auto add = [&hash](uint32_t unit) { hash = hash * 31 + unit; };
  for (size_t at = 0; at < text.size();) {
    const auto byte = static_cast<uint8_t>(text[at]);
    const size_t size = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    if (at + size > text.size()) break;
    uint32_t point = size == 1 ? byte : byte & (0xffu >> (size + 1));
    for (size_t i = 1; i < size; ++i) point = point << 6 | (static_cast<uint8_t>(text[at + i]) & 0x3fu);
    if (point >= 0x10000) {
      add(0xd800 + ((point - 0x10000) >> 10));
      add(0xdc00 + ((point - 0x10000) & 0x3ff));
    } else {
      add(point);
    }
    at += size;
  }
  return hash ^ hash >> 16;
}

// By bucket, and within one as they were put in.
void SortLikeHashMap(std::vector<Entry>& entries) {
  uint32_t buckets = 16;
  while (entries.size() > buckets / 4 * 3) buckets *= 2;
  std::stable_sort(entries.begin(), entries.end(), [mask = buckets - 1](const Entry& left, const Entry& right) {
    return (left.hash & mask) < (right.hash & mask);
  });
}

// The quoted text at the front, without quotes and backslashes; nullopt where there is none.
std::optional<std::string_view> TakeQuoted(std::string_view& rest, Arena& arena) {
  if (!rest.starts_with('"')) return std::nullopt;
  std::span<char> text = arena.NewBytes(rest.size());
  size_t size = 0;
  for (size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] == '"') {
      rest.remove_prefix(at + 1);
      return std::string_view(text.data(), size);
    }
    if (rest[at] == '\\' && at + 1 < rest.size()) ++at;
    text[size++] = rest[at];
  }
  return std::nullopt;
}

bool Accept(std::string_view word, std::string_view& rest) {
  if (!rest.starts_with(word)) return false;
  rest.remove_prefix(word.size());
  return true;
}

std::optional<std::vector<Entry>> ParseHstore(std::string_view rest, Arena& arena) {
  std::vector<Entry> entries;
  while (!rest.empty()) {
    const std::optional<std::string_view> key = TakeQuoted(rest, arena);
    if (!key || !Accept("=>", rest)) return std::nullopt;
    Entry entry{.key = *key, .hash = JavaHash(*key)};
    if (!Accept("NULL", rest)) {
      const std::optional<std::string_view> text = TakeQuoted(rest, arena);
      if (!text) return std::nullopt;
      entry.value = Value::String(*text);
    }
    entries.push_back(entry);
    if (!rest.empty() && !Accept(", ", rest)) return std::nullopt;
  }
  SortLikeHashMap(entries);
  return entries;
}

Value MapValue(const std::vector<Entry>& entries, Arena& arena) {
  std::span<Value> items = arena.NewSpan<Value>(2 * entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    items[2 * i] = Value::String(entries[i].key);
    items[2 * i + 1] = entries[i].value;
  }
  return Value::Map(items);
}

void AppendJsonObject(const std::vector<Entry>& entries, Buffer& out) {
  out.push_back('{');
  for (const Entry& entry : entries) {
    if (out.back() != '{') out.push_back(',');
    AppendJsonString(entry.key, out, BeyondBmp::kRaw);
    out.push_back(':');
    if (entry.value.is_null()) {
      out.append("null");
    } else {
      AppendJsonString(entry.value.text, out, BeyondBmp::kRaw);
    }
  }
  out.push_back('}');
}

Decoded DecodeHstore(const ColumnType& type, std::string_view text, Arena& arena, Value& value) {
  const std::optional<std::vector<Entry>> entries = ParseHstore(text, arena);
  if (!entries) return Decoded::kMalformed;
  if (type.types->hstore == config::HstoreMode::kMap) {
    value = MapValue(*entries, arena);
  } else {
    value = Value::String(arena.Compose([&](Buffer& out) { AppendJsonObject(*entries, out); }));
  }
  return Decoded::kDone;
}

}  // namespace

bool CompileMap(const TypeInfo& type, Arena&, Schema& schema, ColumnType& column) {
  if (type.name != "hstore") return false;
  column.decode = DecodeHstore;
  if (column.types->hstore == config::HstoreMode::kMap) {
    static constexpr Schema kKey{.type = Type::kString};
    static constexpr Schema kElement{.type = Type::kString, .optional = true};
    schema.type = Type::kMap;
    schema.key = &kKey;
    schema.element = &kElement;
  } else {
    schema.type = Type::kString;
    schema.name = "io.debezium.data.Json";
    schema.version = 1;
  }
  return true;
}

}  // namespace postrider::connect
