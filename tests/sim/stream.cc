#include "sim/stream.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/fault.h"
#include "sim/server.h"

namespace postrider::sim {

Stream::Stream(World* world, Server* server, Lsn start, std::optional<size_t> snapshot_of)
    : world_(world),
      server_(server),
      number_(server->NextStreamNumber()),
      snapshot_(snapshot_of.has_value()),
      cursor_(world->wal.FirstFrom(start)),
      sent_lsn_(start),
      start_lsn_(start),
      received_(start),
      last_status_us_(world->clock.now_us()) {
  if (snapshot_) SendSnapshot(*snapshot_of);
}

Stream::~Stream() {
  server_->Closed(this, last_delivery_us_);
}

// ---- towards the relay ----------------------------------------------------------------------------------------------

absl::StatusOr<std::optional<postgres::SourceMessage>> Stream::Next() {
  current_.reset();
  if (dead_) return *dead_;
  if (!readable()) return std::optional<postgres::SourceMessage>();
  Pending pending = std::move(pending_.front());
  pending_.pop_front();
  Gap();
  if (const auto* keepalive = std::get_if<postgres::Keepalive>(&pending)) {
    received_ = std::max(received_, keepalive->end_lsn);
    if (world_->in_flight > 0) world_->census->Count("ways", "keepalive while in flight");
    return postgres::SourceMessage(*keepalive);
  }
  if (std::holds_alternative<postgres::SnapshotEnd>(pending)) return postgres::SourceMessage(postgres::SnapshotEnd{});
  if (const auto* announcement = std::get_if<Announcement>(&pending)) {
    const auto [table, first] = *announcement;
    server_->Announced(table, first);
    pending = relay::RelationBytes(server_->OidOf(table), server_->NameOf(table));
  }
  // New memory for each message: a view of an earlier one is then a use after free.
  current_ = std::make_unique<std::string>(std::get<std::string>(std::move(pending)));
  if (current_->front() == 'C') {
    // The end LSN is the second position of a Commit.
    uint64_t end = 0;
    for (size_t at = 10; at < 18; ++at) end = end << 8 | static_cast<unsigned char>((*current_)[at]);
    received_ = std::max(received_, Lsn(end));
  }
  return postgres::SourceMessage(postgres::WalData{.lsn = Lsn(), .message = *current_});
}

bool Stream::readable() {
  if (dead_) return true;
  if (world_->clock.now_us() < next_arrival_us_) return false;
  if (pending_.empty()) Refill();
  return !pending_.empty();
}

void Stream::Gap() {
  if (!world_->random.Chance(8)) return;
  Stall(world_->random.Skewed(50, 30 * kMs));
}

void Stream::Stall(int64_t us) {
  next_arrival_us_ = std::max(next_arrival_us_, world_->clock.now_us() + us);
  world_->schedule.After(us, [] {});  // so that the loop looks again
}

void Stream::Refill() {
  if (snapshot_) return;
  const auto& transactions = world_->wal.transactions();
  while (pending_.empty() && cursor_ < transactions.size()) SendTransaction(transactions[cursor_++]);
  if (!pending_.empty()) return;
  const bool news = sent_lsn_ < world_->wal.end();
  sent_lsn_ = world_->wal.end();
  if (server_->stopping()) {
    if (!asked_) pending_.push_back(postgres::Keepalive{sent_lsn_, true});
    asked_ = true;
  } else if (news && flush_ < sent_lsn_ && write_ < sent_lsn_) {
    pending_.push_back(postgres::Keepalive{sent_lsn_, false});
  }
}

void Stream::SendTransaction(const Transaction& transaction) {
  if (!transaction.ours && server_->skips_empty_transactions()) {
    sent_lsn_ = transaction.end_lsn;
    return;
  }
  pending_.push_back(relay::BeginBytes(transaction.commit_lsn));
  for (const Row& row : transaction.rows) {
    if (world_->random.Chance(3))
      pending_.push_back(postgres::Keepalive{transaction.begin_lsn, world_->random.Chance(30)});
    if (world_->random.Chance(2)) SendOther(transaction);
    SendRow(row);
  }
  if (transaction.rows.empty() && world_->in_flight > 0) world_->census->Count("ways", "empty while in flight");
  pending_.push_back(relay::CommitBytes(transaction.commit_lsn, transaction.end_lsn));
  sent_lsn_ = transaction.end_lsn;
}

void Stream::SendRow(const Row& row) {
  Announce(row.table);
  const decoder::Oid oid = server_->OidOf(row.table);
  pending_.push_back(row.kind == RowKind::kUpdate ? relay::UpdateBytes(BytesOf(row), oid)
                                                  : relay::InsertBytes(BytesOf(row), oid));
}

// What a transaction may hold beside rows, and what takes nothing back.
void Stream::SendOther(const Transaction& transaction) {
  using decoder::Bytes;
  const decoder::Oid oid = server_->OidOf(0);
  const std::string others[] = {
      Bytes('O').Int64(1).String("elsewhere").str(),
      Bytes('Y').Int32(9'000).String("public").String("mood").str(),
      Bytes('D').Int32(oid).Char('K').Int16(1).Text("1").str(),
      Bytes('T').Int32(1).Int8(0).Int32(oid).str(),
      Bytes('M').Int8(1).Int64(transaction.begin_lsn.value()).String("prefix").Int32(2).Raw("ab").str(),
  };
  world_->census->Count("ways", "message that is no row");
  pending_.emplace_back(others[world_->random.Below(std::size(others))]);
}

void Stream::Announce(int table) {
  const auto [announced, first] = announced_.try_emplace(table, server_->DefinitionOf(table));
  if (!first && announced->second == server_->DefinitionOf(table)) return;
  announced->second = server_->DefinitionOf(table);
  pending_.push_back(Announcement{.table = table, .first = first});
}

void Stream::SendSnapshot(size_t transactions) {
  std::vector<Row> rows;
  for (size_t index = 0; index < transactions; ++index) {
    const std::vector<Row>& more = world_->wal.transactions()[index].rows;
    std::copy_if(more.begin(), more.end(), std::back_inserter(rows),
                 [](const Row& row) { return row.kind != RowKind::kUpdate; });
  }
  // Scans of several sessions are synchronized: each begins where another one is.
  if (!rows.empty())
    std::rotate(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(world_->random.Below(rows.size())),
                rows.end());
  pending_.push_back(relay::BeginBytes(start_lsn_));
  for (const Row& row : rows) SendRow(row);
  pending_.push_back(relay::CommitBytes(start_lsn_, start_lsn_));
  pending_.push_back(postgres::SnapshotEnd{});
}

// ---- from the relay -------------------------------------------------------------------------------------------------

absl::Status Stream::SendStatus(Lsn write, Lsn flush, bool reply_requested) {
  if (dead_) return *dead_;
  if (flush > write)
    world_->ledger.Violation(absl::StrCat("flush ", flush.ToString(), " beyond write ", write.ToString()));
  world_->ledger.Confirming(flush, std::max(received_, start_lsn_));
  unsent_.push_back({write, flush, reply_requested});
  return Flush();
}

absl::Status Stream::Flush() {
  if (dead_) return *dead_;
  if (!writable()) return absl::OkStatus();
  for (const Status& status : std::exchange(unsent_, {})) Deliver(status);
  return absl::OkStatus();
}

void Stream::Deliver(const Status& status) {
  // In the order in which they were sent.
  const int64_t now_us = world_->clock.now_us();
  last_delivery_us_ = std::max(last_delivery_us_, now_us + world_->random.Skewed(50, 5 * kMs));
  world_->schedule.After(last_delivery_us_ - now_us, [server = server_, number = number_, status] {
    if (Stream* stream = server->StreamOf(number))
      return stream->TakeStatus(status.write, status.flush, status.reply_requested);
    if (server->ReadsStillFrom(number)) server->Confirm(status.flush);
  });
}

void Stream::TakeStatus(Lsn write, Lsn flush, bool reply_requested) {
  write_ = write;
  flush_ = flush;
  asked_ = false;
  last_status_us_ = world_->clock.now_us();
  server_->Confirm(flush);
  if (reply_requested) pending_.push_back(postgres::Keepalive{sent_lsn_, false});
  server_->CheckStop();
}

bool Stream::Finished(Lsn log_end) {
  return pending_.empty() && cursor_ == world_->wal.transactions().size() && sent_lsn_ == log_end &&
         log_end == (flush_.valid() ? flush_ : write_);
}

bool Stream::CheckTimeout(int64_t timeout_us) {
  const int64_t silent_us = world_->clock.now_us() - last_status_us_;
  if (silent_us >= timeout_us) return true;
  if (silent_us >= timeout_us / 2 && !asked_) {
    pending_.push_back(postgres::Keepalive{sent_lsn_, true});
    asked_ = true;
  }
  return false;
}

void Stream::BlockWriting(int64_t us) {
  write_blocked_until_us_ = world_->clock.now_us() + us;
  world_->schedule.After(us, [] {});
}

void Stream::Die(absl::Status status) {
  dead_ = std::move(status);
  unsent_.clear();
}

}  // namespace postrider::sim
