// The record timestamp out of the column that table.field.event.timestamp names.
//
// Debezium takes timestamp columns only, and not under time.precision.mode=connect. Here also timestamptz, and bigint
// as milliseconds since 1970, under every mode. Pure. Tested by tests/unit/router/event_time_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace postrider::router {

bool CanBeEventTime(uint32_t type_oid);

// Milliseconds since 1970, microseconds cut off toward zero; of an infinity what Debezium makes of it. nullopt for text
// that is no value of the type.
std::optional<int64_t> EventTimeMs(uint32_t type_oid, std::string_view text);

}  // namespace postrider::router
