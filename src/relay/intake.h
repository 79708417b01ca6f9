// Source -> decoder -> router -> publisher: reads the stream, one message at a time, as far as it can go.
//
// A message that cannot be finished yet (the budget is full, its topic is looked up, the row is held, the catalogue of
// a new relation is being read) stays in hand: nothing further is read, so its views stay valid, and it is tried again
// at the next Step.
//
// Belongs to the loop's thread; nothing blocks. Tested by tests/unit/relay/relay_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/clock.h"
#include "config/config.h"
#include "decoder/decoder.h"
#include "postgres/connector.h"
#include "postgres/source.h"
#include "relay/confirmer.h"
#include "relay/publisher.h"
#include "relay/stats.h"
#include "relay/tracker.h"
#include "router/router.h"

namespace postrider::relay {

class Intake {
 public:
  enum class Progress {
    kIdle,            // no complete message waits
    kMore,            // the turn is over, more may wait
    kBlocked,         // a message is in hand
    kEnd,             // SnapshotEnd
    kTransactionEnd,  // asked for by `until_commit`: the open transaction is complete
  };

  Intake(const config::Config& config, const Clock* clock, router::Router* router, postgres::Connector* connector,
         Publisher* publisher, Tracker* tracker, Confirmer* confirmer, Stats* stats);

  // A new stream begins; `tables` are the catalogue's facts read with it.
  void Connected(std::vector<Table> tables, bool snapshot);

  // Reads for one turn (bounded, so that statuses and reports get theirs). Errors: the source's own, a protocol break
  // (kInternal), or the configuration contradicting a table. With `until_commit` it stops after the Commit of the open
  // transaction.
  absl::StatusOr<Progress> Step(postgres::Source& source, bool until_commit);

  bool row_in_hand() const { return in_hand_.has_value(); }
  // Of the open transaction: its commit's position, and how many of its rows were taken.
  Lsn commit_lsn() const { return commit_lsn_; }
  uint32_t rows() const { return ordinal_; }

 private:
  absl::StatusOr<Progress> TakeMessage(const postgres::SourceMessage& message, bool until_commit);
  // True when the message is done with; false when it stays in hand.
  absl::StatusOr<bool> Handle(const decoder::Message& message);
  absl::StatusOr<bool> HandleRelation(const decoder::Relation& relation);
  absl::StatusOr<bool> Lookup(const decoder::Relation& relation);
  absl::StatusOr<bool> SetRelation(const decoder::Relation& relation, const Table* catalogue);
  absl::StatusOr<bool> HandleInsert(const decoder::Insert& insert);
  absl::Status Route(const decoder::Insert& insert, std::string_view table, int64_t now_us);
  void LookForRow(const decoder::Insert& insert, int64_t now_us);
  // A row that is no event: counted.
  void Ignore(std::string_view table);
  absl::Status HandleUpdate(const decoder::Update& update);
  absl::Status CheckInTransaction(std::string_view what) const;

  const config::InvalidOperation invalid_operation_;
  const Clock* const clock_;
  router::Router* const router_;
  postgres::Connector* const connector_;
  Publisher* const publisher_;
  Tracker* const tracker_;
  Confirmer* const confirmer_;
  Stats* const stats_;

  decoder::Decoder decoder_;
  absl::flat_hash_map<decoder::Oid, Table> catalogue_;
  std::optional<decoder::Message> in_hand_;
  std::optional<router::Routed> routed_;  // of the Insert in hand
  std::string row_text_;                  // of one that cannot be routed
  decoder::Oid lookup_oid_ = 0;           // the table whose catalogue is being read; 0 when none is
  bool lookup_stale_ = false;             // it was asked for on an earlier connection
  enum class Look { kNone, kAsked, kStale } look_ = Look::kNone;  // for the row of an event that is to be parked
  bool snapshot_ = false;
  Lsn commit_lsn_;        // of the open transaction
  uint32_t ordinal_ = 0;  // of the next row in it
  int64_t expansion_warned_us_ = 0;
};

}  // namespace postrider::relay
