// A table as the server announces it and rows of it, for the tests of router/.
#pragma once

#include <cstdlib>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/table.h"
#include "connect/pg_type.h"
#include "decoder/decoder.h"

namespace postrider::router {

struct OutboxColumn {
  std::string name;
  uint32_t type_oid = connect::pg::kText;
  bool not_null = false;
  std::optional<std::string> default_expression = std::nullopt;
};

inline std::vector<OutboxColumn> PlainColumns() {
  return {{"id", connect::pg::kUuid, true},
          {"aggregatetype", connect::pg::kVarchar},
          {"aggregateid", connect::pg::kVarchar},
          {"type", connect::pg::kVarchar},
          {"payload", connect::pg::kText}};
}

// Owns the bytes that its relation and rows view.
class OutboxTable {
 public:
  explicit OutboxTable(std::vector<OutboxColumn> columns, std::string schema = "public", std::string name = "outbox",
                       uint32_t oid = 16'400)
      : columns_(std::move(columns)), schema_(std::move(schema)), name_(std::move(name)), oid_(oid) {
    std::string bytes = "R" + Int(oid_, 4) + schema_ + '\0' + name_ + '\0' + "d" + Int(columns_.size(), 2);
    for (const OutboxColumn& column : columns_) {
      bytes += '\0' + column.name + '\0' + Int(column.type_oid, 4) + Int(0xffffffff, 4);
    }
    relation_ = Read<decoder::Relation>(std::move(bytes));
  }

  const decoder::Relation& relation() const { return relation_; }

  Table catalogue() const {
    Table table{.oid = oid_, .schema = schema_, .name = name_};
    for (const OutboxColumn& column : columns_) {
      table.columns.push_back({.name = column.name,
                               .type = *connect::pg::BuiltIn(column.type_oid, -1),
                               .not_null = column.not_null,
                               .default_expression = column.default_expression});
    }
    return table;
  }

  decoder::Insert Row(const std::vector<std::optional<std::string>>& values) {
    std::string bytes = "I" + Int(oid_, 4) + "N" + Int(values.size(), 2);
    for (const std::optional<std::string>& value : values) {
      bytes += value ? "t" + Int(value->size(), 4) + *value : "n";
    }
    return Read<decoder::Insert>(std::move(bytes));
  }

 private:
  static std::string Int(size_t value, size_t size) {
    std::string bytes;
    for (size_t i = size; i-- > 0;) bytes.push_back(static_cast<char>(value >> 8 * i & 0xff));
    return bytes;
  }

  template <typename T>
  T Read(std::string bytes) {
    bytes_.push_back(std::move(bytes));
    const absl::StatusOr<decoder::Message> message = decoder_.Decode(bytes_.back());
    if (!message.ok()) std::abort();
    return std::get<T>(*message);
  }

  std::vector<OutboxColumn> columns_;
  std::string schema_, name_;
  uint32_t oid_;
  decoder::Decoder decoder_;
  std::deque<std::string> bytes_;
  decoder::Relation relation_;
};

}  // namespace postrider::router
