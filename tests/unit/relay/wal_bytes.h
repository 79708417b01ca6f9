// pgoutput messages of a small outbox, as the server would send them. For tests only; fake_router.h reads the rows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/table.h"
#include "decoder/lsn.h"
#include "decoder/message.h"
#include "unit/decoder/bytes.h"

namespace postrider::relay {

inline constexpr decoder::Oid kOutboxOid = 16'400;
inline constexpr uint32_t kTextOid = 25;

struct OutboxRow {
  std::string id;
  std::string topic;
  std::string key;
  std::string payload;
};

inline std::string BeginBytes(Lsn commit_lsn) {
  return decoder::Bytes('B').Int64(commit_lsn.value()).Int64(0).Int32(700).str();
}

inline std::string CommitBytes(Lsn commit_lsn, Lsn end_lsn) {
  return decoder::Bytes('C').Int8(0).Int64(commit_lsn.value()).Int64(end_lsn.value()).Int64(0).str();
}

inline std::string RelationBytes(decoder::Oid oid = kOutboxOid, std::string_view table = "outbox") {
  decoder::Bytes bytes('R');
  bytes.Int32(oid).String("public").String(table).Char('d').Int16(4);
  for (std::string_view column : {"id", "topic", "key", "payload"})
    bytes.Int8(column == "id").String(column).Int32(kTextOid).Int32(0xffff'ffff);
  return bytes.str();
}

inline std::string RowBytes(char message, const OutboxRow& row, decoder::Oid oid) {
  return decoder::Bytes(message)
      .Int32(oid)
      .Char('N')
      .Int16(4)
      .Text(row.id)
      .Text(row.topic)
      .Text(row.key)
      .Text(row.payload)
      .str();
}

inline std::string InsertBytes(const OutboxRow& row, decoder::Oid oid = kOutboxOid) {
  return RowBytes('I', row, oid);
}
inline std::string UpdateBytes(const OutboxRow& row, decoder::Oid oid = kOutboxOid) {
  return RowBytes('U', row, oid);
}

// What the catalogue says of the same table. `version` stands for facts that the Relation message does not carry.
inline Table OutboxTable(decoder::Oid oid = kOutboxOid, std::string_view name = "outbox",
                         std::string_view version = "") {
  Table table{.oid = oid, .schema = "public", .name = std::string(name), .root_oid = oid};
  for (const char* column : {"id", "topic", "key", "payload"})
    table.columns.push_back({.name = column, .type = {.oid = kTextOid, .schema = "pg_catalog", .name = "text"}});
  table.columns[3].default_expression = std::string(version);
  return table;
}

}  // namespace postrider::relay
