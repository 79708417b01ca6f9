#include "postgres/relation_bytes.h"

#include <variant>

#include "base/check.h"
#include "decoder/decoder.h"
#include "postgres/pgoutput_writer.h"

namespace postrider::postgres {

std::string RelationBytes(const Table& table) {
  std::vector<SnapshotColumn> columns;
  for (const TableColumn& column : table.columns) {
    if (!column.generated) columns.push_back({column.name, column.type.oid, column.type.modifier});
  }
  std::string bytes;
  WriteRelation(table.oid, table.schema, table.name, columns, bytes);
  return bytes;
}

decoder::Relation RelationOf(const Table& table, std::string& bytes) {
  bytes = RelationBytes(table);
  const auto message = decoder::Decoder().Decode(bytes);
  POSTRIDER_CHECK(message.ok());
  return std::get<decoder::Relation>(*message);
}

}  // namespace postrider::postgres
