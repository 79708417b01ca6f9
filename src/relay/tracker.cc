#include "relay/tracker.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace postrider::relay {

bool AcknowledgedRows::Test(uint32_t ordinal) const {
  const size_t word = ordinal / 64;
  return word < words_.size() && (words_[word] >> (ordinal % 64) & 1) != 0;
}

void AcknowledgedRows::Set(uint32_t ordinal) {
  const size_t word = ordinal / 64;
  if (word >= words_.size()) words_.resize(word + 1);
  words_[word] |= uint64_t{1} << (ordinal % 64);
}

void AcknowledgedRows::Add(const AcknowledgedRows& other) {
  if (other.words_.size() > words_.size()) words_.resize(other.words_.size());
  for (size_t word = 0; word < other.words_.size(); ++word) words_[word] |= other.words_[word];
}

uint64_t AcknowledgedRows::count() const {
  uint64_t count = 0;
  for (const uint64_t word : words_) count += static_cast<uint64_t>(std::popcount(word));
  return count;
}

void Tracker::Begin(Lsn commit_lsn, int64_t commit_us) {
  POSTRIDER_CHECK(!open_);
  entries_.push_back(Entry{.commit_lsn = commit_lsn, .commit_us = commit_us});
  open_ = true;
}

bool Tracker::AcknowledgedBefore(uint32_t ordinal) const {
  POSTRIDER_CHECK(open_);
  if (acknowledged_before_.empty()) return false;
  const auto rows = acknowledged_before_.find(entries_.back().commit_lsn.value());
  return rows != acknowledged_before_.end() && rows->second.Test(ordinal);
}

void Tracker::AddAcknowledged(uint32_t ordinal) {
  POSTRIDER_CHECK(open_);
  Entry& entry = entries_.back();
  ++entry.records;
  entry.acknowledged.Set(ordinal);
}

uint64_t Tracker::Add(uint32_t ordinal, size_t bytes, RecordNote note) {
  POSTRIDER_CHECK(open_);
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const uint32_t index = free_slots_.back();
  free_slots_.pop_back();
  Slot& slot = slots_[index];
  slot = Slot{.entry = first_entry_ + entries_.size() - 1,
              .ordinal = ordinal,
              .generation = slot.generation + 1,
              .bytes = bytes,
              .used = true,
              .note = note};
  ++entries_.back().records;
  ++entries_.back().outstanding;
  ++outstanding_records_;
  outstanding_bytes_ += bytes;
  return uint64_t{slot.generation} << 32 | index;
}

size_t Tracker::SlotIndex(uint64_t tag) const {
  const auto index = static_cast<uint32_t>(tag);
  POSTRIDER_CHECK(index < slots_.size());
  POSTRIDER_CHECK(slots_[index].used && slots_[index].generation == tag >> 32);
  return index;
}

void Tracker::Release(uint64_t tag) {
  Slot& slot = slots_[SlotIndex(tag)];
  Entry& entry = EntryAt(slot.entry);
  POSTRIDER_CHECK(entry.outstanding > 0 && outstanding_records_ > 0);
  --entry.outstanding;
  --outstanding_records_;
  outstanding_bytes_ -= slot.bytes;
  slot.used = false;
  free_slots_.push_back(static_cast<uint32_t>(tag));
}

void Tracker::Remove(uint64_t tag) {
  // The entry must not count as complete because one of its records was never written: only the row that is still
  // in hand may be taken back, or all of them by Rewind.
  Entry& entry = EntryAt(slots_[SlotIndex(tag)].entry);
  POSTRIDER_CHECK(!entry.closed);
  --entry.records;
  Release(tag);
}

AcknowledgedRecord Tracker::Acknowledge(uint64_t tag) {
  const Slot& slot = slots_[SlotIndex(tag)];
  EntryAt(slot.entry).acknowledged.Set(slot.ordinal);
  const AcknowledgedRecord acknowledged{slot.note, EntryAt(slot.entry).commit_us, slot.bytes};
  Release(tag);
  Advance();
  return acknowledged;
}

void Tracker::Commit(Lsn end_lsn) {
  POSTRIDER_CHECK(open_);
  open_ = false;
  Entry& entry = entries_.back();
  entry.closed = true;
  entry.end_lsn = end_lsn;
  received_ = std::max(received_, end_lsn);
  if (entry.records == 0 && entries_.size() > 1 && entries_[entries_.size() - 2].records == 0) {
    entries_.pop_back();
    entries_.back().end_lsn = std::max(entries_.back().end_lsn, end_lsn);
  }
  Advance();
}

void Tracker::Position(Lsn end_lsn) {
  if (open_) return;
  received_ = std::max(received_, end_lsn);
  if (entries_.empty()) {
    confirmable_ = std::max(confirmable_, end_lsn);
  } else if (entries_.back().records == 0) {
    entries_.back().end_lsn = std::max(entries_.back().end_lsn, end_lsn);
  } else {
    entries_.push_back(Entry{.end_lsn = end_lsn, .closed = true});
  }
}

void Tracker::Advance() {
  while (!entries_.empty() && entries_.front().closed && entries_.front().outstanding == 0) {
    confirmable_ = std::max(confirmable_, entries_.front().end_lsn);
    if (entries_.front().records > 0 && entries_.front().commit_lsn.valid())
      published_.Add(entries_.front().commit_lsn, entries_.front().records);
    if (!acknowledged_before_.empty()) acknowledged_before_.erase(entries_.front().commit_lsn.value());
    entries_.pop_front();
    ++first_entry_;
  }
}

void Tracker::Rewind() {
  for (const Entry& entry : entries_) {
    if (entry.commit_lsn.valid() && !entry.acknowledged.empty())
      // Of a repeat that broke off, the rows behind the break are known from the time before it.
      acknowledged_before_[entry.commit_lsn.value()].Add(entry.acknowledged);
  }
  if (!entries_.empty() && (entries_.back().closed || entries_.back().commit_lsn.valid())) {
    const Entry& last = entries_.back();
    rewound_from_ = std::max(rewound_from_, last.closed ? last.end_lsn : Lsn(last.commit_lsn.value() + 1));
  }
  first_entry_ += entries_.size();
  entries_.clear();
  open_ = false;
  for (uint32_t index = 0; index < slots_.size(); ++index) {
    if (!slots_[index].used) continue;
    slots_[index].used = false;
    free_slots_.push_back(index);
  }
  outstanding_records_ = 0;
  outstanding_bytes_ = 0;
  received_ = confirmable_;
}

void Tracker::Reset() {
  Rewind();
  confirmable_ = Lsn();
  received_ = Lsn();
}

PublishedLog::Count Tracker::AcknowledgedFrom(Lsn lsn) const {
  PublishedLog::Count count = published_.From(lsn);
  for (const auto& [commit_lsn, rows] : acknowledged_before_) {
    if (Lsn(commit_lsn) < lsn) continue;
    ++count.transactions;
    count.events += rows.count();
  }
  return count;
}

void Tracker::ForgetAcknowledged() {
  acknowledged_before_.clear();
  published_.Clear();
  rewound_from_ = Lsn();
}

Tracker::RowPlace Tracker::PlaceOf(uint64_t tag) const {
  const Slot& slot = slots_[SlotIndex(tag)];
  return {entries_[slot.entry - first_entry_].commit_lsn, slot.ordinal};
}

}  // namespace postrider::relay
