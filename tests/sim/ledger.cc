#include "sim/ledger.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/text.h"

namespace postrider::sim {

void Ledger::Violation(std::string_view text) {
  if (violation_.empty()) violation_ = text;
}

void Ledger::Committed(const Transaction& transaction) {
  for (const Row& row : transaction.rows) {
    if (row.id >= facts_.size()) facts_.resize(row.id + 1);
    if (!row.is_event()) continue;
    Fact& fact = facts_[row.id];
    fact = {.event = true, .key = row.key, .table = row.table, .kind = row.kind, .commit_lsn = transaction.commit_lsn};
    fact.wanted = !Skippable(fact);
    missing_ += fact.wanted;
    auto& order = commit_order_[static_cast<size_t>(row.key)];
    fact.place = order.size();
    order.push_back(row.id);
  }
}

void Ledger::Unwant(Fact& fact) {
  if (fact.wanted && !fact.written) --missing_;
  fact.wanted = false;
}

void Ledger::Vanished(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    Fact& fact = facts_[row.id];
    if (!fact.event) continue;
    Unwant(fact);
    fact.vanished = true;
    auto& order = commit_order_[static_cast<size_t>(row.key)];
    order.resize(std::min(order.size(), fact.place));
    size_t& until = written_until_[static_cast<size_t>(row.key)];
    until = std::min(until, order.size());
  }
}

void Ledger::SlotMade(Lsn start, bool with_snapshot) {
  slot_made_ = true;
  slot_start_ = start;
  if (with_snapshot) return;
  for (Fact& fact : facts_)
    if (fact.event && fact.commit_lsn < start) Unwant(fact);
}

void Ledger::Produced(uint64_t id, bool in_snapshot) {
  ++produced_;
  if (id >= facts_.size() || !facts_[id].event)
    return Violation(absl::StrCat("row ", id, " was produced and is no event"));
  if (!in_snapshot && facts_[id].acknowledged_epoch == epoch_)
    Violation(absl::StrCat("row ", id, " was produced again though it was acknowledged in this process"));
}

void Ledger::Written(uint64_t id) {
  Fact& fact = facts_[id];
  if (fact.written) return;
  fact.written = true;
  if (fact.vanished) return;
  missing_ -= fact.wanted;
  // A snapshot gives its rows in no order.
  if (slot_made_ && fact.commit_lsn >= slot_start_) CheckOrder(id, fact);
}

void Ledger::CheckOrder(uint64_t id, const Fact& fact) {
  const auto& order = commit_order_[static_cast<size_t>(fact.key)];
  size_t& until = written_until_[static_cast<size_t>(fact.key)];
  for (; until < fact.place; ++until) {
    const Fact& earlier = facts_[order[until]];
    if (earlier.wanted && !earlier.written)
      return Violation(absl::StrCat("row ", id, " is in Kafka before row ", order[until], " of the same key"));
  }
}

void Ledger::Acknowledged(uint64_t id) {
  Fact& fact = facts_[id];
  if (!fact.written)
    Violation(absl::StrCat("the simulation itself is wrong: row ", id, " acknowledged but not written"));
  fact.acknowledged_epoch = epoch_;
}

void Ledger::NewEpoch(Lsn start) {
  ++epoch_;
  acknowledged_until_ = wal_->FirstFrom(start);
}

bool Ledger::AllAcknowledgedBefore(Lsn lsn) {
  const auto& transactions = wal_->transactions();
  for (; acknowledged_until_ < transactions.size(); ++acknowledged_until_) {
    const Transaction& transaction = transactions[acknowledged_until_];
    if (transaction.commit_lsn >= lsn) return true;
    for (const Row& row : transaction.rows) {
      if (!row.is_event()) continue;
      const Fact& fact = facts_[row.id];
      if (fact.acknowledged_epoch != epoch_ && !Skippable(fact)) return false;
    }
  }
  return true;
}

void Ledger::StoppedClean(Lsn confirmed) {
  const auto& transactions = wal_->transactions();
  for (size_t index = wal_->FirstFrom(confirmed); index < transactions.size(); ++index) {
    for (const Row& row : transactions[index].rows) {
      if (row.is_event() && facts_[row.id].acknowledged_epoch == epoch_)
        return Violation(absl::StrCat("stopped with code 0, and row ", row.id, " will be sent again"));
    }
  }
}

void Ledger::Confirming(Lsn flush, Lsn received) {
  if (flush > received)
    return Violation(absl::StrCat("confirmed ", flush.ToString(), " but received only up to ", received.ToString()));
  if (recorded_ && flush > recorded_())
    return Violation(absl::StrCat("confirmed ", flush.ToString(), " but the evidence says ", recorded_().ToString()));
  if (!AllAcknowledgedBefore(flush)) {
    Violation(absl::StrCat("confirmed ", flush.ToString(), " beyond the transaction whose commit record starts at ",
                           wal_->transactions()[acknowledged_until_].commit_lsn.ToString(),
                           ", which is not acknowledged"));
  }
}

}  // namespace postrider::sim
