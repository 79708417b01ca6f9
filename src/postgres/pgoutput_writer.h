// pgoutput messages made of a snapshot's rows, so that decoder and router see one form whether a row was read or
// streamed.
//
// Layouts: PostgreSQL manual, "Logical Replication Message Formats", protocol 1; decoder/message.h reads them. Each
// call replaces what `out` holds; its capacity is kept. Pure. Tested by tests/unit/postgres/pgoutput_writer_test.cc,
// through the decoder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "decoder/lsn.h"

namespace postrider::postgres {

struct SnapshotColumn {
  std::string name;
  uint32_t type_oid = 0;  // as declared: a domain's own
  int32_t type_modifier = -1;
};

void WriteBegin(Lsn position, int64_t unix_us, std::string& out);
void WriteRelation(uint32_t oid, std::string_view schema, std::string_view name,
                   const std::vector<SnapshotColumn>& columns, std::string& out);
// A row of COPY TO STDOUT in text format. A fault kInternal where it has another number of columns.
absl::Status WriteInsert(uint32_t oid, std::string_view copy_row, size_t columns, std::string& out);
void WriteCommit(Lsn position, int64_t unix_us, std::string& out);

}  // namespace postrider::postgres
