#include "decoder/message.h"

#include "decoder/wire.h"

namespace postrider::decoder {

void Tuple::CopyTo(std::vector<Value>& values) const {
  values.resize(size_);
  const char* at = body_.data();
  for (Value& value : values) {
    value.kind = static_cast<ValueKind>(*at++);
    if (value.kind == ValueKind::kNull || value.kind == ValueKind::kUnchanged) {
      value.bytes = {};
      continue;
    }
    const auto length = LoadBigEndian<uint32_t>(at);
    value.bytes = std::string_view(at + sizeof length, length);
    at += sizeof length + length;
  }
}

void ColumnList::CopyTo(std::vector<Column>& columns) const {
  columns.resize(size_);
  Reader reader(body_);
  for (Column& column : columns) {
    column.key = (reader.Int<uint8_t>() & 1) != 0;
    column.name = reader.String();
    column.type_oid = reader.Int<uint32_t>();
    column.type_modifier = static_cast<int32_t>(reader.Int<uint32_t>());
  }
}

Oid Truncate::relation_oid(size_t index) const {
  return LoadBigEndian<uint32_t>(relation_oids.data() + index * sizeof(Oid));
}

}  // namespace postrider::decoder
