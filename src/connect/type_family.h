// The families of types behind CompileColumnType. Inside connect/ only.
//
// Each function takes a type if it is of its family: it fills in type, name and parameters of `schema` and what
// `column` needs to decode, and returns true. `column` comes with types, oid, kind and in_array set; optional and
// default are the caller's.
#pragma once

#include "connect/column_type.h"

namespace postrider::connect {

bool CompileScalar(const TypeInfo& type, Arena& arena, Schema& schema, ColumnType& column);
bool CompileDecimal(const TypeInfo& type, Arena& arena, Schema& schema, ColumnType& column);
bool CompileTime(const TypeInfo& type, Arena& arena, Schema& schema, ColumnType& column);
bool CompileInterval(const TypeInfo& type, Arena& arena, Schema& schema, ColumnType& column);
bool CompileArray(const TypeInfo& type, Arena& arena, Schema& schema, ColumnType& column);
bool CompileMap(const TypeInfo& type, Arena& arena, Schema& schema, ColumnType& column);  // hstore
bool CompileGeometry(const TypeInfo& type, Arena& arena, Schema& schema,
                     ColumnType& column);  // point, PostGIS, pgvector
// Last: include.unknown.datatypes.
bool CompileUnknown(const TypeInfo& type, Arena& arena, Schema& schema, ColumnType& column);

// `type` without a default, optional or not, for elements of arrays.
std::optional<ColumnType> CompileBare(const TypeInfo& type, bool optional, bool in_array, const config::Types& types,
                                      Arena& arena);

// A value of bytes under binary.handling.mode, and the schema type of such values.
Value BinaryValue(config::BinaryMode mode, std::string_view bytes, Arena& arena);
Type BinaryType(config::BinaryMode mode);

// A date or time that is a column's default: pgjdbc's TimestampUtils reads it, whose infinities are LocalDateTime.MAX
// and MIN.
Decoded DecodeTimeDefault(const ColumnType& type, std::string_view text, Arena& arena, Value& value);

}  // namespace postrider::connect
