#include "connect/literal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/check.h"
#include "base/java_regex.h"
#include "base/text.h"
#include "connect/java_number.h"
#include "connect/java_time.h"

namespace postrider::connect {
namespace {

constexpr std::string_view kDelimiters = ",:\"[]{}";
constexpr size_t kTemporalTokens = 5;  // a time's two colons are tokens of their own

constexpr Schema kText{.type = Type::kString};
constexpr Schema kBoolean{.type = Type::kBoolean};
constexpr Schema kInt8{.type = Type::kInt8};
constexpr Schema kInt16{.type = Type::kInt16};
constexpr Schema kInt32{.type = Type::kInt32};
constexpr Schema kInt64{.type = Type::kInt64};
constexpr Schema kFloat{.type = Type::kFloat32};
constexpr Schema kDouble{.type = Type::kFloat64};
constexpr Schema kDate{
    .type = Type::kInt32, .logical = Logical::kDate, .version = 1, .name = "org.apache.kafka.connect.data.Date"};
constexpr Schema kTime{
    .type = Type::kInt32, .logical = Logical::kTime, .version = 1, .name = "org.apache.kafka.connect.data.Time"};
constexpr Schema kTimestamp{.type = Type::kInt64,
                            .logical = Logical::kTimestamp,
                            .version = 1,
                            .name = "org.apache.kafka.connect.data.Timestamp"};

// One of the forms of a date or time: how long it is, how it is written, and what SimpleDateFormat takes for it too.
struct TemporalForm {
  size_t size;
  const char* strict;
  const char* lenient;
  const Schema* schema;
};
constexpr TemporalForm kTemporalForms[] = {
    {10, R"((?:1[6-9]|[2-9]\d)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))",
     R"([\dE]+-[ \t]*[\dE-]+-[ \t]*[\dE-]+.*)", &kDate},
    {13, R"((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z)", R"([\dE]+:[ \t]*[\dE-]+:[ \t]*[\dE-]+\.[ \t]*[\dE-]+Z.*)",
     &kTime},
    {24,
     R"((?:1[6-9]|[2-9]\d)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z)",
     R"([\dE]+-[ \t]*[\dE-]+-[ \t]*[\dE-]+T[ \t]*[\dE-]+:[ \t]*[\dE-]+:[ \t]*[\dE-]+\.[ \t]*[\dE-]+Z.*)", &kTimestamp},
};

bool Matches(const char* pattern, std::string_view text) {
  const absl::StatusOr<JavaRegex> regex = JavaRegex::Compile(pattern);
  POSTRIDER_CHECK(regex.ok());
  const absl::StatusOr<bool> matches = regex->Matches(text);
  return matches.ok() && *matches;
}

// String.trim(): all up to U+0020 goes.
std::string_view Trim(std::string_view text) {
  const auto blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// Texts and delimiters in turn; a backslash keeps what follows from being a delimiter.
std::vector<std::string_view> TokensOf(std::string_view text) {
  std::vector<std::string_view> tokens;
  size_t begin = 0;
  bool escaped = false;
  for (size_t at = 0; at < text.size(); ++at) {
    const bool delimiter = !escaped && kDelimiters.find(text[at]) != std::string_view::npos;
    escaped = text[at] == '\\' && !escaped;
    if (!delimiter) continue;
    if (at > begin) tokens.push_back(text.substr(begin, at - begin));
    tokens.push_back(text.substr(at, 1));
    begin = at + 1;
  }
  if (begin < text.size()) tokens.push_back(text.substr(begin));
  return tokens;
}

// nullopt: no date or time. InvalidArgument: one for Java alone.
absl::StatusOr<std::optional<Literal>> ParseTemporal(std::string_view token) {
  const std::string text = absl::StrReplaceAll(View(token), {{"\\:", ":"}});
  for (const TemporalForm& form : kTemporalForms) {
    if (text.size() != form.size || !Matches(form.lenient, text)) continue;
    if (!Matches(form.strict, text)) {
      return absl::InvalidArgumentError(
          "Connect reads it as a date or time: write it as 2026-01-02, 03:04:05.678Z or 2026-01-02T03:04:05.678Z");
    }
    const std::string_view digits = std::string_view(text).substr(0, text.size() - (form.schema == &kDate ? 0 : 1));
    if (form.schema == &kDate) return Literal{form.schema, Value::Date(ParseDate(digits).value_or(0) * kMillisPerDay)};
    if (form.schema == &kTime) {
      constexpr int64_t kNanosPerMilli = 1'000'000;
      return Literal{form.schema, Value::Date(ParseTime(digits).value_or(0) / kNanosPerMilli)};
    }
    std::string with_blank(digits);
    with_blank[form.size - 14] = ' ';  // PostgreSQL's form
    const Moment moment = ParseTimestamp(with_blank).value_or(Moment{});
    return Literal{form.schema, Value::Date(ToMillis(moment).value_or(0))};
  }
  return std::nullopt;
}

absl::StatusOr<std::optional<Literal>> ParseTemporal(const std::vector<std::string_view>& tokens,
                                                     std::string_view first) {
  if (tokens.size() >= kTemporalTokens) {
    std::string joined(first);
    for (size_t i = 1; i < kTemporalTokens; ++i) joined.append(tokens[i]);
    absl::StatusOr<std::optional<Literal>> parsed = ParseTemporal(joined);
    if (!parsed.ok() || *parsed) return parsed;
  }
  return ParseTemporal(first);
}

// nullopt where the number is not whole or beyond 64 bits.
std::optional<Literal> WholeNumber(const Value& decimal, Arena& arena) {
  // 10^19 has 20 digits: no more need be written out to see that it does not fit.
  if (static_cast<int64_t>(decimal.text.size()) - decimal.integer > 21) return std::nullopt;
  const std::optional<Value> whole = WithScale(decimal, 0, arena);
  int64_t number = 0;
  if (!whole || !absl::SimpleAtoi(View(whole->text), &number)) return std::nullopt;
  const auto fits = [number]<typename T>(T) {
    return number >= std::numeric_limits<T>::min() && number <= std::numeric_limits<T>::max();
  };
  const Schema* const schema = fits(int8_t{})    ? &kInt8
                               : fits(int16_t{}) ? &kInt16
                               : fits(int32_t{}) ? &kInt32
                                                 : &kInt64;
  return Literal{schema, Value::Integer(number)};
}

Literal DecimalLiteral(const Value& decimal, Arena& arena) {
  const std::string_view scale = arena.Copy(std::to_string(decimal.integer));
  const Parameter parameter{.key = "scale", .value = scale};
  return {arena.New(Schema{.type = Type::kBytes,
                           .logical = Logical::kDecimal,
                           .version = 1,
                           .name = "org.apache.kafka.connect.data.Decimal",
                           .parameters = arena.CopySpan(std::span<const Parameter>(&parameter, 1))}),
          decimal};
}

// ValueParser.parseAsNumber.
absl::StatusOr<Literal> ParseNumber(std::string_view token, Arena& arena) {
  const std::optional<Value> decimal = ParseDecimal(token, arena);
  if (!decimal) return absl::InvalidArgumentError("a number with so large an exponent is not supported");
  if (decimal->text == "0") return Literal{&kInt8, Value::Integer(0)};
  if (std::optional<Literal> whole = WholeNumber(*decimal, arena)) return *whole;
  const bool scaled = decimal->integer != 0;
  float single = 0;
  if (scaled && absl::SimpleAtof(View(token), &single) && std::isfinite(single))
    return Literal{&kFloat, Value::Float(single)};
  double real = 0;
  if (scaled && absl::SimpleAtod(View(token), &real) && std::isfinite(real))
    return Literal{&kDouble, Value::Double(real)};
  return DecimalLiteral(*decimal, arena);
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

absl::StatusOr<Literal> ParseLiteral(std::string_view text, Arena& arena) {
  const std::vector<std::string_view> tokens = TokensOf(text);
  if (tokens.empty()) return Literal{&kText, Value::String(text)};
  // A blank token is passed over where a word or a bracket is looked for, and is the value otherwise.
  const size_t start = Trim(tokens[0]).empty() && tokens.size() > 1 ? 1 : 0;
  const std::string_view word = Trim(tokens[start]);
  if (start + 1 == tokens.size()) {
    if (word == "null") return Literal{};
    if (word == "true" || word == "false") return Literal{&kBoolean, Value::Boolean(word == "true")};
  }
  if (word == "[" || word == "{") return absl::InvalidArgumentError("lists and maps are not supported");
  const std::string_view first = Trim(tokens[0]);
  if (first.empty()) return Literal{&kText, Value::String(tokens[0])};
  if (!IsAscii(first) && Matches(R"([+-]?[\p{Nd}.:eETZ+-]+)", first))
    return absl::InvalidArgumentError("digits other than 0 to 9 are not supported");
  if (IsDigit(first.front())) {
    absl::StatusOr<std::optional<Literal>> temporal = ParseTemporal(tokens, first);
    if (!temporal.ok()) return temporal.status();
    if (*temporal) return **temporal;
  }
  const bool numeric = IsDigit(first.front()) || first.front() == '+' || first.front() == '-';
  if (numeric && Matches(R"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)", first))
    return ParseNumber(first, arena);
  return Literal{&kText, Value::String(text)};
}

}  // namespace postrider::connect
