// The ack tracker as it would be written without a thought of speed: every transaction is kept, every question is
// answered by a walk from the oldest. The property test drives it and the real one with the same random operations. For
// tests only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "decoder/lsn.h"

namespace postrider::relay {

class TrackerModel {
 public:
  void Begin(Lsn commit_lsn) {
    entries_.push_back({.commit_lsn = commit_lsn});
    open_ = true;
  }
  bool AcknowledgedBefore(uint32_t ordinal) const {
    const auto rows = before_.find(entries_.back().commit_lsn);
    return rows != before_.end() && rows->second.contains(ordinal);
  }
  void AddAcknowledged(uint32_t ordinal) { entries_.back().rows[ordinal] = true; }
  void Add(uint32_t ordinal) { entries_.back().rows[ordinal] = false; }
  void Remove(uint32_t ordinal) { entries_.back().rows.erase(ordinal); }
  void Acknowledge(Lsn commit_lsn, uint32_t ordinal) {
    for (Entry& entry : entries_)
      if (entry.commit_lsn == commit_lsn) entry.rows[ordinal] = true;
  }
  void Commit(Lsn end_lsn) {
    entries_.back().end_lsn = end_lsn;
    open_ = false;
  }
  void Position(Lsn end_lsn) {
    if (!open_) entries_.push_back({.end_lsn = end_lsn});
  }
  void Rewind() {
    const Lsn from = Confirmable();
    for (const Entry& entry : entries_) {
      for (const auto& [ordinal, acknowledged] : entry.rows)
        if (acknowledged && entry.commit_lsn.valid()) before_[entry.commit_lsn].insert(ordinal);
    }
    entries_.clear();
    if (from.valid()) entries_.push_back({.end_lsn = from});
    open_ = false;
  }

  Lsn Confirmable() const {
    Lsn end;
    for (const Entry& entry : entries_) {
      if (!entry.end_lsn.valid()) break;
      if (std::any_of(entry.rows.begin(), entry.rows.end(), [](const auto& row) { return !row.second; })) break;
      end = std::max(end, entry.end_lsn);
    }
    return end;
  }
  size_t Outstanding() const {
    size_t count = 0;
    for (const Entry& entry : entries_)
      count += std::count_if(entry.rows.begin(), entry.rows.end(), [](const auto& row) { return !row.second; });
    return count;
  }
  bool in_transaction() const { return open_; }

 private:
  struct Entry {
    Lsn commit_lsn;
    Lsn end_lsn;                    // zero: still open
    std::map<uint32_t, bool> rows;  // ordinal -> acknowledged
  };
  std::vector<Entry> entries_;
  bool open_ = false;
  std::map<Lsn, std::set<uint32_t>> before_;
};

}  // namespace postrider::relay
