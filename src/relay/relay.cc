#include "relay/relay.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/text.h"
#include "postgres/relation_bytes.h"
#include "relay/vanished.h"

namespace postrider::relay {
namespace {

constexpr int64_t kQuiesceUs = 5'000'000;
constexpr int64_t kStandbyPollUs = 200'000;  // one small query over a connection that is there
constexpr int64_t kStableUs = 10'000'000;    // a stream that lived this long starts the backoff anew
constexpr int64_t kRatesEveryUs = 60'000'000;
constexpr int64_t kRetryInHandUs = 100'000;
constexpr int64_t kUnsendableRetryUs = 60'000'000;  // the server may have been mended, or its slot advanced

}  // namespace

Relay::Relay(const config::Config& config, const Parts& parts, Stats* stats)
    : config_(config),
      parts_(parts),
      stats_(stats),
      publisher_(config.relay, config.name, parts.producers, &tracker_, stats, parts.jitter_seed),
      confirmer_(config.slot.status_interval_ms),
      recorder_(config.slot.name, parts.evidence, parts.clock),
      intake_(config, parts.clock, parts.router, parts.connector, &publisher_, &tracker_, &confirmer_, stats),
      heartbeat_(config, parts.clock, parts.connector, &publisher_),
      unsendable_(config.slot.name),
      backoff_(200, 10'000, parts.jitter_seed) {}

Relay::~Relay() = default;

absl::Status Relay::Start() {
  now_us_ = parts_.clock->MonotonicMicros();
  stats_->stepped_us.store(now_us_, std::memory_order_relaxed);
  rates_logged_us_ = now_us_;
  heartbeat_.Start(now_us_);
  Connect();
  return publisher_.Start();
}

void Relay::Step() {
  const int64_t before_us = std::exchange(now_us_, parts_.clock->MonotonicMicros());
  stats_->stepped_us.store(now_us_, std::memory_order_relaxed);
  stats_->unix_ahead_us.store(parts_.clock->UnixMillis() * 1000 - now_us_, std::memory_order_relaxed);
  backlog_ = false;
  TakeOrder();
  if (SleptTooLong(before_us)) AbandonStream();
  if (absl::Status status = publisher_.Poll(now_us_); !status.ok()) Fail(status);
  switch (phase_) {
    case Phase::kBackoff:
      if (stopping_) return Finish();
      if (now_us_ >= backoff_until_us_) Connect();
      break;
    case Phase::kConnecting:
      if (stopping_) return Finish();
      TakeConnection();
      break;
    case Phase::kReading:
      Read();
      break;
    case Phase::kFinishingSnapshot:
      TakeFinishedSnapshot();
      break;
    case Phase::kQuiescing:
      StepQuiescing();
      break;
    case Phase::kDraining:
      StepDraining();
      break;
    case Phase::kClosing:
      StepClosing();
      break;
    case Phase::kFinished:
      return;
  }
  UpdateState();
  if (reason_ != told_reason_) stats_->reason.Set(told_reason_ = reason_);
  heartbeat_.Step(now_us_,
                  phase_ == Phase::kReading && stats_->state.load(std::memory_order_relaxed) == State::kStreaming);
  if (now_us_ - rates_logged_us_ >= kRatesEveryUs) LogRates();
}

// Frozen for so long that the server has given the stream up, and another relay may read the slot by now.
bool Relay::SleptTooLong(int64_t before_us) const {
  return phase_ == Phase::kReading && !source_->is_snapshot() && sender_timeout_us_ > 0 &&
         now_us_ - before_us >= sender_timeout_us_;
}

// What is in flight is given up at once: whoever reads the slot now sends it.
void Relay::AbandonStream() {
  TellStreamLost("this process did not run for longer than wal_sender_timeout: what it had not sent yet is given up");
  Quiesce(false);
}

// ---- connecting -----------------------------------------------------------------------------------------------------

void Relay::Connect() {
  phase_ = Phase::kConnecting;
  parts_.connector->StartConnect(
      postgres::ConnectRequest{.resume_lsn = tracker_.confirmable(), .expected = identity_, .first = first_});
}

void Relay::TakeConnection() {
  auto answer = parts_.connector->TakeConnected();
  if (!answer) return;
  if (answer->ok()) return OnConnected(**std::move(answer));
  const absl::Status& status = answer->status();
  if (FaultOf(status) != Fault::kPassing) return Fail(status);
  standby_ = postgres::IsStandby(status);
  reason_ = std::string(MessageOf(status));
  LogWarning(standby_ ? "standby" : "postgres_away", {{"slot", config_.slot.name}}, reason_);
  phase_ = Phase::kBackoff;
  backoff_until_us_ = now_us_ + (standby_ ? kStandbyPollUs : backoff_.NextMicros());
}

void Relay::OnConnected(postgres::Connected connected) {
  if (connected.fork) TellVanished(*connected.fork, tracker_, config_.slot.name, *stats_);
  // What was acknowledged counts for this server, this timeline, this start only; positions for the first two.
  if (identity_ && !(*identity_ == connected.identity)) {
    LogWarning("server_changed",
               {{"system_identifier", connected.identity.system_identifier},
                {"timeline", absl::StrCat(connected.identity.timeline)}},
               "another server answers, or the same one started anew: whole transactions may be sent again");
    tracker_.ForgetAcknowledged();
  }
  if (!connected.resumed) tracker_.Reset();
  identity_ = connected.identity;
  if (!checked_) {
    if (absl::Status status = CheckTables(connected.tables); !status.ok()) return Fail(status);
    checked_ = true;
  }
  source_ = std::move(connected.source);
  hung_up_ = false;
  snapshot_ended_ = false;
  server_stopping_us_ = 0;
  standby_ = false;
  connected_us_ = now_us_;
  sender_timeout_us_ = connected.wal_sender_timeout_ms * 1000;
  snapshot_open_ = source_->is_snapshot();
  if (!snapshot_open_) {
    first_ = false;
    recorder_.Connected(connected.identity, connected.start_lsn, now_us_);
  }
  if (connected.gap) Bump(stats_->gaps_accepted);
  confirmer_.Connected(connected.start_lsn, connected.wal_sender_timeout_ms, now_us_);
  intake_.Connected(std::move(connected.tables), source_->is_snapshot());
  phase_ = Phase::kReading;
  reason_ = connected.slot_note;
  Read();
}

// What contradicts the catalogue is found at the start, not at the first row.
absl::Status Relay::CheckTables(const std::vector<Table>& tables) {
  for (const Table& table : tables) {
    std::string bytes;
    const decoder::Relation relation = postgres::RelationOf(table, bytes);
    if (!parts_.router->Wants(relation)) {
      LogWarning("table_not_routed", {{"table", absl::StrCat(table.schema, ".", table.name)}},
                 "this table is captured, and a predicate or a filter keeps it from the Event Router: its rows are "
                 "ignored, where Debezium would publish them as change events");
      continue;
    }
    if (absl::Status status = parts_.router->SetRelation(relation, &table); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// ---- reading --------------------------------------------------------------------------------------------------------

void Relay::Read() {
  if (std::exchange(hung_up_, false))
    return OnSourceError(MakeFault(Fault::kPassing, "the server closed the connection"));
  const bool repeat = publisher_.rewind_wanted();
  // The open transaction is finished before a stop, so that it is not sent twice; unless it cannot be.
  if (stopping_ && (repeat || !tracker_.in_transaction() || source_->is_snapshot() || publisher_.hold() || paused_)) {
    phase_ = Phase::kDraining;
    return StepDraining();
  }
  if (repeat) {
    reason_ = "a delivery failed: the stream is repeated from the confirmed position";
    LogInfo("repeat", {{"lsn", tracker_.confirmable().ToString()}}, reason_);
    return Quiesce(false);
  }
  reads_ = false;
  if (!snapshot_ended_ && !paused_) {
    auto progress = intake_.Step(*source_, stopping_);
    if (!progress.ok()) return OnSourceError(progress.status());
    reads_ = *progress == Intake::Progress::kIdle;
    backlog_ = *progress == Intake::Progress::kMore || *progress == Intake::Progress::kTransactionEnd;
    snapshot_ended_ = *progress == Intake::Progress::kEnd;
  }
  if (source_->is_snapshot()) {
    StepSnapshotEnd();
    return;
  }
  if (unsendable_.found() && tracker_.received() > unsendable_behind_) unsendable_.Passed();
  const Lsn recorded = recorder_.Cover(tracker_.confirmable(), stopping_, now_us_);
  absl::Status status = confirmer_.Step(*source_, tracker_.received(), recorded, reads_ || backlog_, now_us_);
  if (status.ok() && source_->wants_write()) status = source_->Flush();
  if (!status.ok()) return OnSourceError(status);
  CheckServerStopping();
  if (const auto fault = parts_.connector->TakeFault()) Fail(*fault);
  if (phase_ == Phase::kReading && stopping_ && now_us_ >= stop_deadline_us_) {
    phase_ = Phase::kDraining;
    StepDraining();
  }
}

void Relay::CheckServerStopping() {
  if (!confirmer_.server_stopping() && !parts_.connector->server_stopping()) {
    server_stopping_us_ = 0;
    return;
  }
  if (server_stopping_us_ == 0) {
    server_stopping_us_ = now_us_;
    LogInfo("server_stopping", {{"outstanding_records", absl::StrCat(tracker_.outstanding_records())}},
            "PostgreSQL is shutting down and waits for this stream to confirm what it was sent");
  }
  // It waits for us without a bound of its own: what is not acknowledged by then is sent again later.
  if (now_us_ >= ServerStopDeadline())
    OnSourceError(MakeFault(Fault::kPassing, "closed the stream so that PostgreSQL can shut down"));
}

void Relay::TellStreamLost(std::string_view why) {
  reason_ = why;
  LogWarning("stream_lost", {{"slot", config_.slot.name}, {"lsn", tracker_.confirmable().ToString()}}, reason_);
  Bump(stats_->reconnects_postgres);
}

void Relay::OnSourceError(const absl::Status& status) {
  // What was read before a lasting fault may still be acknowledged and confirmed: the stream is kept for that.
  if (FaultOf(status) != Fault::kPassing) return Fail(status);
  TellStreamLost(MessageOf(status));
  unsendable_behind_ = tracker_.received();
  unsendable_.StreamEnded(status, tracker_.in_transaction() ? intake_.commit_lsn() : Lsn(), intake_.rows());
  if (const auto& row = unsendable_.found()) {
    reason_ = row->reason;
    LogError(
        "held", {{"slot", config_.slot.name}, {"code", "unsendable_row"}},
        absl::StrCat(row->reason, "; nothing goes over it by itself: mend the server, or, with the relay stopped, ",
                     row->advance_sql, " and a start with --accept-gap, which loses ", row->loses));
  }
  if (now_us_ - connected_us_ >= kStableUs) backoff_.Reset();
  Quiesce(true);
}

void Relay::StepSnapshotEnd() {
  if (!snapshot_ended_ || tracker_.outstanding_records() > 0 || !tracker_.idle()) return;
  LogInfo("snapshot_published", {{"slot", config_.slot.name}}, "every row of the snapshot is acknowledged");
  parts_.connector->StartFinishSnapshot(std::move(source_));
  phase_ = Phase::kFinishingSnapshot;
}

void Relay::TakeFinishedSnapshot() {
  auto answer = parts_.connector->TakeFinishedSnapshot();
  if (!answer) {
    if (stopping_ && now_us_ >= stop_deadline_us_) Finish();
    return;
  }
  if (!answer->ok()) return OnSourceError(*answer);
  first_ = false;
  snapshot_open_ = false;
  heartbeat_.SnapshotEnded();
  reason_ = "the snapshot is published and the slot stands where it ends";
  if (config_.snapshot.mode == config::SnapshotMode::kInitialOnly) {
    LogInfo("snapshot_only", {}, "snapshot.mode=initial_only: the snapshot is published and nothing is streamed");
    return Finish();
  }
  if (stopping_) return Finish();
  Connect();
}

// ---- between two streams --------------------------------------------------------------------------------------------

// Without a stream, what is in flight is waited for; what does not come back in time is given up and repeated.
void Relay::Quiesce(bool wait) {
  source_.reset();
  reads_ = false;
  phase_ = Phase::kQuiescing;
  quiesce_deadline_us_ = now_us_ + (wait ? kQuiesceUs : 0);
  StepQuiescing();
}

void Relay::StepQuiescing() {
  if (!publisher_.rewind_wanted() && tracker_.outstanding_records() > 0) {
    if (now_us_ >= quiesce_deadline_us_ || (stopping_ && now_us_ >= stop_deadline_us_)) publisher_.Abandon(now_us_);
    if (stopping_ && now_us_ >= stop_deadline_us_) Finish();
    return;
  }
  if (stopping_) return Finish();
  tracker_.Rewind();
  if (publisher_.rewind_wanted()) {
    publisher_.Rewound();
    return Connect();
  }
  publisher_.ForgetRowInHand();
  phase_ = Phase::kBackoff;
  backoff_until_us_ = now_us_ + (unsendable_.found() ? kUnsendableRetryUs : backoff_.NextMicros());
}

int64_t Relay::next_deadline_us() const {
  int64_t deadline = std::min(rates_logged_us_ + kRatesEveryUs, publisher_.next_deadline_us(now_us_));
  deadline = std::min(deadline, heartbeat_.next_deadline_us(now_us_));
  if (source_ && !source_->is_snapshot()) {
    deadline = std::min(deadline, confirmer_.next_deadline_us(reads_));
    deadline = std::min(deadline, recorder_.next_deadline_us(now_us_));
  }
  if (phase_ == Phase::kReading && server_stopping_us_ != 0) deadline = std::min(deadline, ServerStopDeadline());
  if (source_ && intake_.row_in_hand()) deadline = std::min(deadline, now_us_ + kRetryInHandUs);
  if (phase_ == Phase::kBackoff) deadline = std::min(deadline, backoff_until_us_);
  // Both pass without an end of their phase: then reports are waited for, or the server's last answer.
  if (phase_ == Phase::kQuiescing && quiesce_deadline_us_ > now_us_)
    deadline = std::min(deadline, quiesce_deadline_us_);
  if (stopping_ && stop_deadline_us_ > now_us_) deadline = std::min(deadline, stop_deadline_us_);
  if (phase_ == Phase::kClosing) deadline = std::min(deadline, closing_deadline_us_);
  return deadline;
}

}  // namespace postrider::relay
