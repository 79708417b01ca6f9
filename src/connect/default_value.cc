#include "connect/default_value.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "base/text.h"
#include "connect/pg_type.h"
#include "connect/type_family.h"

namespace postrider::connect {
namespace {

constexpr std::string_view kLineTerminators = "\n\r";

// The types whose defaults are read, and what stands for a function call.
struct Reader {
  uint32_t oid;
  std::string_view placeholder;
  bool is_text = false;  // blanks around the expression belong to it
};
constexpr Reader kReaders[] = {
    {pg::kBit, "00"},
    {pg::kVarbit, "0"},
    {pg::kBool, "false"},
    {pg::kBpchar, "", true},
    {pg::kVarchar, "", true},
    {pg::kText, "", true},
    {pg::kNumeric, "0.0"},
    {pg::kFloat4, "0.0"},
    {pg::kFloat8, "0.0"},
    {pg::kInt2, "0"},
    {pg::kInt4, "0"},
    {pg::kInt8, "0"},
    {pg::kJson, "{}", true},
    {pg::kJsonb, "{}", true},
    {pg::kXml, "", true},
    {pg::kUuid, "00000000-0000-0000-0000-000000000000"},
    {pg::kDate, "1970-01-01"},
    {pg::kTime, "00:00"},
    {pg::kTimestamp, "1970-01-01"},
    {pg::kTimestamptz, "1970-01-01"},
    {pg::kInterval, ""},
};

bool IsNameCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}

// ^[(]?[A-Za-z0-9_.]+\((?:.+(?:, ?.+)*)?\)
bool BeginsWithCall(std::string_view text) {
  if (text.starts_with('(')) text.remove_prefix(1);
  size_t name = 0;
  while (name < text.size() && IsNameCharacter(text[name])) ++name;
  if (name == 0 || name == text.size() || text[name] != '(') return false;
  const size_t close = text.find(')', name);
  return close != std::string_view::npos &&
         text.substr(name, close - name).find_first_of(kLineTerminators) == std::string_view::npos;
}

bool IsCurrentTime(std::string_view text) {
  constexpr std::string_view kNames[] = {"current_timestamp", "current_time", "current_date", "localtime",
                                         "localtimestamp"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view name) { return absl::EqualsIgnoreCase(View(name), View(text)); });
}

// What is between the first pair of quotes on one line; all of it where there are none.
std::optional<std::string_view> Literal(std::string_view text) {
  size_t open = text.find('\'');
  if (open == std::string_view::npos) return text.starts_with("NULL::") ? std::nullopt : std::optional(text);
  for (; open != std::string_view::npos; open = text.find('\'', open + 1)) {
    const size_t close = text.find('\'', open + 1);
    if (close == std::string_view::npos) return std::nullopt;
    const std::string_view literal = text.substr(open + 1, close - open - 1);
    if (literal.find_first_of(kLineTerminators) == std::string_view::npos) return literal;
  }
  return std::nullopt;
}

// 'label'::mood, with or without schema and quotes around the names.
std::optional<std::string_view> EnumLiteral(std::string_view type_name, std::string_view expression) {
  const size_t cast = expression.rfind("::");
  if (cast == std::string_view::npos) return std::nullopt;
  std::string_view name = expression.substr(cast + 2);
  if (const size_t dot = name.rfind('.'); dot != std::string_view::npos) name.remove_prefix(dot + 1);
  if (name.size() >= 2 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
  const std::string_view literal = expression.substr(0, cast);
  if (name != type_name || literal.size() < 2 || literal.front() != '\'' || literal.back() != '\'') return std::nullopt;
  return literal.substr(1, literal.size() - 2);
}

std::string_view Trimmed(std::string_view text) {
  const absl::string_view trimmed = absl::StripAsciiWhitespace(View(text));
  return {trimmed.data(), trimmed.size()};
}

std::optional<std::string_view> DefaultText(const ColumnType& type, std::string_view type_name,
                                            std::string_view expression) {
  if (type.kind == 'e') return EnumLiteral(type_name, expression);
  const auto* reader = std::find_if(std::begin(kReaders), std::end(kReaders),
                                    [&](const Reader& candidate) { return candidate.oid == type.oid; });
  if (reader == std::end(kReaders)) return std::nullopt;
  if (!reader->is_text) expression = Trimmed(expression);
  if (BeginsWithCall(expression) || IsCurrentTime(expression)) return reader->placeholder;
  return Literal(expression);
}

// Java reads some literals otherwise than the same text in a row.
Decoded DecodeDefault(const ColumnType& type, std::string_view text, Arena& arena, Value& value) {
  switch (type.oid) {
    case pg::kBool:
      value = Value::Boolean(absl::EqualsIgnoreCase(View(text), "true"));
      return Decoded::kDone;
    case pg::kNumeric:  // new BigDecimal("NaN") fails
      if (!text.empty() && absl::ascii_isalpha(static_cast<unsigned char>(text.back()))) return Decoded::kMalformed;
      break;
    case pg::kUuid:
      if (text.size() != 36) return Decoded::kMalformed;
      break;
    case pg::kDate:
    case pg::kTime:
    case pg::kTimestamp:
    case pg::kTimestamptz:
      return DecodeTimeDefault(type, text, arena, value);
    default:
      break;
  }
  return type.decode(type, text, arena, value);
}

}  // namespace

const Value* ParseDefault(const ColumnType& type, std::string_view type_name, std::string_view expression,
                          Arena& arena) {
  const std::optional<std::string_view> text = DefaultText(type, type_name, expression);
  Value value;
  if (!text || DecodeDefault(type, arena.Copy(*text), arena, value) != Decoded::kDone) return nullptr;
  // KAFKA-12694: a struct cannot be a default.
  if (value.is_null() || value.kind == Value::Kind::kStruct) return nullptr;
  return arena.New(value);
}

}  // namespace postrider::connect
