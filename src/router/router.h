// Debezium's Outbox Event Router as a pure function: (relation, row) -> record. READ THIS FIRST in router/.
//
// A plan is compiled once per Relation (which column is key, payload, header, partition; which converter writes it); a
// row then runs it without looking anything up. No clock, no log, no I/O. One thread at a time.
//
// Rules and their order: Debezium 3.6.1, EventRouterDelegate; see COMPATIBILITY.md. What Debezium stops on is told
// apart here:
//   - the configuration contradicts the table (a column that is not there): SetRelation gives a fault kConfiguration;
//   - one row cannot be published as things are (no route, a negative time): Routed::kHeld with the reason.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/record.h"
#include "base/table.h"
#include "config/config.h"
#include "decoder/message.h"

namespace postrider::router {

// What became of one row.
struct Routed {
  enum class Kind {
    kRecord,   // `record` is to be published
    kIgnored,  // nothing to publish: an operation or a table that the router does not take, or a Filter drops it
    kHeld,  // cannot be published as things are; `reason` says why, naming column, topic or setting, never the payload
  };
  Kind kind = Kind::kIgnored;
  Record record;            // views live until the next call on this Router; for kHeld the id is set where it is known
  std::string_view reason;  // kHeld
  bool expansion_failed = false;  // the payload was to be expanded and could not: it went out as text
};

class Router {
 public:
  // A fault kConfiguration where regex, replacement or fields contradict themselves.
  static absl::StatusOr<std::unique_ptr<Router>> Make(const config::Config& config);
  virtual ~Router() = default;

  // Compiles the plan for a relation, replacing an older one of the same oid. `catalogue` may
  // be null (then all columns count as nullable, without defaults). A fault kConfiguration where the configuration
  // contradicts the table. A table that table.include.list, a Filter before the router, or the router's predicate
  // leaves out gets an empty plan: its rows are ignored.
  virtual absl::Status SetRelation(const decoder::Relation& relation, const Table* catalogue) = 0;
  // True when rows of this relation are to be routed: a catalogue is worth reading.
  virtual bool Wants(const decoder::Relation& relation) const = 0;
  // Forgets all relations: at each (re)connect, since the server sends them anew.
  virtual void Reset() = 0;

  // One inserted row. InvalidArgument when the relation was never announced or the row does not fit it (a protocol
  // break).
  virtual absl::StatusOr<Routed> Insert(const decoder::Insert& insert, int64_t now_ms) = 0;
  // A row that could not be routed as a JSON object of its columns' texts, so that it can be kept elsewhere.
  virtual std::string RowAsJson(const decoder::Insert& insert) const = 0;
  // True when rows of this announced relation are routed; false for tables that are left out, and unknown ones.
  virtual bool Routes(decoder::Oid oid) const = 0;
  // "schema.table" of an announced relation, for logs and counters; empty when unknown.
  virtual std::string_view TableName(decoder::Oid oid) const = 0;
};

}  // namespace postrider::router
