#include "relay/side_record.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/log.h"

namespace postrider::relay {

using Kind = kafka::Acceptance::Kind;
using Outcome = kafka::Delivery::Outcome;

bool Lasts(Outcome outcome) {
  return outcome == Outcome::kTopic || outcome == Outcome::kBatch || outcome == Outcome::kRecord;
}

Kind SideRecord::Offer(kafka::Producer& producer, const Record& record, int64_t now_us) {
  POSTRIDER_CHECK(!in_flight());
  if (now_us < not_before_us_) return Kind::kHeld;
  const kafka::Acceptance acceptance = producer.Produce(record, kTag);
  if (acceptance.kind == Kind::kAccepted) bytes_ = BudgetBytes(record);
  if (acceptance.kind == Kind::kHeld) {
    LogWarning("heartbeat_left_out", {{"topic", std::string(record.topic)}, {"code", acceptance.code}},
               acceptance.reason);
  }
  return acceptance.kind;
}

void SideRecord::Take(const kafka::Delivery& delivery, int64_t now_us) {
  bytes_ = 0;
  if (delivery.outcome == Outcome::kAcknowledged) pause_.Reset();
  if (delivery.outcome == Outcome::kAcknowledged || delivery.outcome == Outcome::kPurged) return;
  if (!Lasts(delivery.outcome)) {
    LogWarning("heartbeat_failed", {{"topic", delivery.topic}, {"code", delivery.code}},
               "a heartbeat was not delivered, and its producer is replaced");
    return;
  }
  const int64_t pause_us = pause_.NextMicros();
  not_before_us_ = now_us + pause_us;
  LogWarning("heartbeat_failed",
             {{"topic", delivery.topic}, {"code", delivery.code}, {"pause_s", absl::StrCat(pause_us / 1'000'000)}},
             "the broker does not take a heartbeat: its producer is replaced, and no further one is sent for a while; "
             "mend the topic's settings or rights, or set heartbeat.interval.ms=0");
}

}  // namespace postrider::relay
