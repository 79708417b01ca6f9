#include "connect/pg_type.h"

#include <algorithm>
#include <string>

namespace postrider::connect::pg {
namespace {

struct Entry {
  uint32_t oid, array_oid;
  const char* name;
  char kind = 'b';
};

constexpr Entry kEntries[] = {
    {kBool, 1000, "bool"},
    {kBytea, 1001, "bytea"},
    {kChar, 1002, "char"},
    {kName, 1003, "name"},
    {kInt8, 1016, "int8"},
    {kInt2, 1005, "int2"},
    {kInt4, 1007, "int4"},
    {kText, 1009, "text"},
    {kOid, 1028, "oid"},
    {kJson, 199, "json"},
    {kXml, 143, "xml"},
    {kPoint, 1017, "point"},
    {kLseg, 1018, "lseg"},
    {kPath, 1019, "path"},
    {kBox, 1020, "box"},
    {kPolygon, 1027, "polygon"},
    {kLine, 629, "line"},
    {kCidr, 651, "cidr"},
    {kFloat4, 1021, "float4"},
    {kFloat8, 1022, "float8"},
    {kCircle, 719, "circle"},
    {kMacaddr8, 775, "macaddr8"},
    {kMoney, 791, "money"},
    {kMacaddr, 1040, "macaddr"},
    {kInet, 1041, "inet"},
    {kBpchar, 1014, "bpchar"},
    {kVarchar, 1015, "varchar"},
    {kDate, 1182, "date"},
    {kTime, 1183, "time"},
    {kTimestamp, 1115, "timestamp"},
    {kTimestamptz, 1185, "timestamptz"},
    {kInterval, 1187, "interval"},
    {kTimetz, 1270, "timetz"},
    {kBit, 1561, "bit"},
    {kVarbit, 1563, "varbit"},
    {kNumeric, 1231, "numeric"},
    {kRefcursor, 2201, "refcursor"},
    {kUuid, 2951, "uuid"},
    {kTsvector, 3643, "tsvector"},
    {kTsquery, 3645, "tsquery"},
    {kJsonb, 3807, "jsonb"},
    {kInt4range, 3905, "int4range", 'r'},
    {kNumrange, 3907, "numrange", 'r'},
    {kTsrange, 3909, "tsrange", 'r'},
    {kTstzrange, 3911, "tstzrange", 'r'},
    {kDaterange, 3913, "daterange", 'r'},
    {kInt8range, 3927, "int8range", 'r'},
};

const Entry* FindEntry(uint32_t oid, uint32_t Entry::*number) {
  const auto* found =
      std::find_if(std::begin(kEntries), std::end(kEntries), [&](const Entry& entry) { return entry.*number == oid; });
  return found == std::end(kEntries) ? nullptr : found;
}

}  // namespace

std::optional<TypeInfo> BuiltIn(uint32_t oid, int32_t modifier) {
  TypeInfo info{.oid = oid, .modifier = modifier, .schema = "pg_catalog"};
  if (const Entry* entry = FindEntry(oid, &Entry::oid)) {
    info.name = entry->name;
    info.kind = entry->kind;
    return info;
  }
  if (const Entry* entry = FindEntry(oid, &Entry::array_oid)) {
    info.name = std::string("_") + entry->name;
    info.element_oid = entry->oid;
    info.element_schema = info.schema;
    info.element_name = entry->name;
    info.element_kind = entry->kind;
    return info;
  }
  return std::nullopt;
}

TypeInfo ElementOf(const TypeInfo& array) {
  return {.oid = array.element_oid,
          .modifier = array.modifier,
          .schema = array.element_schema,
          .name = array.element_name,
          .kind = array.element_kind,
          .enum_labels = array.enum_labels};
}

bool IsPlainArray(const TypeInfo& array) {
  if (const Entry* entry = FindEntry(array.element_oid, &Entry::oid)) return entry->array_oid == array.oid;
  return array.name == "_" + array.element_name;
}

}  // namespace postrider::connect::pg
