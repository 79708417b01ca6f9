#include "sim/broker.h"

#include <algorithm>
#include <iterator>

namespace postrider::sim {

using Outcome = kafka::Delivery::Outcome;

void Broker::Freeze(int64_t us) {
  frozen_until_us_ = std::max(frozen_until_us_, world_->clock.now_us() + us);
}

void Broker::RefusePoison(int64_t us, Refusal refusal) {
  poison_until_us_ = world_->clock.now_us() + us;
  poison_refusal_ = refusal;
}

void Broker::SetTroubles(const Troubles& troubles, int64_t us) {
  troubles_ = troubles;
  troubles_until_us_ = world_->clock.now_us() + us;
}

void Broker::Mend() {
  frozen_until_us_ = slow_until_us_ = poison_until_us_ = troubles_until_us_ = 0;
  login_refused_until_us_ = making_fails_until_us_ = reports_stick_until_us_ = acks_lost_until_us_ = 0;
  std::fill(std::begin(topic_gone_until_us_), std::end(topic_gone_until_us_), 0);
}

int64_t Broker::TravelUs() {
  const bool slow = world_->clock.now_us() < slow_until_us_;
  return world_->random.Skewed(100, slow ? 3 * kSecond : 20 * kMs);
}

Broker::Verdict Broker::Take(int topic, const std::vector<BatchRecord>& batch) {
  if (!HasTopic(topic)) {
    world_->CountFault("topic gone at delivery");
    return {.outcome = Outcome::kTopic};
  }
  if (world_->clock.now_us() < poison_until_us_) {
    Verdict verdict{.outcome = Outcome::kRecord};
    for (size_t index = 0; index < batch.size(); ++index)
      if (batch[index].kind == RowKind::kPoison) verdict.guilty.push_back(index);
    if (!verdict.guilty.empty() && (poison_refusal_ == Refusal::kByName || batch.size() == 1)) {
      world_->CountFault("record refused");
      return verdict;
    }
    if (!verdict.guilty.empty()) {
      world_->CountFault("batch refused");
      return {.outcome = Outcome::kBatch};
    }
  }
  const bool trouble = world_->clock.now_us() < troubles_until_us_;
  if (trouble && world_->random.Chance(troubles_.passing_percent)) {
    world_->CountFault("passing delivery fault");
    return {.outcome = Outcome::kPassing};
  }
  const bool fatal = trouble && world_->random.Chance(troubles_.fatal_percent);
  const bool written = !fatal || world_->random.Chance(50);
  if (written)
    for (const BatchRecord& record : batch)
      if (record.id != 0) world_->ledger.Written(record.id);
  if (fatal) {
    world_->CountFault("producer fatal");
    return {.outcome = Outcome::kFatal, .fatal = true};
  }
  const bool all_lost = world_->clock.now_us() < acks_lost_until_us_;
  if (all_lost || (trouble && world_->random.Chance(troubles_.lost_ack_percent))) {
    world_->CountFault("acknowledgement lost");
    return {.outcome = Outcome::kPassing};
  }
  return {};
}

}  // namespace postrider::sim
