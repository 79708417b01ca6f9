#include "relay/publisher.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/text.h"

namespace postrider::relay {
namespace {

constexpr int64_t kDrainLimitUs = 10'000'000;
constexpr int64_t kStalledAfterUs = 10'000'000;
constexpr int64_t kRetryWaitUs = 100'000;  // librdkafka rings for most answers; this is for the rest

using Kind = kafka::Acceptance::Kind;
using Outcome = kafka::Delivery::Outcome;

// What concerns a whole topic passes with it, however long that takes: it is no record's fault, and none is skipped for
// it.
bool ConcernsTopic(std::string_view code) {
  return code == "unknown_topic" || code == "topic_authorization";
}

}  // namespace

Publisher::Publisher(const config::Relay& config, kafka::ProducerFactory* factory, Tracker* tracker, Stats* stats,
                     uint64_t jitter_seed)
    : config_(config),
      factory_(factory),
      tracker_(tracker),
      stats_(stats),
      producer_backoff_(100, 10'000, jitter_seed),
      hold_backoff_(500, 5'000, jitter_seed),
      beside_(jitter_seed) {}

Publisher::~Publisher() = default;

absl::Status Publisher::Start() {
  auto producer = factory_->Make(settings_);
  if (!producer.ok()) return producer.status();
  producer_ = *std::move(producer);
  return absl::OkStatus();
}

Publisher::Offered Publisher::Offer(const Record& record, std::string_view table, Tracker::RowPlace place,
                                    int64_t now_us) {
  if (phase_ != Phase::kRunning) return Offered::kBlocked;
  if (TakeRepeated(place)) return Offered::kTaken;
  if (suspect_ == place) return OfferSuspect(record, table, place, now_us);
  return Produce(record, table, place, now_us);
}

Publisher::Offered Publisher::OfferUnroutable(std::string_view reason, std::string_view id, std::string_view table,
                                              Tracker::RowPlace place, int64_t now_us) {
  if (phase_ != Phase::kRunning) return Offered::kBlocked;
  if (TakeRepeated(place)) return Offered::kTaken;
  if (hold_ && now_us < hold_->next_try_us) return Offered::kBlocked;
  return HoldRow("unroutable", reason, Record{.id = id}, table, place, now_us);
}

// A row that was acknowledged, or skipped, before the stream was repeated is done with.
bool Publisher::TakeRepeated(Tracker::RowPlace place) {
  if (!tracker_->AcknowledgedBefore(place.ordinal)) return false;
  tracker_->AddAcknowledged(place.ordinal);
  Bump(stats_->events_repeated);
  return true;
}

Publisher::Offered Publisher::Produce(const Record& record, std::string_view table, Tracker::RowPlace place,
                                      int64_t now_us) {
  if (hold_ && now_us < hold_->next_try_us) return Offered::kBlocked;
  const size_t outstanding = tracker_->outstanding_records();
  const size_t bytes = BudgetBytes(record);
  // One record above the budget passes when nothing else is in flight, or it could never pass.
  if (outstanding > 0 && !Fits(bytes)) return Offered::kBlocked;
  if (single_until_ && place.commit_lsn > single_until_->commit_lsn) {
    if (outstanding > 0) return Offered::kBlocked;
    single_until_.reset();
    settings_.single_record_batches = false;
    Break(now_us);
    return Offered::kBlocked;
  }
  if (outstanding == 0) last_progress_us_ = now_us;

  const HandedOver handed = HandOver(record, table, place, bytes, now_us);
  if (handed.accepted) Release("the held event goes on");
  return handed.offered;
}

// Gives one record to the producer, or says what that means for its row.
Publisher::HandedOver Publisher::HandOver(const Record& record, std::string_view table, Tracker::RowPlace place,
                                          size_t bytes, int64_t now_us) {
  const uint64_t tag = tracker_->Add(place.ordinal, bytes);
  const kafka::Acceptance acceptance = producer_->Produce(record, tag);
  if (acceptance.kind == Kind::kAccepted) {
    Bump(stats_->events_produced);
    return {.accepted = true, .offered = Offered::kTaken};
  }
  tracker_->Remove(tag);
  if (acceptance.kind == Kind::kHeld)
    return {.offered = HoldRow(acceptance.code, acceptance.reason, record, table, place, now_us)};
  if (acceptance.kind == Kind::kBroken) Break(now_us);
  return {};
}

// The row in hand goes on: it is held no more.
void Publisher::Release(std::string_view text) {
  if (hold_) LogInfo("released", {{"id", hold_->id}, {"topic", hold_->topic}}, text);
  hold_.reset();
  hold_backoff_.Reset();
}

// The row that a broker refused before: alone in flight, one attempt at a time. It stays in hand (kBlocked) until its
// report.
Publisher::Offered Publisher::OfferSuspect(const Record& record, std::string_view table, Tracker::RowPlace place,
                                           int64_t now_us) {
  if (trial_ == Trial::kAcknowledged) {
    trial_ = Trial::kNone;
    suspect_.reset();
    Release("the held event was taken by the broker");
    return Offered::kTaken;
  }
  if (trial_ == Trial::kInFlight || tracker_->outstanding_records() > 0) return Offered::kBlocked;
  if (trial_ == Trial::kRefused) {
    trial_ = Trial::kNone;
    const std::string reason = absl::StrCat("the broker refuses this record (", suspect_code_,
                                            "): mend the topic's settings, or set errors.tolerance=all to skip it");
    const Offered offered = HoldRow("record_refused", reason, record, table, place, now_us);
    if (offered == Offered::kTaken) suspect_.reset();
    return offered;
  }
  if (hold_ && now_us < hold_->next_try_us) return Offered::kBlocked;
  const HandedOver handed = HandOver(record, table, place, BudgetBytes(record), now_us);
  if (!handed.accepted) return handed.offered;
  trial_ = Trial::kInFlight;
  last_progress_us_ = now_us;
  return Offered::kBlocked;
}

Publisher::Offered Publisher::HoldRow(std::string_view code, std::string_view reason, const Record& record,
                                      std::string_view table, Tracker::RowPlace place, int64_t now_us) {
  if (config_.poison.policy == config::PoisonPolicy::kSkip && !ConcernsTopic(code)) {
    tracker_->AddAcknowledged(place.ordinal);
    Bump(stats_->events_skipped);
    LogError("skipped",
             {{"id", std::string(record.id)},
              {"table", std::string(table)},
              {"topic", std::string(record.topic)},
              {"code", std::string(code)}},
             absl::StrCat("skipped because errors.tolerance=all: ", View(reason)));
    hold_.reset();
    return Offered::kTaken;
  }
  if (!hold_) {
    hold_.emplace();
    hold_backoff_.Reset();
  }
  hold_->code = code;
  hold_->reason = reason;
  hold_->id = record.id;
  hold_->table = table;
  hold_->topic = record.topic;
  ++hold_->attempts;
  hold_->next_try_us = now_us + hold_backoff_.NextMicros();
  LogHold();
  return Offered::kBlocked;
}

void Publisher::LogHold() const {
  LogError("held", {{"id", hold_->id}, {"table", hold_->table}, {"topic", hold_->topic}, {"code", hold_->code}},
           hold_->reason);
}

Publisher::Offered Publisher::OfferBeside(const Record& record, int64_t now_us) {
  if (phase_ != Phase::kRunning || hold_ || beside_.in_flight() || !Fits(BudgetBytes(record))) return Offered::kBlocked;
  const Kind kind = beside_.Offer(*producer_, record, now_us);
  if (kind == Kind::kBroken) Break(now_us);
  return kind == Kind::kAccepted || kind == Kind::kHeld ? Offered::kTaken : Offered::kBlocked;
}

absl::Status Publisher::Poll(int64_t now_us) {
  if (producer_) {
    deliveries_.clear();
    events_.clear();
    producer_->Poll(deliveries_, events_);
    for (const kafka::Delivery& delivery : deliveries_) TakeDelivery(delivery, now_us);
    for (const kafka::ProducerEvent& event : events_) {
      if (absl::Status status = TakeEvent(event, now_us); !status.ok()) return status;
    }
  }
  if (phase_ == Phase::kDraining) FinishDraining(now_us);
  if (phase_ == Phase::kProbing) Probe(now_us);
  return absl::OkStatus();
}

void Publisher::TakeDelivery(const kafka::Delivery& delivery, int64_t now_us) {
  if (delivery.tag == SideRecord::kTag) return TakeBeside(delivery, now_us);
  if (delivery.outcome == Outcome::kAcknowledged) {
    tracker_->Acknowledge(delivery.tag);
    Bump(stats_->events_acknowledged);
    stats_->last_acknowledged_us.store(now_us, std::memory_order_relaxed);
    last_progress_us_ = now_us;
    contact_ = true;
    all_down_ = false;
    producer_backoff_.Reset();
    if (trial_ == Trial::kInFlight) trial_ = Trial::kAcknowledged;
    return;
  }
  const Tracker::RowPlace place = tracker_->PlaceOf(delivery.tag);
  if (trial_ == Trial::kInFlight) {
    // The only record in flight, and its row is still in hand: nothing has to be repeated.
    tracker_->Remove(delivery.tag);
    trial_ = Lasts(delivery.outcome) ? Trial::kRefused : Trial::kNone;
    suspect_code_ = delivery.code;
  }
  if (delivery.outcome == Outcome::kPurged) return;
  if (!cause_ || (Lasts(delivery.outcome) && !Lasts(cause_->outcome))) {
    cause_ = delivery;
    cause_place_ = place;
    cause_topic_ = delivery.topic;
    cause_bytes_ = delivery.record_bytes;
    cause_->topic = "";  // it dies with the producer
    LogError("delivery_failed",
             {{"topic", cause_topic_},
              {"code", delivery.code},
              {"commit_lsn", place.commit_lsn.ToString()},
              {"row", absl::StrCat(place.ordinal)}},
             "the broker did not take a record: producing stops, nothing later is written before it");
  }
  if (settings_.single_record_batches == false && delivery.outcome == Outcome::kBatch &&
      (!single_until_ || place.commit_lsn > single_until_->commit_lsn))
    single_until_ = place;
  if (phase_ == Phase::kRunning) Break(now_us);
}

// It says that brokers are there, and nothing of the rows' progress. Its failure is no cause that rows could wait for.
void Publisher::TakeBeside(const kafka::Delivery& delivery, int64_t now_us) {
  beside_.Take(delivery, now_us);
  if (delivery.outcome == Outcome::kAcknowledged) {
    contact_ = true;
    all_down_ = false;
    return;
  }
  if (delivery.outcome == Outcome::kPurged) return;
  if (Lasts(delivery.outcome)) {
    // The next producer has no such record to fail on for a while: it is made at once.
    producer_backoff_.Reset();
    producer_retry_us_ = now_us;
  }
  if (phase_ == Phase::kRunning) Break(now_us);
}

absl::Status Publisher::TakeEvent(const kafka::ProducerEvent& event, int64_t now_us) {
  switch (event.kind) {
    case kafka::ProducerEvent::Kind::kRefused:
      if (!contact_) return MakeFault(Fault::kKafkaRefuses, event.text);
      LogError("kafka_refuses", {}, event.text);
      // A secret may have been rotated: a new producer reads it anew.
      Abandon(now_us);
      break;
    case kafka::ProducerEvent::Kind::kAllDown:
      all_down_ = true;
      LogWarning("kafka_away", {}, event.text);
      break;
    case kafka::ProducerEvent::Kind::kConnected:
      if (!contact_ || all_down_) LogInfo("kafka_connected", {}, event.text);
      contact_ = true;
      all_down_ = false;
      break;
    case kafka::ProducerEvent::Kind::kFatal:
      LogWarning("producer_fatal", {}, event.text);
      Abandon(now_us);
      break;
  }
  return absl::OkStatus();
}

void Publisher::Abandon(int64_t now_us) {
  if (phase_ == Phase::kRunning || phase_ == Phase::kProbing) Break(now_us);
}

void Publisher::Break(int64_t now_us) {
  phase_ = Phase::kDraining;
  drain_until_us_ = now_us + kDrainLimitUs;
  producer_retry_us_ = now_us;
  if (!producer_backoff_.fresh()) producer_retry_us_ += producer_backoff_.NextMicros();
  producer_->Purge();
}

void Publisher::FinishDraining(int64_t now_us) {
  if (producer_) {
    if (producer_->outstanding() > 0 && now_us < drain_until_us_) return;
    producer_.reset();
    beside_.Forget();
  }
  if (now_us < producer_retry_us_) return;

  const Outcome outcome = cause_ ? cause_->outcome : Outcome::kPassing;
  const bool alone = settings_.single_record_batches;
  if (outcome == Outcome::kBatch) settings_.single_record_batches = true;
  if (!ReplaceProducer(now_us)) return;

  if (tracker_->outstanding_records() == 0) {
    // Nothing was lost with the old producer. A row in hand (one that was tried alone, or that waits) is offered again.
    phase_ = Phase::kRunning;
  } else if (outcome == Outcome::kTopic) {
    phase_ = Phase::kProbing;
    hold_.emplace();
    hold_->topic = cause_topic_;
    hold_backoff_.Reset();
  } else {
    if (outcome == Outcome::kRecord || (outcome == Outcome::kBatch && alone)) {
      suspect_ = cause_place_;
      suspect_code_ = cause_->code;
    }
    phase_ = Phase::kRewindWanted;
  }
  cause_.reset();
}

bool Publisher::ReplaceProducer(int64_t now_us) {
  Bump(stats_->reconnects_kafka);
  auto producer = factory_->Make(settings_);
  if (!producer.ok()) {
    // One was made before with these settings: what changed is a secret or a store, and those come back.
    producer_retry_us_ = now_us + producer_backoff_.NextMicros();
    LogError("producer_not_made", {}, MessageOf(producer.status()));
    return false;
  }
  producer_backoff_.NextMicros();  // one that fails at once again is followed later
  producer_ = *std::move(producer);
  return true;
}

void Publisher::Probe(int64_t now_us) {
  if (now_us < hold_->next_try_us) return;
  const kafka::Acceptance acceptance = producer_->CheckTopic(hold_->topic, cause_bytes_, std::nullopt);
  if (acceptance.kind == Kind::kBroken) return Break(now_us);
  if (acceptance.kind == Kind::kWait) {
    hold_->next_try_us = now_us + kRetryWaitUs;
    return;
  }
  if (acceptance.kind == Kind::kAccepted) {
    LogInfo("released", {{"topic", hold_->topic}}, "the topic takes records again: the stream is repeated");
    hold_.reset();
    phase_ = Phase::kRewindWanted;
    return;
  }
  hold_->code = acceptance.code;
  hold_->reason = acceptance.reason;
  ++hold_->attempts;
  hold_->next_try_us = now_us + hold_backoff_.NextMicros();
  LogHold();
}

void Publisher::Rewound() {
  POSTRIDER_CHECK(phase_ == Phase::kRewindWanted);
  phase_ = Phase::kRunning;
  ForgetRowInHand();
}

void Publisher::ForgetRowInHand() {
  hold_.reset();
  if (trial_ == Trial::kAcknowledged) suspect_.reset();
  trial_ = Trial::kNone;
}

bool Publisher::stalled(int64_t now_us) const {
  return tracker_->outstanding_records() > 0 && now_us - last_progress_us_ > kStalledAfterUs;
}

int64_t Publisher::next_deadline_us(int64_t now_us) const {
  int64_t deadline = now_us + 1'000'000;
  if (phase_ == Phase::kDraining) deadline = std::min(deadline, std::max(producer_retry_us_, now_us + kRetryWaitUs));
  // A try that is due waits for something else: a report, a new producer, the relay's next offer.
  if (hold_ && hold_->next_try_us > now_us) deadline = std::min(deadline, hold_->next_try_us);
  return deadline;
}

}  // namespace postrider::relay
