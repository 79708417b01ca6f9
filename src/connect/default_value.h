// The default of a column's schema, out of the text of its DEFAULT expression.
//
// Debezium's PostgresDefaultValueConverter: literals are read, function calls stand for a fixed placeholder, anything
// else is no default. Its oddities show in schemas and in the place of nulls, so they are kept: a text ends at its
// first inner quote. Pure. Tested by tests/unit/connect/default_value_test.cc.
#pragma once

#include <string_view>

#include "connect/column_type.h"

namespace postrider::connect {

// In `arena`; nullptr where there is none. `type_name` is the name of the column's type, `type` the compiled type.
const Value* ParseDefault(const ColumnType& type, std::string_view type_name, std::string_view expression,
                          Arena& arena);

}  // namespace postrider::connect
