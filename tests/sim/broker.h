// Kafka as far as the relay meets it: partitions that take batches in order, and everything that can go wrong with one.
//
// A partition has one batch of a producer on its way. When a batch was refused the broker takes none of that producer's
// later batches of the partition (idempotence with enable.gapless.guarantee). A batch may be written although its
// acknowledgement is lost, or arrive after its producer is gone. Topics vanish, limits are lowered, the broker freezes,
// refuses logins, or answers slowly.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kafka/producer.h"
#include "sim/world.h"

namespace postrider::sim {

struct BatchRecord {
  uint64_t id = 0;  // of the row; 0: a heartbeat
  uint64_t tag = 0;
  size_t budget_bytes = 0;
  size_t wire_bytes = 0;
  RowKind kind = RowKind::kEvent;
};

// What the broker does with the next batches that reach it.
struct Troubles {
  int passing_percent = 0;   // a fault that passes, batch not written
  int lost_ack_percent = 0;  // written, and the producer reports a fault
  int fatal_percent = 0;     // the producer gives up
};

class Broker {
 public:
  explicit Broker(World* world) : world_(world) {}

  // ---- faults
  void Freeze(int64_t us);
  void SlowDown(int64_t us) { slow_until_us_ = world_->clock.now_us() + us; }
  void RemoveTopic(int topic, int64_t us) { topic_gone_until_us_[topic] = world_->clock.now_us() + us; }
  // Poison rows are refused: with their whole batch (too large), by name, or by the producer itself, which knows the
  // topic's limit.
  enum class Refusal { kBatch, kByName, kAtOnce };
  void RefusePoison(int64_t us, Refusal refusal);
  void RefuseLogins(int64_t us) { login_refused_until_us_ = world_->clock.now_us() + us; }
  void SetTroubles(const Troubles& troubles, int64_t us);
  // New producers cannot be made; the reports of those that are there come late.
  void FailMaking(int64_t us) { making_fails_until_us_ = world_->clock.now_us() + us; }
  void StickReports(int64_t us) {
    reports_stick_since_us_ = world_->clock.now_us();
    reports_stick_until_us_ = reports_stick_since_us_ + us;
  }
  void LoseAcknowledgements(int64_t us) { acks_lost_until_us_ = world_->clock.now_us() + us; }
  void Mend();

  // ---- its producers
  // How long until a batch that leaves now is looked at, or its answer is back.
  int64_t TravelUs();
  bool frozen() const { return world_->clock.now_us() < frozen_until_us_; }
  int64_t frozen_until_us() const { return frozen_until_us_; }
  bool logins_refused() const { return world_->clock.now_us() < login_refused_until_us_; }
  bool making_fails() const { return world_->clock.now_us() < making_fails_until_us_; }
  // For a producer that was made at this time.
  int64_t reports_stick_until_us(int64_t made_us) const {
    return made_us <= reports_stick_since_us_ ? reports_stick_until_us_ : 0;
  }
  bool refuses_poison() const { return world_->clock.now_us() < poison_until_us_; }
  bool refuses_at_once() const {
    return world_->clock.now_us() < poison_until_us_ && poison_refusal_ == Refusal::kAtOnce;
  }
  bool HasTopic(int topic) const { return world_->clock.now_us() >= topic_gone_until_us_[topic]; }

  struct Verdict {
    kafka::Delivery::Outcome outcome = kafka::Delivery::Outcome::kAcknowledged;
    bool fatal = false;
    std::vector<size_t> guilty;  // kRecord: the others are reported as purged
  };
  // Takes or refuses a batch that has arrived.
  Verdict Take(int topic, const std::vector<BatchRecord>& batch);

 private:
  World* const world_;
  int64_t frozen_until_us_ = 0;
  int64_t slow_until_us_ = 0;
  int64_t topic_gone_until_us_[kTopics] = {};
  int64_t poison_until_us_ = 0;
  Refusal poison_refusal_ = Refusal::kBatch;
  int64_t login_refused_until_us_ = 0;
  int64_t making_fails_until_us_ = 0;
  int64_t reports_stick_since_us_ = 0;
  int64_t reports_stick_until_us_ = 0;
  int64_t acks_lost_until_us_ = 0;
  Troubles troubles_;
  int64_t troubles_until_us_ = 0;
};

}  // namespace postrider::sim
