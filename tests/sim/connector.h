// The relay's connector in the simulated world: one for each process, answers after a while, rings.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "postgres/connector.h"
#include "sim/server.h"

namespace postrider::sim {

class Connector final : public postgres::Connector {
 public:
  Connector(World* world, Server* server) : world_(world), server_(server), seen_stops_(server->stops()) {}

  void StartConnect(const postgres::ConnectRequest& request) override {
    Answer(world_->random.Chance(10) ? 2 * kSecond : 50 * kMs, [this, request] { Connect(request); });
  }
  std::optional<absl::StatusOr<postgres::Connected>> TakeConnected() override {
    return std::exchange(connected_, std::nullopt);
  }

  void StartFinishSnapshot(std::unique_ptr<postgres::Source> source) override {
    snapshot_ = std::move(source);
    Answer(200 * kMs, [this] {
      finished_ = server_->FinishSnapshot(static_cast<Stream&>(*snapshot_));
      snapshot_.reset();
    });
  }
  std::optional<absl::Status> TakeFinishedSnapshot() override { return std::exchange(finished_, std::nullopt); }

  void StartLookup(uint32_t relation_oid) override {
    // What was read may be old by the time that it is taken.
    auto table = server_->Lookup(relation_oid);
    Answer(world_->random.Chance(30) ? 4 * kSecond : 100 * kMs, [this, table] { table_ = table; });
  }
  std::optional<absl::StatusOr<Table>> TakeTable() override { return std::exchange(table_, std::nullopt); }

  void StartFindRow(uint32_t, std::string_view) override {
    Answer(100 * kMs, [this] { found_row_ = world_->random.Chance(50); });
  }
  std::optional<absl::StatusOr<bool>> TakeFoundRow() override { return std::exchange(found_row_, std::nullopt); }

  bool server_stopping() const override { return server_->stops() != seen_stops_; }
  absl::Status DropSlot() override { return absl::OkStatus(); }

 private:
  // `answer` happens later, unless this process is gone by then.
  template <typename F>
  void Answer(int64_t within_us, F answer) {
    world_->schedule.After(world_->random.Skewed(1 * kMs, within_us),
                           [alive = std::weak_ptr<int>(alive_), world = world_, answer] {
                             if (alive.expired()) return;
                             answer();
                             world->Ring();
                           });
  }

  void Connect(const postgres::ConnectRequest& request) {
    auto connected = server_->Connect(request);
    if (connected.ok()) {
      seen_stops_ = server_->stops();
      // For the judge: what was acknowledged counts for one process on one server.
      if (!identity_ || !(*identity_ == connected->identity)) world_->ledger.NewEpoch(connected->start_lsn);
      identity_ = connected->identity;
      world_->Trace("connected at " + connected->start_lsn.ToString() + (connected->resumed ? ", resumed" : ""));
    }
    connected_ = std::move(connected);
  }

  World* const world_;
  Server* const server_;
  const std::shared_ptr<int> alive_ = std::make_shared<int>(0);
  int seen_stops_;
  std::optional<postgres::ServerIdentity> identity_;
  std::unique_ptr<postgres::Source> snapshot_;
  std::optional<absl::StatusOr<postgres::Connected>> connected_;
  std::optional<absl::Status> finished_;
  std::optional<absl::StatusOr<Table>> table_;
  std::optional<absl::StatusOr<bool>> found_row_;
};

}  // namespace postrider::sim
