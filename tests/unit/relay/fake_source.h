// A replication stream, or a snapshot, that a test writes message by message. For tests only.
//
// The test keeps the FakeStream; the relay owns a FakeSource on it, and closing that source closes the stream. As in
// the real one a message's bytes live until the next call of Next(), not longer.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "postgres/source.h"

namespace postrider::relay {

struct SentStatus {
  Lsn write;
  Lsn flush;
  bool reply_requested = false;
};

class FakeStream {
 public:
  void Send(std::string message) { waiting_.emplace_back(std::move(message)); }
  void SendKeepalive(Lsn end_lsn, bool reply_requested = false) {
    waiting_.emplace_back(postgres::Keepalive{end_lsn, reply_requested});
  }
  void EndSnapshot() { waiting_.emplace_back(postgres::SnapshotEnd{}); }
  // What Next() says once everything that waits was read.
  void Break(absl::Status status) { broken_ = std::move(status); }
  // SendStatus and Flush fail from now on.
  void BreakWriting(absl::Status status) { write_fault_ = std::move(status); }

  const std::vector<SentStatus>& statuses() const { return statuses_; }
  SentStatus last_status() const { return statuses_.empty() ? SentStatus() : statuses_.back(); }
  bool open() const { return open_; }
  size_t waiting() const { return waiting_.size(); }

  bool is_snapshot = false;
  bool answers = false;        // a status that asks is answered by a keepalive
  bool write_blocked = false;  // the socket takes nothing
  bool announced = false;      // its relation was sent: a server sends it once, and again when it was altered
  int flushes = 0;

 private:
  friend class FakeSource;
  using Waiting = std::variant<std::string, postgres::Keepalive, postgres::SnapshotEnd>;

  std::deque<Waiting> waiting_;
  std::unique_ptr<std::string> current_;
  std::optional<absl::Status> broken_;
  absl::Status write_fault_;
  std::vector<SentStatus> statuses_;
  bool open_ = true;
};

class FakeSource final : public postgres::Source {
 public:
  explicit FakeSource(FakeStream* stream) : stream_(stream) {}
  ~FakeSource() override {
    stream_->current_.reset();
    stream_->open_ = false;
  }

  absl::StatusOr<std::optional<postgres::SourceMessage>> Next() override {
    stream_->current_.reset();
    if (stream_->waiting_.empty()) {
      if (stream_->broken_) return *stream_->broken_;
      return std::optional<postgres::SourceMessage>();
    }
    FakeStream::Waiting waiting = std::move(stream_->waiting_.front());
    stream_->waiting_.pop_front();
    if (const auto* keepalive = std::get_if<postgres::Keepalive>(&waiting)) return postgres::SourceMessage(*keepalive);
    if (std::holds_alternative<postgres::SnapshotEnd>(waiting)) return postgres::SourceMessage(postgres::SnapshotEnd{});
    stream_->current_ = std::make_unique<std::string>(std::get<std::string>(std::move(waiting)));
    return postgres::SourceMessage(postgres::WalData{.lsn = Lsn(), .message = *stream_->current_});
  }

  absl::Status SendStatus(Lsn write, Lsn flush, bool reply_requested) override {
    if (!stream_->write_fault_.ok()) return stream_->write_fault_;
    stream_->statuses_.push_back({write, flush, reply_requested});
    if (stream_->answers && reply_requested) stream_->SendKeepalive(write);
    return absl::OkStatus();
  }

  int fd() const override { return -1; }
  bool wants_write() const override { return stream_->write_blocked; }
  absl::Status Flush() override {
    ++stream_->flushes;
    return stream_->write_fault_;
  }
  size_t WaitingBytes() const override { return stream_->waiting_.size(); }
  bool is_snapshot() const override { return stream_->is_snapshot; }

 private:
  FakeStream* const stream_;
};

}  // namespace postrider::relay
