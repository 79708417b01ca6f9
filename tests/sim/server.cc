#include "sim/server.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/fault.h"
#include "unit/relay/standby_fault.h"

namespace postrider::sim {
namespace {

// The relay's own bound for a server that stops, and some time to notice and to be told.
constexpr int64_t kStopBoundUs = 15 * kSecond;

absl::Status Away(std::string_view why) {
  return MakeFault(Fault::kPassing, why);
}

}  // namespace

Server::Server(World* world, const ServerTraits& traits) : world_(world), traits_(traits) {
  Watch();
}

// Each second: checkpoints now and then, wal_sender_timeout, the bound of a stop.
void Server::Watch() {
  world_->schedule.After(kSecond, [this] {
    const int64_t now_us = world_->clock.now_us();
    if (world_->random.Chance(20)) persisted_ = std::max(persisted_, confirmed_);
    const bool excused = now_us < world_->excused_until_us;
    if (stream_ && !stream_->is_snapshot() && stream_->CheckTimeout(traits_.wal_sender_timeout_ms * 1000)) {
      if (!excused) world_->ledger.Violation("no status within wal_sender_timeout");
      world_->CountFault("replication timeout");
      CutConnection();
    }
    // Somebody who was kept from working has the whole bound afterwards.
    if (stopping() && now_us - std::max(stopping_since_us_, world_->excused_until_us) > kStopBoundUs)
      world_->ledger.Violation("a stopping server was held up");
    if (stopping()) CheckStop();
    Watch();
  });
}

// ---- applications and faults ----------------------------------------------------------------------------------------

void Server::Commit() {
  if (up_ && !stopping()) world_->ledger.Committed(world_->wal.Commit());
}

void Server::WriteElsewhere() {
  if (up_ && !stopping()) world_->wal.WriteElsewhere();
}

void Server::CutConnection() {
  ++breaks_;
  closed_number_ = 0;
  if (!stream_) return;
  stream_->Die(Away("the connection broke"));
  stream_ = nullptr;
}

void Server::GoDown(int64_t least_us, int64_t most_us) {
  CutConnection();
  up_ = false;
  stopping_since_us_ = 0;
  world_->schedule.After(world_->random.Between(least_us, most_us), [this] {
    up_ = true;
    identity_.started_at_us = world_->clock.now_us();
  });
}

void Server::Crash() {
  if (!up_) return;
  world_->CountFault("server crashed");
  if (confirmed_ > persisted_) world_->CountFault("confirmation forgotten");
  confirmed_ = persisted_;
  GoDown(200 * kMs, 8 * kSecond);
}

void Server::Failover() {
  if (!up_ || !slot_exists_) return;
  world_->CountFault("failover");
  ++identity_.timeline;
  confirmed_ = persisted_;
  // The standby has the log up to somewhere behind its copy of the slot.
  const auto& transactions = world_->wal.transactions();
  const size_t first = world_->wal.FirstFrom(persisted_);
  const size_t kept = first + world_->random.Below(transactions.size() - first + 1);
  if (kept < transactions.size()) {
    world_->CountFault("transactions vanished");
    CutConnection();
    world_->ledger.Vanished(world_->wal.Cut(transactions[kept].begin_lsn));
  }
  GoDown(200 * kMs, 5 * kSecond);
}

void Server::StopFast() {
  if (!up_ || stopping()) return;
  world_->CountFault("server stopped");
  stopping_since_us_ = world_->clock.now_us();
  ++stops_;
  world_->Ring();
  CheckStop();
}

void Server::CheckStop() {
  if (!stopping()) return;
  if (world_->clock.now_us() <= slot_active_until_us_) return;
  const bool streams = stream_ && !stream_->is_snapshot();
  if (streams && !stream_->Finished(world_->wal.end())) return;
  if (traits_.remembers_over_a_clean_stop) persisted_ = confirmed_;
  confirmed_ = persisted_;
  GoDown(500 * kMs, 8 * kSecond);
}

void Server::AlterTable() {
  if (!up_) return;
  world_->CountFault("table altered");
  ++definitions_[world_->random.Below(2)];
  ++catalogue_;
}

// ---- connections ----------------------------------------------------------------------------------------------------

absl::StatusOr<postgres::Connected> Server::Connect(const postgres::ConnectRequest& request) {
  if (!up_ || stopping()) return Away("the server is not accepting connections");
  if (world_->clock.now_us() < held_until_us_) return postgres::StandbyFault("another relay has the slot");
  if (stream_ || world_->clock.now_us() <= slot_active_until_us_) return Away("the slot is active");

  postgres::Connected connected{
      .identity = identity_, .server_version = 170'000, .wal_sender_timeout_ms = traits_.wal_sender_timeout_ms};
  for (int table = 0; table < 2; ++table) connected.tables.push_back(TableOf(table));
  catalogue_at_connect_ = catalogue_;
  if (!slot_exists_) {
    if (!request.first) return MakeFault(Fault::kSlot, "the slot is gone");
    connected.start_lsn = world_->wal.end();
    if (traits_.snapshot) {
      world_->census->Count("ways", snapshots_++ == 0 ? "snapshot" : "snapshot repeated");
      auto snapshot = std::make_unique<Stream>(world_, this, world_->wal.end(), world_->wal.transactions().size());
      stream_ = snapshot.get();
      connected.source = std::move(snapshot);
      return connected;
    }
    slot_exists_ = true;
    confirmed_ = persisted_ = world_->wal.end();
    world_->ledger.SlotMade(confirmed_, false);
  }
  connected.resumed = request.expected && *request.expected == identity_ && request.resume_lsn.valid() &&
                      request.resume_lsn <= world_->wal.end();
  connected.start_lsn = connected.resumed ? std::max(request.resume_lsn, confirmed_) : confirmed_;
  auto stream = std::make_unique<Stream>(world_, this, connected.start_lsn, std::nullopt);
  stream_ = stream.get();
  connected.source = std::move(stream);
  return connected;
}

absl::Status Server::FinishSnapshot(const Stream& snapshot) {
  if (!up_ || stream_ != &snapshot) return Away("the connection broke");
  // Everything that the snapshot showed lies before its start.
  slot_exists_ = true;
  confirmed_ = persisted_ = snapshot.start_lsn();
  world_->ledger.SlotMade(confirmed_, true);
  return absl::OkStatus();
}

void Server::Closed(const Stream* stream, int64_t read_until_us) {
  if (stream_ != stream) return;
  closed_number_ = stream->number();
  closed_at_us_ = world_->clock.now_us();
  slot_active_until_us_ = read_until_us;
  stream_ = nullptr;
  CheckStop();
}

void Server::Confirm(Lsn flush) {
  if (!flush.valid()) return;
  if (flush < confirmed_) {
    world_->ledger.Violation(
        absl::StrCat("the slot was moved back from ", confirmed_.ToString(), " to ", flush.ToString()));
  }
  confirmed_ = flush;
}

absl::StatusOr<Table> Server::Lookup(decoder::Oid oid) const {
  if (!up_) return Away("the server is not accepting connections");
  if (world_->clock.now_us() < lookups_fail_until_us_) {
    world_->CountFault("lookup failed");
    return Away("the connection broke");
  }
  world_->census->Count("ways", "catalogue read anew");
  return TableOf(static_cast<int>(oid - relay::kOutboxOid));
}

Table Server::TableOf(int table) const {
  return relay::OutboxTable(OidOf(table), NameOf(table), std::to_string(catalogue_));
}

}  // namespace postrider::sim
