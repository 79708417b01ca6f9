// A table of the catalogue as the Relation message that pgoutput would send for it.
//
// So that a snapshot's rows, and the check of the configuration at start, go the same way as the stream. Columns that
// pgoutput leaves out (generated ones up to 17, and unless asked for later) are left out here. Layout: PostgreSQL
// manual, "Logical Replication Message Formats". Tested by tests/unit/postgres/relation_bytes_test.cc.
#pragma once

#include <string>

#include "base/table.h"
#include "decoder/message.h"

namespace postrider::postgres {

std::string RelationBytes(const Table& table);
// The same, decoded; its views are of `bytes`.
decoder::Relation RelationOf(const Table& table, std::string& bytes);

}  // namespace postrider::postgres
