// One walsender and its connection: sends the log from a position, takes statuses, asks for them; or reads a snapshot
// out.
//
// Messages arrive with gaps, one by one or in gulps; keepalives also come in the middle of transactions. Statuses
// travel for a moment and are lost with the connection. Owned by the relay as its Source; the server knows it as long
// as it lives.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "postgres/source.h"
#include "sim/world.h"

namespace postrider::sim {

class Server;

class Stream final : public postgres::Source {
 public:
  // The log from `start`; with `snapshot_of`, the rows of those transactions instead.
  Stream(World* world, Server* server, Lsn start, std::optional<size_t> snapshot_of);
  ~Stream() override;

  // ---- postgres::Source
  absl::StatusOr<std::optional<postgres::SourceMessage>> Next() override;
  absl::Status SendStatus(Lsn write, Lsn flush, bool reply_requested) override;
  int fd() const override { return -1; }
  bool wants_write() const override { return !unsent_.empty(); }
  absl::Status Flush() override;
  size_t WaitingBytes() const override { return pending_.size(); }
  bool is_snapshot() const override { return snapshot_; }

  // ---- the server's side
  uint64_t number() const { return number_; }
  Lsn start_lsn() const { return start_lsn_; }
  void Die(absl::Status status);
  void TakeStatus(Lsn write, Lsn flush, bool reply_requested);
  // Asks for a status when the other side has been silent for half the timeout; true when it has been for all of it.
  bool CheckTimeout(int64_t timeout_us);
  // Sends nothing, or takes nothing, for a while.
  void Stall(int64_t us);
  void BlockWriting(int64_t us);
  bool readable();
  bool writable() const { return world_->clock.now_us() >= write_blocked_until_us_; }
  bool Finished(Lsn log_end);

 private:
  struct Status {
    Lsn write, flush;
    bool reply_requested = false;
  };
  // A Relation of a table, as the first on this connection or again.
  struct Announcement {
    int table = 0;
    bool first = false;
  };
  using Pending = std::variant<std::string, Announcement, postgres::Keepalive, postgres::SnapshotEnd>;

  void Refill();
  void SendTransaction(const Transaction& transaction);
  void SendRow(const Row& row);
  void SendOther(const Transaction& transaction);
  void SendSnapshot(size_t transactions);
  void Announce(int table);
  void Gap();
  void Deliver(const Status& status);

  World* const world_;
  Server* const server_;
  const uint64_t number_;
  const bool snapshot_;
  size_t cursor_ = 0;  // the next transaction to send
  Lsn sent_lsn_;
  Lsn start_lsn_;
  Lsn received_;  // what the relay was given
  Lsn write_, flush_;
  std::deque<Pending> pending_;
  std::unique_ptr<std::string> current_;
  std::map<int, int> announced_;  // table -> version of its definition
  std::deque<Status> unsent_;
  std::optional<absl::Status> dead_;
  int64_t next_arrival_us_ = 0;
  int64_t write_blocked_until_us_ = 0;
  int64_t last_delivery_us_ = 0;
  int64_t last_status_us_ = 0;
  bool asked_ = false;
};

}  // namespace postrider::sim
