// The Publisher's second half: reports, the end of a producer, and the next one.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/text.h"
#include "relay/publisher.h"

namespace postrider::relay {
namespace {

constexpr int64_t kDrainLimitUs = 10'000'000;
constexpr int64_t kRetryWaitUs = 100'000;  // librdkafka rings for most answers; this is for the rest

using Kind = kafka::Acceptance::Kind;
using Outcome = kafka::Delivery::Outcome;

}  // namespace

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
  stats_->kafka_reached.store(contact_ && !all_down_, std::memory_order_relaxed);
  return absl::OkStatus();
}

// Counts what Kafka has by table and topic, and how long that took.
void Publisher::Measure(const AcknowledgedRecord& record, int64_t now_us) {
  Meter& meter = stats_->meter;
  meter.Count(record.note.series, Fate::kAcknowledged, record.bytes - kRecordOverheadBytes);
  meter.produce_to_ack.Add(now_us - record.note.produced_us);
  if (record.commit_us == 0) return;
  meter.commit_to_ack.Add(now_us + stats_->unix_ahead_us.load(std::memory_order_relaxed) - record.commit_us);
}

void Publisher::TakeDelivery(const kafka::Delivery& delivery, int64_t now_us) {
  if (delivery.tag == SideRecord::kTag) return TakeBeside(delivery, now_us);
  if (delivery.outcome == Outcome::kAcknowledged) {
    const AcknowledgedRecord acknowledged = tracker_->Acknowledge(delivery.tag);
    stats_->last_acknowledged_us.store(now_us, std::memory_order_relaxed);
    last_progress_us_ = now_us;
    contact_ = true;
    all_down_ = false;
    producer_backoff_.Reset();
    if (trial_ == Trial::kInFlight) trial_ = Trial::kAcknowledged;
    if (parking_ && trial_ == Trial::kAcknowledged) {
      LetterAcknowledged(now_us);
    } else {
      Bump(stats_->events_acknowledged);
      Measure(acknowledged, now_us);
    }
    return;
  }
  const Tracker::RowPlace place = tracker_->PlaceOf(delivery.tag);
  if (trial_ == Trial::kInFlight) {
    // The only record in flight, and its row is still in hand: nothing has to be repeated.
    tracker_->Remove(delivery.tag);
    // What concerns its topic is told when it is offered again.
    const bool own = delivery.outcome == Outcome::kRecord || delivery.outcome == Outcome::kBatch;
    trial_ = own ? Trial::kRefused : Trial::kNone;
    trial_code_ = delivery.code;
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
    held_.HoldTopic(cause_topic_, now_us);
  } else {
    if (outcome == Outcome::kRecord || (outcome == Outcome::kBatch && alone)) {
      suspect_ = cause_place_;
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
  if (held_.waits(now_us)) return;
  const kafka::Acceptance acceptance = producer_->CheckTopic(held_.hold()->topic, cause_bytes_, std::nullopt);
  if (acceptance.kind == Kind::kBroken) return Break(now_us);
  if (acceptance.kind == Kind::kWait) {
    held_.TryAt(now_us + kRetryWaitUs);
    return;
  }
  if (acceptance.kind == Kind::kAccepted) {
    held_.Release("the topic takes records again: the stream is repeated");
    phase_ = Phase::kRewindWanted;
    return;
  }
  held_.TopicRefuses(acceptance.code, acceptance.reason, now_us);
}

}  // namespace postrider::relay
