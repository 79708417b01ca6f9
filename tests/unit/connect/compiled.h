// A column compiled and read in one line, as JSON: for the tests of types.
#pragma once

#include <optional>
#include <string>

#include "connect/column_type.h"
#include "connect/json_converter.h"
#include "connect/pg_type.h"

namespace postrider::connect {

class Compiled {
 public:
  Compiled(const TypeInfo& type, const config::Types& types,
           std::optional<std::string> default_expression = std::nullopt, bool is_domain = false)
      : types_(types), default_(std::move(default_expression)) {
    ColumnFacts facts{.type = type, .is_domain = is_domain};
    if (default_) facts.default_expression = *default_;
    column_ = CompileColumnType(facts, types_, arena_);
  }
  Compiled(uint32_t oid, int32_t modifier, const config::Types& types = {})
      : Compiled(*pg::BuiltIn(oid, modifier), types) {}

  bool known() const { return column_.has_value(); }
  std::string schema() const {
    if (!column_) return "left out";
    Buffer out;
    AppendJsonSchema(column_->schema, {}, out);
    return std::string(out.view());
  }
  // The value as JSON; or why there is none.
  std::string Read(std::string_view bytes, bool binary = false) {
    Value value;
    switch (Decode(*column_, bytes, binary, arena_, value)) {
      case Decoded::kUnconvertible:
        return "unconvertible";
      case Decoded::kMalformed:
        return "malformed";
      case Decoded::kDone:
        break;
    }
    Buffer out;
    AppendJsonValue(column_->schema, value, {}, out);
    return std::string(out.view());
  }
  const ColumnType& column() const { return *column_; }
  Arena& arena() { return arena_; }

 private:
  const config::Types types_;
  std::optional<std::string> default_;
  Arena arena_;
  std::optional<ColumnType> column_;
};

// numeric(precision, scale)
inline int32_t NumericModifier(int32_t precision, int32_t scale) {
  return (precision << 16 | scale) + 4;
}

}  // namespace postrider::connect
