// The catalogue's facts of tables (base/table.h): one round trip for all of them.
//
// Works for 13 to 18 and for any role, because pg_catalog is open to all. Default expressions are printed with the
// session's own search_path, which is therefore not pinned on ordinary connections: Debezium reads the same text.
// Tested by tests/unit/postgres/catalog_test.cc (types) and connector_test.cc (needs a server).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/table.h"
#include "postgres/connection.h"

namespace postrider::postgres {

// In the order of schema and name; a table that is gone is left out.
absl::StatusOr<std::vector<Table>> ReadTables(Connection& connection, const std::vector<uint32_t>& oids);

// One row of pg_type.
struct TypeRow {
  std::string schema;
  std::string name;
  char kind = 'b';                  // typtype
  uint32_t base_oid = 0;            // a domain's
  int32_t base_modifier = -1;       // a domain's
  bool not_null = false;            // a domain's
  uint32_t element_oid = 0;         // an array's
  std::vector<std::string> labels;  // an enum's, in sort order
};
using TypeRows = std::map<uint32_t, TypeRow>;

// A column's type with its domains and its element resolved. `not_null` is set where one of the domains is NOT NULL.
TypeInfo ResolveType(const TypeRows& types, uint32_t oid, int32_t modifier, bool& not_null);

// "'{16384,16390}'::oid[]", for statements.
std::string OidArray(const std::vector<uint32_t>& oids);

}  // namespace postrider::postgres
