// What the server's catalogue says of a table beyond its Relation message: the facts that shape Debezium's schemas
// (nullability, defaults, type names). Read by postgres/ when a Relation arrives, used by router/ to compile a plan.
//
// It is the catalogue of *now*, not of the row's point in the WAL, exactly as Debezium reads it: a column that was
// renamed or dropped since is missing here, and the plan then takes it as nullable, without a default, of the type that
// the Relation names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace postrider {

// A type with what is needed to convert it: domains are resolved to their base, arrays name their element.
struct TypeInfo {
  uint32_t oid = 0;       // of the base type where the column's type is a domain
  int32_t modifier = -1;  // of the column, or of the domain where the column has none
  std::string schema;     // "pg_catalog", "public", ...
  std::string name;       // pg_type.typname of the base type: "uuid", "_text", "mood", "hstore"
  char kind = 'b';        // pg_type.typtype of the base type: b base, c composite, e enum, r range, m multirange
  std::vector<std::string> enum_labels;  // in sort order; for an array of an enum: the element's
  uint32_t element_oid = 0;              // arrays: the element's base type
  std::string element_schema;
  std::string element_name;
  char element_kind = 0;
};

struct TableColumn {
  std::string name;
  TypeInfo type;
  bool not_null = false;                          // attnotnull, or a NOT NULL domain
  bool generated = false;                         // GENERATED ALWAYS AS (...) STORED: not in the stream up to 17
  std::optional<std::string> default_expression;  // pg_get_expr(adbin, adrelid)
};

struct Table {
  uint32_t oid = 0;
  std::string schema;
  std::string name;
  char kind = 'r';         // pg_class.relkind: r table, p partitioned table
  char persistence = 'p';  // pg_class.relpersistence
  uint32_t root_oid = 0;   // the topmost partitioned table above it; its own oid where there is none
  std::string root_schema;
  std::string root_name;
  std::vector<TableColumn> columns;  // live columns by attnum

  const TableColumn* FindColumn(std::string_view column) const {
    for (const TableColumn& candidate : columns)
      if (candidate.name == column) return &candidate;
    return nullptr;
  }
};

}  // namespace postrider
