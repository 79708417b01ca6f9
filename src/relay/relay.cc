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
constexpr int64_t kClosingUs = 1'000'000;       // for the server's answer to the last status
constexpr int64_t kFailureDrainUs = 6'000'000;  // a lasting fault: what is in flight may still be confirmed
constexpr int64_t kStandbyPollUs = 200'000;     // one small query over a connection that is there
constexpr int64_t kStableUs = 10'000'000;       // a stream that lived this long starts the backoff anew
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
  rates_logged_us_ = now_us_;
  heartbeat_.Start(now_us_);
  Connect();
  return publisher_.Start();
}

void Relay::Step() {
  const int64_t before_us = std::exchange(now_us_, parts_.clock->MonotonicMicros());
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
  decoder::Decoder decoder;
  for (const Table& table : tables) {
    const std::string bytes = postgres::RelationBytes(table);
    auto message = decoder.Decode(bytes);
    POSTRIDER_CHECK(message.ok());
    const auto& relation = std::get<decoder::Relation>(*message);
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

// ---- the operator ---------------------------------------------------------------------------------------------------

void Relay::TakeOrder() {
  if (parts_.desk == nullptr) return;
  const std::optional<Order> order = parts_.desk->Take();
  if (order) parts_.desk->Answer(Follow(*order));
}

absl::StatusOr<Report> Relay::Follow(const Order& order) {
  absl::Status status;
  std::string_view done;
  switch (order.verb) {
    case Order::Verb::kReport:
      break;
    case Order::Verb::kRetry:
      done = "retry: what is held is tried now";
      if (unsendable_.found() && phase_ == Phase::kBackoff) {
        backoff_until_us_ = now_us_;
      } else {
        status = publisher_.Retry();
      }
      break;
    case Order::Verb::kPark:
      done = "park: the held event goes to the dead-letter topic";
      status = publisher_.Order(HeldRow::Verdict::kPark, order.word);
      break;
    case Order::Verb::kSkip:
      done = "skip: the held event is not published";
      status = publisher_.Order(HeldRow::Verdict::kSkip, order.word);
      break;
    case Order::Verb::kRelease:
      done = "release: later events of the key are published again";
      status = publisher_.ReleaseKey(order.word);
      break;
    case Order::Verb::kPause:
      done = "pause: nothing is read until resume; what is in flight is waited for and confirmed";
      paused_ = true;
      break;
    case Order::Verb::kResume:
      done = "resume";
      paused_ = false;
      break;
  }
  if (!status.ok()) return status;
  if (!done.empty()) {
    LogWarning("operator", {{"slot", config_.slot.name}, {"word", order.word}, {"key", absl::StrCat(++orders_)}}, done);
  }
  Report report{.state = CurrentState(),
                .reason = reason_,
                .paused = paused_,
                .hold = publisher_.hold(),
                .unsendable = unsendable_.found(),
                .blocked_keys = publisher_.parked().blocked_keys(),
                .now_us = now_us_};
  report.parked.assign(publisher_.parked().events().begin(), publisher_.parked().events().end());
  return report;
}

// ---- stopping -------------------------------------------------------------------------------------------------------

void Relay::RequestStop() {
  if (stopping_) return;
  stopping_ = true;
  stop_deadline_us_ = parts_.clock->MonotonicMicros() + config_.relay.drain_timeout_ms * 1000;
  reason_ = "asked to stop";
}

void Relay::StepDraining() {
  reads_ = false;
  if (publisher_.rewind_wanted()) stop_deadline_us_ = now_us_;
  if (server_stopping_us_ != 0) stop_deadline_us_ = std::min(stop_deadline_us_, ServerStopDeadline());
  const Lsn recorded = recorder_.Cover(tracker_.confirmable(), true, now_us_);
  const bool done = tracker_.outstanding_records() == 0 && recorded >= tracker_.confirmable();
  const bool waits = !done && now_us_ < stop_deadline_us_;
  if (source_->is_snapshot()) {
    // Whatever was sent of a snapshot is sent again: the slot that would remember it does not exist yet.
    if (!waits) Finish();
    return;
  }
  absl::Status status = waits ? confirmer_.Step(*source_, tracker_.received(), recorded, false, now_us_)
                              : confirmer_.SendFinal(*source_, tracker_.received(), recorded, now_us_);
  if (status.ok()) status = source_->Flush();
  if (!status.ok()) return Finish();
  if (waits) return;
  answered_ = false;
  reads_ = true;
  phase_ = Phase::kClosing;
  closing_deadline_us_ = now_us_ + kClosingUs;
}

// The server's answer proves that it has read the last status. Whatever else it sends is discarded and will come again.
void Relay::StepClosing() {
  for (;;) {
    if (now_us_ >= closing_deadline_us_ || !source_->Flush().ok()) return Finish();
    auto message = source_->Next();
    if (!message.ok()) return Finish();
    if (!message->has_value()) return;
    const auto* keepalive = std::get_if<postgres::Keepalive>(&**message);
    answered_ = keepalive != nullptr && !keepalive->reply_requested && !source_->wants_write();
    if (answered_) return Finish();
    now_us_ = parts_.clock->MonotonicMicros();
  }
}

void Relay::Finish() {
  source_.reset();
  reads_ = false;
  // Acknowledged is not enough: what the server was not told, and what no slot remembers, comes again.
  const bool confirmed =
      tracker_.idle() && !snapshot_open_ && answered_ && confirmer_.reported() >= tracker_.confirmable();
  if (failure_) {
    exit_code_ = ExitCodeOf(FaultOf(*failure_));
  } else {
    exit_code_ = confirmed ? 0 : ExitCodeOf(Fault::kStoppedEarly);
    if (config_.slot.drop_on_stop) {
      absl::Status status = parts_.connector->DropSlot();
      if (!status.ok()) LogError("slot_not_dropped", {{"slot", config_.slot.name}}, MessageOf(status));
    }
    LogInfo("stopped",
            {{"lsn", tracker_.confirmable().ToString()},
             {"unconfirmed_records", absl::StrCat(tracker_.outstanding_records())}},
            confirmed ? "stopped: everything received is confirmed"
                      : "stopped before everything was confirmed: it will be sent again");
  }
  phase_ = Phase::kFinished;
}

void Relay::Fail(const absl::Status& status) {
  if (failure_ || phase_ == Phase::kFinished) return;
  failure_ = status;
  stats_->state.store(State::kFailed, std::memory_order_relaxed);
  LogError("failed", {{"exit_code", absl::StrCat(ExitCodeOf(FaultOf(status)))}, {"slot", config_.slot.name}},
           MessageOf(status));
  if (!source_ || source_->is_snapshot()) return Finish();
  stopping_ = true;
  stop_deadline_us_ = now_us_ + kFailureDrainUs;
  phase_ = Phase::kDraining;
}

// ---- telling --------------------------------------------------------------------------------------------------------

State Relay::CurrentState() {
  if (failure_) return State::kFailed;
  if (stopping_) return State::kDraining;
  if (paused_) {
    reason_ = "paused by the operator";
    return State::kPaused;
  }
  if (unsendable_.found()) {
    reason_ = unsendable_.found()->reason;
    return State::kHeld;
  }
  if (phase_ == Phase::kReading || phase_ == Phase::kFinishingSnapshot) {
    if (publisher_.hold()) {
      reason_ = publisher_.hold()->reason;
      return State::kHeld;
    }
    if (publisher_.stalled(now_us_)) {
      reason_ = "no acknowledgement from Kafka for 10 s";
      return State::kStalled;
    }
    return phase_ == Phase::kReading && !source_->is_snapshot() ? State::kStreaming : State::kSnapshot;
  }
  if (standby_) return State::kStandby;
  return backoff_.fresh() ? State::kConnecting : State::kWaiting;
}

void Relay::UpdateState() {
  stats_->inflight_bytes.store(tracker_.outstanding_bytes(), std::memory_order_relaxed);
  stats_->inflight_records.store(tracker_.outstanding_records(), std::memory_order_relaxed);
  stats_->events_held.store(publisher_.hold() || unsendable_.found() ? 1 : 0, std::memory_order_relaxed);
  stats_->received_lsn.store(tracker_.received().value(), std::memory_order_relaxed);
  stats_->confirmed_lsn.store(tracker_.confirmable().value(), std::memory_order_relaxed);
  if (phase_ == Phase::kFinished) return;

  const State state = CurrentState();
  const State before = stats_->state.load(std::memory_order_relaxed);
  if (state == before) return;
  const bool goes_on = before == State::kHeld || before == State::kStalled || before == State::kPaused;
  if (goes_on && (state == State::kStreaming || state == State::kSnapshot)) reason_ = "events go on";
  stats_->state.store(state, std::memory_order_relaxed);
  LogInfo("state",
          {{"state", std::string(StateName(state))},
           {"before", std::string(StateName(before))},
           {"slot", config_.slot.name},
           {"lsn", tracker_.confirmable().ToString()}},
          reason_);
}

void Relay::LogRates() {
  const uint64_t acknowledged = stats_->events_acknowledged.load(std::memory_order_relaxed);
  const double seconds = static_cast<double>(now_us_ - rates_logged_us_) / 1e6;
  const uint64_t confirmed = tracker_.confirmable().value();
  const uint64_t server = std::max(confirmer_.server_lsn().value(), confirmed);
  LogInfo("rates",
          {{"events_per_s",
            absl::StrCat(static_cast<int64_t>(static_cast<double>(acknowledged - rates_acknowledged_) / seconds))},
           {"acknowledged", absl::StrCat(acknowledged)},
           {"inflight_records", absl::StrCat(tracker_.outstanding_records())},
           {"inflight_bytes", absl::StrCat(tracker_.outstanding_bytes())},
           {"unconfirmed_bytes", absl::StrCat(server - confirmed)},
           {"lsn", tracker_.confirmable().ToString()}},
          StateName(stats_->state.load(std::memory_order_relaxed)));
  rates_logged_us_ = now_us_;
  rates_acknowledged_ = acknowledged;
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
