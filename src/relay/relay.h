// The loop's core: source -> decode -> route -> publish -> acknowledge -> confirm. READ THIS FIRST in relay/.
//
// A step function over three seams (postgres::Connector and Source, kafka::Producer, Clock): Step() does everything
// that is due and never blocks; relay/runner.h sleeps in between. So a simulation can drive it through crashes without
// a server.
//
//            StartConnect          Source                         SnapshotEnd, all acknowledged
//   kBackoff ------> kConnecting ---------> kReading ---------------------------------> kFinishingSnapshot
//      ^                                   |   | stop asked                                      |
//      |    stream lost, or to be repeated |   v                                                 |
//      +------------ kQuiescing <----------+  kDraining -> kClosing -> kFinished                 |
//      +-----------------------------------------------------------------------------------------+
//
// What flows backwards is one position (Tracker::confirmable, by the Confirmer) and the byte budget (in the Publisher).
// Passing faults are retried for ever; a lasting one ends the relay with its exit code. One thread; the parts outlive
// it. Tested by tests/unit/relay/relay_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "absl/status/status.h"
#include "base/clock.h"
#include "config/config.h"
#include "evidence/store.h"
#include "kafka/producer.h"
#include "postgres/connector.h"
#include "postgres/source.h"
#include "relay/backoff.h"
#include "relay/confirmer.h"
#include "relay/desk.h"
#include "relay/heartbeat.h"
#include "relay/intake.h"
#include "relay/publisher.h"
#include "relay/recorder.h"
#include "relay/stats.h"
#include "relay/tracker.h"
#include "relay/unsendable.h"
#include "router/router.h"

namespace postrider::relay {

struct Parts {
  postgres::Connector* connector = nullptr;
  kafka::ProducerFactory* producers = nullptr;
  router::Router* router = nullptr;
  evidence::Store* evidence = nullptr;  // null: no record is kept
  Desk* desk = nullptr;                 // null: no operator's orders
  const Clock* clock = nullptr;
  uint64_t jitter_seed = std::random_device{}();  // of the pauses between attempts
};

class Relay {
 public:
  Relay(const config::Config& config, const Parts& parts, Stats* stats);
  ~Relay();

  // Makes the producer and asks for the first connection; the two overlap. A fault ends the relay before it began.
  absl::Status Start();

  // Does what is due. Call again when a descriptor is ready, when rung, or at next_deadline_us().
  void Step();
  int64_t next_deadline_us() const;

  // What to wait for. fd -1: no stream. reads(): input is wanted now; with backlog() there is more to do at once.
  int fd() const { return source_ ? source_->fd() : -1; }
  bool reads() const { return source_ != nullptr && reads_; }
  // There is a stream, read at the moment or not, and it is not being left.
  bool streams() const { return source_ != nullptr && phase_ == Phase::kReading; }
  bool wants_write() const { return source_ && source_->wants_write(); }
  bool backlog() const { return backlog_; }
  // The server has closed the connection of a stream that is not read at the moment.
  void HungUp() { hung_up_ = true; }
  // What waits in the socket although it is wanted; 0 while nothing is read.
  size_t WaitingBytes() const { return reads() ? source_->WaitingBytes() : 0; }
  uint64_t wal_bytes() const { return stats_->wal_bytes.load(std::memory_order_relaxed); }

  // The operator's stop: finishes the open transaction, waits for acknowledgements, confirms, leaves; bounded by
  // postrider.drain.timeout.ms.
  void RequestStop();

  bool finished() const { return phase_ == Phase::kFinished; }
  // After finished(): 0, 8, or the fault's code.
  int exit_code() const { return exit_code_; }

 private:
  enum class Phase { kBackoff, kConnecting, kReading, kFinishingSnapshot, kQuiescing, kDraining, kClosing, kFinished };

  void Connect();
  void TakeConnection();
  void OnConnected(postgres::Connected connected);
  void Read();
  void OnSourceError(const absl::Status& status);
  bool SleptTooLong(int64_t before_us) const;
  void AbandonStream();
  void TellStreamLost(std::string_view why);
  void StepSnapshotEnd();
  void TakeFinishedSnapshot();
  void Quiesce(bool wait);
  void StepQuiescing();
  void StepDraining();
  void StepClosing();
  void Finish();
  void Fail(const absl::Status& status);
  absl::Status CheckTables(const std::vector<Table>& tables);
  void CheckServerStopping();
  // Only while server_stopping_us_ is set.
  int64_t ServerStopDeadline() const { return server_stopping_us_ + config_.relay.server_stop_drain_ms * 1000; }
  void TakeOrder();
  absl::StatusOr<Report> Follow(const Order& order);
  void UpdateState();
  State CurrentState();
  void LogRates();

  const config::Config& config_;
  const Parts parts_;
  Stats* const stats_;
  Tracker tracker_;
  Publisher publisher_;
  Confirmer confirmer_;
  Recorder recorder_;
  Intake intake_;
  Heartbeat heartbeat_;
  UnsendableRow unsendable_;
  Lsn unsendable_behind_;  // how far the stream had come before it

  Phase phase_ = Phase::kBackoff;
  int64_t now_us_ = 0;
  std::unique_ptr<postgres::Source> source_;
  bool reads_ = false;
  bool hung_up_ = false;
  bool backlog_ = false;
  bool snapshot_ended_ = false;
  bool first_ = true;           // no stream or whole snapshot yet: a missing slot is made
  bool snapshot_open_ = false;  // rows of a snapshot were read, and no slot stands at its end yet
  bool checked_ = false;        // the captured tables fit the configuration
  std::optional<postgres::ServerIdentity> identity_;
  int64_t connected_us_ = 0;
  int64_t sender_timeout_us_ = 0;  // wal_sender_timeout of the stream
  Backoff backoff_;
  int64_t backoff_until_us_ = 0;
  bool standby_ = false;
  std::string reason_;       // of the current state, for the log
  std::string told_reason_;  // what the statistics have of it

  bool paused_ = false;  // by the operator
  uint64_t orders_ = 0;  // so many came: each has its line in the log
  bool stopping_ = false;
  int64_t stop_deadline_us_ = 0;
  int64_t quiesce_deadline_us_ = 0;
  int64_t closing_deadline_us_ = 0;
  bool answered_ = true;            // the server has read our last word, or none was sent
  int64_t server_stopping_us_ = 0;  // since when; 0: it is not
  std::optional<absl::Status> failure_;
  int exit_code_ = 0;

  int64_t rates_logged_us_ = 0;
  uint64_t rates_acknowledged_ = 0;
};

}  // namespace postrider::relay
