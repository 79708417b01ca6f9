// The judge: what was committed, what is in Kafka, what was acknowledged, what was confirmed; and whether that may be.
//
// Each check is made at the step that could break it. The first violation ends the life; it says what was promised and
// what happened.
//   - a position is confirmed only when every event before it was acknowledged in this life of the relay, and was
//   received
//   - and only when the evidence record, where one is kept, says as much
//   - per key, first occurrences in Kafka come in the order of their commits, without a gap
//   - a record that was acknowledged is not produced again by the same process on the same server
//   - a record is parked only for a fault of its own; its dead letter then stands for it in all of the above
//   - at the end every event is in Kafka, except those skipped by order, and nothing that was never committed
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "decoder/lsn.h"
#include "sim/wal.h"

namespace postrider::sim {

class Ledger {
 public:
  Ledger(const Wal* wal, bool skips) : wal_(wal), skips_(skips) {}
  // The relay keeps an evidence record, and this is how far it reaches.
  void Judge(std::function<Lsn()> recorded) { recorded_ = std::move(recorded); }

  // ---- the database
  void Committed(const Transaction& transaction);
  void Vanished(const std::vector<Row>& rows);
  // The slot was made at this position: what lies before it is the snapshot's, or nobody's.
  void SlotMade(Lsn start, bool with_snapshot);

  // ---- Kafka
  void Produced(uint64_t id, bool in_snapshot);
  void Written(uint64_t id);
  void Acknowledged(uint64_t id);
  RowKind KindOf(uint64_t id) const { return id < facts_.size() ? facts_[id].kind : RowKind::kEvent; }
  int TableOf(uint64_t id) const { return id < facts_.size() ? facts_[id].table : 0; }

  // ---- the relay
  // Another process, or another server for it: what was acknowledged before does not count; the stream begins at
  // `start`.
  void NewEpoch(Lsn start);
  // The relay tells the server that everything before `flush` is safe; `received` is the last position it was given.
  void Confirming(Lsn flush, Lsn received);
  // Every event before this position was acknowledged in this epoch, or lies before its beginning.
  bool AllAcknowledgedBefore(Lsn lsn);
  // A clean stop: nothing that was acknowledged may be sent again from here.
  void StoppedClean(Lsn confirmed);

  // ---- the end
  bool Complete() const { return missing_ == 0; }
  uint64_t missing() const { return missing_; }
  uint64_t produced() const { return produced_; }

  void Violation(std::string_view text);
  bool violated() const { return !violation_.empty(); }
  const std::string& violation() const { return violation_; }

 private:
  struct Fact {
    bool event = false;
    int key = 0;
    int table = 0;
    RowKind kind = RowKind::kEvent;
    Lsn commit_lsn;
    size_t place = 0;  // in the commit order of its key
    bool vanished = false;
    bool wanted = true;  // its absence at the end is a loss
    bool written = false;
    uint32_t acknowledged_epoch = 0;
  };

  bool Skippable(const Fact& fact) const {
    return skips_ && (fact.kind == RowKind::kUnroutable || fact.kind == RowKind::kPoison);
  }
  void CheckOrder(uint64_t id, const Fact& fact);
  void Unwant(Fact& fact);

  const Wal* const wal_;
  const bool skips_;
  std::function<Lsn()> recorded_;
  std::vector<Fact> facts_;                                // by row id
  std::array<std::vector<uint64_t>, kKeys> commit_order_;  // of every event that has not vanished
  std::array<size_t, kKeys> written_until_{};              // all of these before it are in Kafka
  Lsn slot_start_;
  bool slot_made_ = false;
  uint64_t missing_ = 0;
  uint64_t produced_ = 0;
  uint32_t epoch_ = 1;
  size_t acknowledged_until_ = 0;  // index of the first transaction of this epoch that is not acknowledged as a whole
  std::string violation_;
};

}  // namespace postrider::sim
