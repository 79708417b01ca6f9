#include "sim/wal.h"

#include <algorithm>
#include <cstdlib>

namespace postrider::sim {
namespace {

Lsn After(Lsn lsn, uint64_t bytes) {
  return Lsn(lsn.value() + bytes);
}

}  // namespace

Row Wal::MakeRow() {
  Row row{
      .id = next_id_++, .key = static_cast<int>(random_->Below(kKeys)), .table = static_cast<int>(random_->Below(2))};
  if (random_->Chance(traits_.large_percent)) row.kind = RowKind::kLarge;
  if (random_->Chance(3)) row.kind = RowKind::kIgnored;
  if (random_->Chance(3)) row.kind = RowKind::kUpdate;
  if (traits_.poison_rows && random_->Chance(5)) row.kind = RowKind::kPoison;
  if (traits_.unroutable_rows && random_->Chance(2)) row.kind = RowKind::kUnroutable;
  return row;
}

const Transaction& Wal::Commit() {
  Transaction transaction{.begin_lsn = end_, .commit_lsn = After(end_, 64), .end_lsn = After(end_, 112)};
  transaction.ours = !random_->Chance(20);
  if (transaction.ours) {
    const auto rows = random_->Chance(3) ? random_->Between(20, 150) : random_->Between(1, traits_.rows_max);
    for (int64_t count = 0; count < rows; ++count) transaction.rows.push_back(MakeRow());
  }
  end_ = After(end_, 128);
  transactions_.push_back(std::move(transaction));
  return transactions_.back();
}

void Wal::WriteElsewhere() {
  end_ = After(end_, 128 * static_cast<uint64_t>(random_->Between(1, 5)));
}

std::vector<Row> Wal::Cut(Lsn cut) {
  std::vector<Row> vanished;
  while (!transactions_.empty() && transactions_.back().begin_lsn >= cut) {
    const std::vector<Row>& rows = transactions_.back().rows;
    vanished.insert(vanished.end(), rows.begin(), rows.end());
    transactions_.pop_back();
  }
  end_ = cut;
  return vanished;
}

size_t Wal::FirstFrom(Lsn lsn) const {
  const auto first = std::lower_bound(transactions_.begin(), transactions_.end(), lsn,
                                      [](const Transaction& one, Lsn from) { return one.commit_lsn < from; });
  return static_cast<size_t>(first - transactions_.begin());
}

relay::OutboxRow BytesOf(const Row& row) {
  relay::OutboxRow bytes{.id = std::to_string(row.id), .topic = row.topic(), .key = std::to_string(row.key)};
  bytes.payload.assign(row.kind == RowKind::kLarge ? kLargeBytes : 20, 'p');
  if (row.kind == RowKind::kIgnored) bytes.topic = "ignored";
  if (row.kind == RowKind::kUnroutable) bytes.topic = "unroutable";
  return bytes;
}

uint64_t IdOf(std::string_view record_id) {
  return std::strtoull(std::string(record_id).c_str(), nullptr, 10);
}

}  // namespace postrider::sim
