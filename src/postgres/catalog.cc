#include "postgres/catalog.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace postrider::postgres {
namespace {

// $1 stands for the tables' oids.
constexpr char kTablesSql[] =
    "SELECT c.oid, n.nspname, c.relname, c.relkind, c.relpersistence, r.oid, rn.nspname, r.relname"
    " FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
    " JOIN pg_catalog.pg_class r ON r.oid = CASE WHEN c.relispartition THEN pg_catalog.pg_partition_root(c.oid) ELSE "
    "c.oid END"
    " JOIN pg_catalog.pg_namespace rn ON rn.oid = r.relnamespace"
    " WHERE c.oid = ANY ($1) ORDER BY n.nspname, c.relname;";

constexpr char kColumnsSql[] =
    "SELECT a.attrelid, a.attname, a.atttypid, a.atttypmod, a.attnotnull, a.attgenerated <> '',"
    " CASE WHEN a.attgenerated = '' THEN pg_catalog.pg_get_expr(d.adbin, d.adrelid) END"
    " FROM pg_catalog.pg_attribute a LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum"
    " WHERE a.attrelid = ANY ($1) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attrelid, a.attnum;";

// The columns' types, and what these are made of: the base of a domain, the element of an array.
constexpr char kTypesWith[] =
    "WITH RECURSIVE used(oid) AS (SELECT DISTINCT atttypid FROM pg_catalog.pg_attribute"
    " WHERE attrelid = ANY ($1) AND attnum > 0 AND NOT attisdropped"
    " UNION SELECT CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.typelem END FROM used u"
    " JOIN pg_catalog.pg_type t ON t.oid = u.oid WHERE t.typtype = 'd' OR (t.typcategory = 'A' AND t.typelem <> 0))";
constexpr char kTypesSql[] =
    " SELECT t.oid, n.nspname, t.typname, t.typtype, t.typbasetype, t.typtypmod, t.typnotnull,"
    " CASE WHEN t.typcategory = 'A' THEN t.typelem ELSE 0 END"
    " FROM used u JOIN pg_catalog.pg_type t ON t.oid = u.oid JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace;";
constexpr char kLabelsSql[] =
    " SELECT e.enumtypid, e.enumlabel FROM used u JOIN pg_catalog.pg_enum e ON e.enumtypid = u.oid"
    " ORDER BY e.enumtypid, e.enumsortorder;";

// A chain of domains is as long as the catalogue makes it; a longer one than this is none.
constexpr int kDomainDepthMax = 64;

uint32_t Oid(const Result& result, int row, int column) {
  return static_cast<uint32_t>(result.Integer(row, column));
}

TypeRows ReadTypes(const Result& types, const Result& labels) {
  TypeRows rows;
  for (int row = 0; row < types.rows(); ++row) {
    rows[Oid(types, row, 0)] = TypeRow{.schema = types.Text(row, 1),
                                       .name = types.Text(row, 2),
                                       .kind = types.Text(row, 3)[0],
                                       .base_oid = Oid(types, row, 4),
                                       .base_modifier = static_cast<int32_t>(types.Integer(row, 5)),
                                       .not_null = types.Bool(row, 6),
                                       .element_oid = Oid(types, row, 7),
                                       .labels = {}};
  }
  for (int row = 0; row < labels.rows(); ++row) rows[Oid(labels, row, 0)].labels.push_back(labels.Text(row, 1));
  return rows;
}

// The type below all domains; null for one that the catalogue no longer has.
const TypeRow* BaseType(const TypeRows& types, uint32_t& oid, int32_t& modifier, bool& not_null) {
  for (int depth = 0; depth < kDomainDepthMax; ++depth) {
    const auto found = types.find(oid);
    if (found == types.end()) return nullptr;
    if (found->second.kind != 'd') return &found->second;
    if (modifier < 0) modifier = found->second.base_modifier;
    not_null = not_null || found->second.not_null;
    oid = found->second.base_oid;
  }
  return nullptr;
}

TableColumn ReadColumn(const TypeRows& types, const Result& result, int row) {
  TableColumn column{.name = result.Text(row, 1),
                     .type = {},
                     .not_null = result.Bool(row, 4),
                     .generated = result.Bool(row, 5),
                     .default_expression = std::nullopt};
  column.type = ResolveType(types, Oid(result, row, 2), static_cast<int32_t>(result.Integer(row, 3)), column.not_null);
  if (!result.IsNull(row, 6)) column.default_expression = result.Text(row, 6);
  return column;
}

}  // namespace

std::string OidArray(const std::vector<uint32_t>& oids) {
  return absl::StrCat("'{", absl::StrJoin(oids, ","), "}'::oid[]");
}

TypeInfo ResolveType(const TypeRows& types, uint32_t oid, int32_t modifier, bool& not_null) {
  TypeInfo info{.oid = oid, .modifier = modifier};
  const TypeRow* base = BaseType(types, info.oid, info.modifier, not_null);
  if (base == nullptr) return info;
  info.schema = base->schema;
  info.name = base->name;
  info.kind = base->kind;
  info.enum_labels = base->labels;
  if (base->element_oid == 0) return info;
  info.element_oid = base->element_oid;
  int32_t element_modifier = -1;
  bool element_not_null = false;
  const TypeRow* element = BaseType(types, info.element_oid, element_modifier, element_not_null);
  if (element == nullptr) return info;
  info.element_schema = element->schema;
  info.element_name = element->name;
  info.element_kind = element->kind;
  info.enum_labels = element->labels;
  return info;
}

absl::StatusOr<std::vector<Table>> ReadTables(Connection& connection, const std::vector<uint32_t>& oids) {
  const std::string sql = absl::StrReplaceAll(
      absl::StrCat(kTablesSql, kColumnsSql, kTypesWith, kTypesSql, kTypesWith, kLabelsSql), {{"$1", OidArray(oids)}});
  const auto results = connection.Execute(sql, {.doing = "reading the catalogue"});
  if (!results.ok()) return results.status();
  if (results->size() != 4) return MakeFault(Fault::kInternal, "the catalogue gave another number of results");
  const Result& tables_result = (*results)[0];
  const TypeRows types = ReadTypes((*results)[2], (*results)[3]);
  std::map<uint32_t, std::vector<TableColumn>> columns;
  for (int row = 0; row < (*results)[1].rows(); ++row) {
    columns[Oid((*results)[1], row, 0)].push_back(ReadColumn(types, (*results)[1], row));
  }
  std::vector<Table> tables;
  for (int row = 0; row < tables_result.rows(); ++row) {
    const uint32_t oid = Oid(tables_result, row, 0);
    tables.push_back(Table{.oid = oid,
                           .schema = tables_result.Text(row, 1),
                           .name = tables_result.Text(row, 2),
                           .kind = tables_result.Text(row, 3)[0],
                           .persistence = tables_result.Text(row, 4)[0],
                           .root_oid = Oid(tables_result, row, 5),
                           .root_schema = tables_result.Text(row, 6),
                           .root_name = tables_result.Text(row, 7),
                           .columns = std::move(columns[oid])});
  }
  return tables;
}

}  // namespace postrider::postgres
