// The PostgreSQL side as a test scripts it: questions wait until the test answers them. For tests only.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "fake_source.h"
#include "postgres/connector.h"

namespace postrider::relay {

class FakeConnector final : public postgres::Connector {
 public:
  struct Answer {
    Lsn start_lsn{100};
    bool snapshot = false;
    bool resumed = false;
    postgres::ServerIdentity identity{.system_identifier = "7", .timeline = 1, .started_at_us = 1};
    int64_t wal_sender_timeout_ms = 60'000;
    std::optional<postgres::TimelineFork> fork;
    std::vector<Table> tables;
  };
  // Accepts the connection that is being made. The stream belongs to the connector and outlives its source.
  FakeStream& Accept(Answer answer) {
    streams_.push_back(std::make_unique<FakeStream>());
    FakeStream& stream = *streams_.back();
    stream.is_snapshot = answer.snapshot;
    connected_ = postgres::Connected{.source = std::make_unique<FakeSource>(&stream),
                                     .identity = std::move(answer.identity),
                                     .server_version = 170'000,
                                     .wal_sender_timeout_ms = answer.wal_sender_timeout_ms,
                                     .start_lsn = answer.start_lsn,
                                     .resumed = answer.resumed,
                                     .fork = answer.fork,
                                     .slot_note = "",
                                     .tables = std::move(answer.tables)};
    return stream;
  }
  void Refuse(absl::Status status) { connected_ = std::move(status); }
  void AnswerLookup(absl::StatusOr<Table> table) { table_ = std::move(table); }
  void AnswerAction(absl::Status status) { action_ = std::move(status); }
  void AnswerFinish(absl::Status status) { finished_ = std::move(status); }

  // ---- postgres::Connector
  void StartConnect(const postgres::ConnectRequest& request) override { requests.push_back(request); }
  std::optional<absl::StatusOr<postgres::Connected>> TakeConnected() override {
    return std::exchange(connected_, std::nullopt);
  }
  void StartFinishSnapshot(std::unique_ptr<postgres::Source> source) override { finishes += source != nullptr; }
  std::optional<absl::Status> TakeFinishedSnapshot() override { return std::exchange(finished_, std::nullopt); }
  void StartLookup(uint32_t relation_oid) override { lookups.push_back(relation_oid); }
  std::optional<absl::StatusOr<Table>> TakeTable() override { return std::exchange(table_, std::nullopt); }
  void StartFindRow(uint32_t, std::string_view id) override { row_looks.emplace_back(id); }
  std::optional<absl::StatusOr<bool>> TakeFoundRow() override { return std::exchange(found_row, std::nullopt); }
  void StartAction() override { ++actions; }
  std::optional<absl::Status> TakeAction() override { return std::exchange(action_, std::nullopt); }
  std::optional<absl::Status> TakeFault() override { return std::exchange(fault, std::nullopt); }
  bool server_stopping() const override { return stopping; }
  absl::Status DropSlot() override {
    ++drops;
    return absl::OkStatus();
  }

  std::vector<postgres::ConnectRequest> requests;
  std::vector<uint32_t> lookups;
  std::vector<std::string> row_looks;  // ids
  std::optional<absl::StatusOr<bool>> found_row;
  int finishes = 0;
  int drops = 0;
  int actions = 0;
  std::optional<absl::Status> fault;
  bool stopping = false;

 private:
  std::vector<std::unique_ptr<FakeStream>> streams_;
  std::optional<absl::StatusOr<postgres::Connected>> connected_;
  std::optional<absl::StatusOr<Table>> table_;
  std::optional<absl::Status> finished_;
  std::optional<absl::Status> action_;
};

}  // namespace postrider::relay
