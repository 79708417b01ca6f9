// PostgreSQL as far as the relay meets it: one slot, one walsender, and the rule of what is sent again.
//
// The rule (src/backend/replication/logical/snapbuild.c, SnapBuildXactNeedsSkip): a transaction is sent when its commit
// record starts at or after the position that the slot confirmed, or that the client asked for where that is greater.
// What was confirmed is kept in memory and lost back to the last checkpoint by a crash. A server that stops waits for
// its walsender without a bound.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "base/table.h"
#include "postgres/connector.h"
#include "sim/stream.h"
#include "sim/world.h"

namespace postrider::sim {

struct ServerTraits {
  bool skips_empty_transactions = true;     // from 15 on
  bool remembers_over_a_clean_stop = true;  // from 17 on
  bool snapshot = true;                     // the first connection reads what is in the tables
  int64_t wal_sender_timeout_ms = 10'000;
};

class Server {
 public:
  Server(World* world, const ServerTraits& traits);

  // ---- applications
  void Commit();
  void WriteElsewhere();

  // ---- faults
  void Crash();
  void StopFast();
  void Failover();
  void CutConnection();
  void HoldSlot(int64_t us) { held_until_us_ = world_->clock.now_us() + us; }
  void AlterTable();
  void FailLookups(int64_t us) { lookups_fail_until_us_ = world_->clock.now_us() + us; }
  Stream* stream() const { return stream_; }

  // ---- the relay's connector
  absl::StatusOr<postgres::Connected> Connect(const postgres::ConnectRequest& request);
  absl::Status FinishSnapshot(const Stream& snapshot);
  absl::StatusOr<Table> Lookup(decoder::Oid oid) const;
  bool up() const { return up_; }
  bool stopping() const { return stopping_since_us_ != 0; }
  // How often it was told to stop: its ordinary connections are told so too.
  int stops() const { return stops_; }

  // ---- its streams
  uint64_t NextStreamNumber() { return ++streams_; }
  Stream* StreamOf(uint64_t number) const { return stream_ && stream_->number() == number ? stream_ : nullptr; }
  // The relay closed it. What it had sent before is still read, until `read_until_us`, and then the slot is free.
  void Closed(const Stream* stream, int64_t read_until_us);
  int64_t closed_at_us() const { return closed_at_us_; }
  bool ReadsStillFrom(uint64_t number) const { return closed_number_ == number; }
  void Confirm(Lsn flush);
  void CheckStop();
  bool skips_empty_transactions() const { return traits_.skips_empty_transactions; }
  decoder::Oid OidOf(int table) const { return relay::kOutboxOid + static_cast<decoder::Oid>(table); }
  std::string NameOf(int table) const { return table == 0 ? "outbox" : "outbox_eu"; }
  // Grows whenever the table is altered.
  int DefinitionOf(int table) const { return definitions_[table]; }

  Lsn confirmed() const { return confirmed_; }
  // Changes whenever a connection breaks or the server goes down.
  int breaks() const { return breaks_; }
  bool slot_exists() const { return slot_exists_; }
  // The relay is given a Relation of this table. With the first one of a connection goes the catalogue that was read
  // with it; each later one means that the catalogue is to be read anew.
  void Announced(int table, bool first) { catalogue_of_[table] = first ? catalogue_at_connect_ : catalogue_; }
  // The catalogue's version then: no plan that the relay uses may be older.
  int CatalogueOf(int table) const { return catalogue_of_[table]; }

 private:
  void GoDown(int64_t least_us, int64_t most_us);
  void Watch();
  Table TableOf(int table) const;

  World* const world_;
  const ServerTraits traits_;
  postgres::ServerIdentity identity_{.system_identifier = "7301", .timeline = 1, .started_at_us = 1};
  bool up_ = true;
  int64_t stopping_since_us_ = 0;
  int stops_ = 0;
  int breaks_ = 0;
  bool slot_exists_ = false;
  Lsn confirmed_;  // in memory
  Lsn persisted_;  // on disk
  Stream* stream_ = nullptr;
  uint64_t streams_ = 0;
  int snapshots_ = 0;
  uint64_t closed_number_ = 0;
  int64_t closed_at_us_ = 0;
  int64_t slot_active_until_us_ = 0;
  int64_t held_until_us_ = 0;
  int definitions_[2] = {1, 1};
  int catalogue_ = 1;
  int catalogue_at_connect_ = 1;
  int catalogue_of_[2] = {1, 1};
  int64_t lookups_fail_until_us_ = 0;
};

}  // namespace postrider::sim
