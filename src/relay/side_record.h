// The one record beside the rows that may be with the producer: a heartbeat. Inside the Publisher only.
//
// It is no row: the tracker never hears of it, so it neither holds back nor advances the confirmed position. What its
// topic does not take is left out with a warning, and so is one that is lost with its producer: the next one follows in
// its turn. A delivery that fails ends the producer, as any other's does, because the gapless guarantee makes
// librdkafka give up; the stream is then repeated from the confirmed position if rows were in flight. So that rows do
// not pay for it again and again, nothing more is sent for a minute after a failure that lasts, and for longer each
// time, up to an hour.
//
// Belongs to the loop's thread; nothing blocks. Tested by tests/unit/relay/side_record_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/record.h"
#include "kafka/producer.h"
#include "relay/backoff.h"

namespace postrider::relay {

// Whether trying again as it was would fail again.
bool Lasts(kafka::Delivery::Outcome outcome);

class SideRecord {
 public:
  // Comes back with the report. The tracker's tags are smaller: it has no 2^32 slots.
  static constexpr uint64_t kTag = ~uint64_t{0};

  explicit SideRecord(uint64_t jitter_seed) : pause_(60'000, 3'600'000, jitter_seed) {}

  bool in_flight() const { return bytes_ > 0; }
  // What it takes of the byte budget; 0 when there is none.
  size_t bytes() const { return bytes_; }

  // Not while one is in flight. kHeld: it was left out, and that was said.
  kafka::Acceptance::Kind Offer(kafka::Producer& producer, const Record& record, int64_t now_us);
  void Take(const kafka::Delivery& delivery, int64_t now_us);
  // Its producer is gone without a report.
  void Forget() { bytes_ = 0; }

 private:
  size_t bytes_ = 0;
  int64_t not_before_us_ = 0;
  Backoff pause_;
};

}  // namespace postrider::relay
