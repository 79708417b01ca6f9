// PostgreSQL's built-in types by their fixed numbers (src/include/catalog/pg_type.dat), and what is known of them
// without a catalogue.
#pragma once

#include <cstdint>
#include <optional>

#include "base/table.h"

namespace postrider::connect::pg {

inline constexpr uint32_t kBool = 16, kBytea = 17, kChar = 18, kName = 19, kInt8 = 20, kInt2 = 21, kInt4 = 23,
                          kText = 25, kOid = 26, kJson = 114, kXml = 142, kPoint = 600, kLseg = 601, kPath = 602,
                          kBox = 603, kPolygon = 604, kLine = 628, kCidr = 650, kFloat4 = 700, kFloat8 = 701,
                          kCircle = 718, kMacaddr8 = 774, kMoney = 790, kMacaddr = 829, kInet = 869, kBpchar = 1042,
                          kVarchar = 1043, kDate = 1082, kTime = 1083, kTimestamp = 1114, kTimestamptz = 1184,
                          kInterval = 1186, kTimetz = 1266, kBit = 1560, kVarbit = 1562, kNumeric = 1700,
                          kRefcursor = 1790, kUuid = 2950, kTsvector = 3614, kTsquery = 3615, kJsonb = 3802,
                          kInt4range = 3904, kNumrange = 3906, kTsrange = 3908, kTstzrange = 3910, kDaterange = 3912,
                          kInt8range = 3926;

// The built-in type of this number, or the array of one; nullopt for types of extensions and users.
std::optional<TypeInfo> BuiltIn(uint32_t oid, int32_t modifier);

// The type of the array's elements. The array's modifier is its elements'.
TypeInfo ElementOf(const TypeInfo& array);
// False for an array whose elements are of a domain: its type is not the array type of the elements' base type.
bool IsPlainArray(const TypeInfo& array);

}  // namespace postrider::connect::pg
