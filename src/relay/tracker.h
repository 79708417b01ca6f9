// How far may be confirmed: the ack tracker.
//
// Everything received from the server becomes an entry, in order: a transaction with its records, or a bare position
// (a keepalive, a transaction without events). The position that may be confirmed is the end of the longest unbroken
// run of entries, from the oldest, whose records are all acknowledged. Acknowledgements come in any order; a later
// entry never confirms over an earlier one. Neighbours without records merge, so that an idle outbox beside a busy
// table costs nothing.
//
//   tracker.Begin(begin.final_lsn);
//   uint64_t tag = tracker.Add(ordinal, bytes);    // for each record handed to the producer
//   tracker.Commit(commit.end_lsn);
//   tracker.Acknowledge(tag);                      // a delivery report without error
//   tracker.confirmable();                         // what a status may say as `flush`
//
// The entries keep one bit a record: acknowledged or not. When the stream has to be repeated within this process,
// Rewind() turns them into the set of records that need not be sent again, keyed by (start of the commit record,
// ordinal of the row in its transaction). The set is dropped when another server, or a restarted one, answers
// (ForgetAcknowledged).
//
// Bounded: records by the byte budget, entries by `full()`. One thread. A tag that is not outstanding is a broken
// invariant. Sources: PostgreSQL's rule for what is sent again (src/backend/replication/logical/snapbuild.c,
// SnapBuildXactNeedsSkip). Tested by tests/unit/relay/tracker_test.cc, with property checks against a slow model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "decoder/lsn.h"
#include "relay/published_log.h"

namespace postrider::relay {

// One bit for each row of a transaction; 64 without an allocation.
class AcknowledgedRows {
 public:
  bool Test(uint32_t ordinal) const;
  void Set(uint32_t ordinal);
  void Add(const AcknowledgedRows& other);
  bool empty() const { return words_.empty(); }
  uint64_t count() const;

 private:
  absl::InlinedVector<uint64_t, 1> words_;
};

// What the tracker keeps of a record for the meter (relay/meter.h), and gives back with its acknowledgement.
struct RecordNote {
  int64_t produced_us = 0;  // monotonic
  uint32_t series = 0;
};
struct AcknowledgedRecord {
  RecordNote note;
  int64_t commit_us = 0;  // since 1970, the server's clock; 0: of a snapshot
  size_t bytes = 0;
};

class Tracker {
 public:
  // More entries than these are not kept: 100,000 unconfirmed transactions, a few MB.
  static constexpr size_t kEntriesMax = 100'000;

  // A transaction begins. `commit_lsn` is zero for a snapshot, whose rows are never skipped in a repeat. `commit_us`:
  // since 1970, the server's clock; 0: unknown.
  void Begin(Lsn commit_lsn, int64_t commit_us = 0);
  // True when this row of the open transaction was acknowledged before the stream was repeated.
  bool AcknowledgedBefore(uint32_t ordinal) const;
  // Counts a row that AcknowledgedBefore; keeps its bit for another repeat.
  void AddAcknowledged(uint32_t ordinal);
  // A record of the open transaction goes to the producer; the tag comes back with its report.
  uint64_t Add(uint32_t ordinal, size_t bytes, RecordNote note = {});
  // The producer did not take it after all, or reported it as not written: as if it had never been added.
  void Remove(uint64_t tag);
  AcknowledgedRecord Acknowledge(uint64_t tag);
  // The open transaction ends. `end_lsn` is zero for a snapshot.
  void Commit(Lsn end_lsn);
  // A bare position. In the middle of a transaction it says nothing beyond what came before it, and is left out.
  void Position(Lsn end_lsn);

  // Forgets entries and outstanding records for a repeat of the stream from confirmable(); remembers what was
  // acknowledged.
  void Rewind();
  // Positions start anew too: another server answers, or the slot stands elsewhere.
  void Reset();
  // How much of what was acknowledged committed at `lsn` or behind it; as far back as PublishedLog goes.
  PublishedLog::Count AcknowledgedFrom(Lsn lsn) const;
  // Drops what Rewind() remembered, and what was published.
  void ForgetAcknowledged();

  Lsn confirmable() const { return confirmable_; }
  // The end of the last whole transaction or position received on this connection.
  Lsn received() const { return received_; }
  bool in_transaction() const { return open_; }
  size_t entries() const { return entries_.size(); }
  bool full() const { return entries() >= kEntriesMax; }
  // Nothing received is unconfirmed; what a Rewind forgot counts until it has come again.
  bool idle() const { return entries_.empty() && confirmable_ >= rewound_from_; }
  // When the oldest transaction that is not wholly acknowledged was committed; 0: there is none, or it is not known.
  int64_t oldest_commit_us() const { return entries_.empty() ? 0 : entries_.front().commit_us; }
  size_t outstanding_records() const { return outstanding_records_; }
  size_t outstanding_bytes() const { return outstanding_bytes_; }

  struct RowPlace {
    Lsn commit_lsn;
    uint32_t ordinal = 0;
    friend bool operator==(const RowPlace&, const RowPlace&) = default;
  };
  // Which row an outstanding tag belongs to.
  RowPlace PlaceOf(uint64_t tag) const;

 private:
  struct Entry {
    Lsn commit_lsn;
    Lsn end_lsn;
    int64_t commit_us = 0;
    uint32_t records = 0;
    uint32_t outstanding = 0;
    bool closed = false;
    AcknowledgedRows acknowledged;
  };
  // One outstanding record. Free slots are reused; the generation in the tag tells a late report from a current one.
  struct Slot {
    uint64_t entry = 0;
    uint32_t ordinal = 0;
    uint32_t generation = 0;
    size_t bytes = 0;
    bool used = false;
    RecordNote note;
  };

  Entry& EntryAt(uint64_t number) { return entries_[number - first_entry_]; }
  // Where an outstanding tag's slot is; any other tag is a broken invariant.
  size_t SlotIndex(uint64_t tag) const;
  void Release(uint64_t tag);
  void Advance();

  std::deque<Entry> entries_;
  uint64_t first_entry_ = 0;  // the number of entries_.front()
  bool open_ = false;         // entries_.back() is a transaction without its Commit
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_slots_;
  size_t outstanding_records_ = 0;
  size_t outstanding_bytes_ = 0;
  Lsn confirmable_;
  Lsn received_;
  Lsn rewound_from_;                                                     // how far the stream had come before a Rewind
  absl::flat_hash_map<uint64_t, AcknowledgedRows> acknowledged_before_;  // by commit LSN
  PublishedLog published_;                                               // transactions behind confirmable_
};

}  // namespace postrider::relay
