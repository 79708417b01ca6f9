// What the EventRouter does with the rows of one relation, worked out once: columns by position, types, converters,
// headers in order.
//
// Compiled from the relation, the catalogue's facts and the configuration; all that contradicts is found here.
// Immutable but for the buffers of its converters. Lives in the Router, dies with the relation. Inside router/ only.
// Tested by tests/unit/router/plan_test.cc.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/table.h"
#include "base/table_filter.h"
#include "config/config.h"
#include "connect/arena.h"
#include "connect/column_type.h"
#include "connect/converter.h"
#include "decoder/message.h"
#include "router/context.h"

namespace postrider::router {

// The configuration's converters; they outlive all plans.
struct Converters {
  connect::Converter key, value, header;
};

// One column that the router reads.
struct Slot {
  size_t index = 0;  // in the relation
  std::string column;
  connect::ColumnType type;
};

struct HeaderSlot {
  std::string key;
  Slot slot;
  connect::BoundConverter converter;
};

struct Plan {
  std::string table;  // "schema.table"
  size_t column_count = 0;

  Slot id, key, payload, route;
  std::optional<Slot> time, version, partition, trace;
  std::vector<OwnedHeader> first_headers;                                   // of the change event, before the router
  std::vector<HeaderSlot> headers;                                          // `id` first
  std::optional<connect::BoundConverter> key_converter, payload_converter;  // no payload_converter with an envelope
  bool expand = false;

  // With additional fields in the value: a struct of the payload and these.
  bool envelope = false;
  std::vector<Slot> envelope_slots;
  std::vector<connect::Field> envelope_fields;         // "payload" first; its schema is the current row's
  const connect::Schema* envelope_payload = nullptr;   // the schema of a payload that is not expanded
  std::string envelope_name_start, envelope_name_end;  // the route goes between

  connect::Arena arena;  // owns the schemas
};

struct PlanInput {
  const decoder::Relation& relation;
  const Table* catalogue;  // may be null
  const config::Config& config;
  const TableFilter& column_filter;  // over schema."table.column"
  const Converters& converters;
};

// A fault kConfiguration in one sentence that names column, table and key.
absl::StatusOr<std::unique_ptr<Plan>> CompilePlan(const PlanInput& input);

}  // namespace postrider::router
