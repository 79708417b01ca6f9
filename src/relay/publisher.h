// Records -> acknowledgements: owns the producer through its lives, and the rule for delivery errors.
//
//   kTaken    the row is done with: handed over, or acknowledged before, or skipped as configured
//   kBlocked  not now: the byte budget is full, the topic is being looked up, or the row is held. Offer it again
//
// A delivery error stops producing at once. The queue is purged and every report drained; then
//   - what passes, or was fatal for the producer: a new producer, and the stream again from the confirmed position;
//   - what lasts for a topic: the new producer probes it, and the stream is repeated only when it would be taken;
//   - a batch refused as a whole: one pass with one record a batch, to find the guilty record;
//   - what lasts for one record: when the repeat reaches that row it is tried alone, and everything behind it stays
//     unread in the stream. Only when the broker refuses it alone too is it held (and tried again with backoff), parked
//     or skipped: in a snapshot that is read again another row may stand at its place. Nothing is sent out of turn.
//
// A row that is parked stays in hand too, until the broker has acknowledged its dead letter, which is then the row's
// acknowledgement. Where the dead-letter topic refuses it as well, it is parked without its value if its row is still
// in the table (asks_for_row), else held. `rewind_wanted()` asks the relay to repeat the stream; until Rewound() all
// offers are blocked.
//
// Beside the rows one record that is none may be in flight (relay/side_record.h).
//
// Belongs to the loop's thread; nothing blocks. Tested by tests/unit/relay/publisher_test.cc with a scripted producer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/record.h"
#include "config/config.h"
#include "kafka/producer.h"
#include "relay/backoff.h"
#include "relay/dead_letter.h"
#include "relay/held_row.h"
#include "relay/parked_log.h"
#include "relay/side_record.h"
#include "relay/stats.h"
#include "relay/tracker.h"

namespace postrider::relay {

class Publisher {
 public:
  enum class Offered { kTaken, kBlocked };

  // `connector`: the configuration's name, for dead letters.
  Publisher(const config::Relay& config, std::string connector, kafka::ProducerFactory* factory, Tracker* tracker,
            Stats* stats, uint64_t jitter_seed);
  ~Publisher();

  // Makes the first producer. A fault kConfiguration for settings that librdkafka refuses.
  absl::Status Start();

  // Offers the row `place` of the open transaction. The record is copied when taken.
  Offered Offer(const Record& record, std::string_view table, Tracker::RowPlace place, int64_t now_us);
  // A row that the router itself cannot make a record of: held, parked or skipped. `record` has its id, and as its
  // value what can be parked of the row.
  Offered OfferUnroutable(std::string_view reason, const Record& record, std::string_view table,
                          Tracker::RowPlace place, int64_t now_us);

  // Offers a record that is no row. kTaken: handed over, or left out with a warning. kBlocked: one is in flight, the
  // budget is full, a row is held, or rows wait as well. It takes its part of the budget; a row never waits for it
  // longer than for another row.
  Offered OfferBeside(const Record& record, int64_t now_us);

  // Takes reports and drives recovery. A lasting fault (Kafka refuses us at the first contact) ends the relay.
  absl::Status Poll(int64_t now_us);

  bool rewind_wanted() const { return phase_ == Phase::kRewindWanted; }
  // Gives up what is in flight, although no delivery failed, because the stream has to be repeated now.
  void Abandon(int64_t now_us);
  // The relay dropped the stream: forget what it held in hand. Only while rewind_wanted().
  void Rewound();
  // The relay closed the stream for another reason with nothing outstanding: the row in hand is gone too.
  void ForgetRowInHand();

  const std::optional<Hold>& hold() const { return held_.hold(); }

  // The row in hand can be parked without its value only if it is still in its table: look, and tell.
  bool asks_for_row() const { return parking_ && parking_->asks_for_row; }
  void TellRow(const Record& record, bool is_there, int64_t now_us);

  // The operator's: see HeldRow. ReleaseKey: a key whose events are parked behind one goes on.
  absl::Status Retry() { return held_.Retry(); }
  absl::Status Order(HeldRow::Verdict verdict, std::string_view id) { return held_.Order(verdict, id); }
  absl::Status ReleaseKey(std::string_view word);
  const ParkedLog& parked() const { return parked_; }
  void SetPoison(const config::Poison& policy) { held_.SetPolicy(policy); }
  bool stalled(int64_t now_us) const;
  // When Poll or Offer should be called again at the latest.
  int64_t next_deadline_us(int64_t now_us) const;

 private:
  enum class Phase {
    kRunning,
    kDraining,      // purged; waiting for the last reports
    kProbing,       // a topic refuses: the new producer looks at it
    kRewindWanted,  // ready for a repeat of the stream
  };

  // One record alone in flight, one attempt at a time, while its row stays in hand.
  enum class Trial { kNone, kInFlight, kAcknowledged, kRefused };
  struct Attempt {
    Trial end = Trial::kNone;  // kNone: not yet
    std::string code, reason;  // kRefused
  };
  // The row in hand whose dead letter is to be written.
  struct Parking {
    Tracker::RowPlace place;
    ParkedEvent event;
    bool with_value = true;
    bool asks_for_row = false;
  };

  bool TakeRepeated(const Record& record, std::string_view table, Tracker::RowPlace place);
  Offered Produce(const Record& record, std::string_view table, Tracker::RowPlace place, int64_t now_us);
  Offered OfferSuspect(const Record& record, std::string_view table, Tracker::RowPlace place, int64_t now_us);
  Offered OfferParked(const Record& record, Tracker::RowPlace place, int64_t now_us);
  std::optional<Offered> FollowOrder(const Record& record, std::string_view table, Tracker::RowPlace place,
                                     int64_t now_us);
  Attempt TryAlone(const Record& record, std::string_view table, Tracker::RowPlace place, int64_t now_us);
  Offered Refused(std::string_view code, std::string_view reason, const Record& record, std::string_view table,
                  Tracker::RowPlace place, int64_t now_us);
  Offered Skip(std::string_view code, std::string_view why, const Record& record, std::string_view table,
               Tracker::RowPlace place);
  Offered Park(std::string_view code, std::string_view reason, const Record& record, std::string_view table,
               Tracker::RowPlace place, int64_t now_us);
  void LetterRefused(const Attempt& attempt, const Record& record, int64_t now_us);
  void LetterAcknowledged(int64_t now_us);
  void FinishRow(Tracker::RowPlace place);
  // Gives one record to the producer.
  kafka::Acceptance HandOver(const Record& record, std::string_view table, Tracker::RowPlace place, size_t bytes,
                             int64_t now_us);
  bool Fits(size_t bytes) const {
    return tracker_->outstanding_bytes() + beside_.bytes() + bytes <= static_cast<size_t>(config_.inflight_bytes_max);
  }

  // ---- reports and recovery (publisher_recovery.cc)
  void Measure(const AcknowledgedRecord& record, int64_t now_us);
  void TakeDelivery(const kafka::Delivery& delivery, int64_t now_us);
  void TakeBeside(const kafka::Delivery& delivery, int64_t now_us);
  absl::Status TakeEvent(const kafka::ProducerEvent& event, int64_t now_us);
  void Break(int64_t now_us);
  void FinishDraining(int64_t now_us);
  void Probe(int64_t now_us);
  bool ReplaceProducer(int64_t now_us);

  const config::Relay config_;
  kafka::ProducerFactory* const factory_;
  Tracker* const tracker_;
  Stats* const stats_;

  std::unique_ptr<kafka::Producer> producer_;
  kafka::ProducerSettings settings_;
  bool contact_ = false;   // a broker has answered, ever
  bool all_down_ = false;  // and no broker is there now
  Phase phase_ = Phase::kRunning;
  int64_t drain_until_us_ = 0;
  int64_t producer_retry_us_ = 0;
  int64_t last_progress_us_ = 0;
  int64_t waits_since_us_ = 0;  // the row in hand, for its topic or room in the queue; 0: it does not
  Backoff producer_backoff_;

  // The first delivery error of the current producer: the cause; what follows it is consequence. A fault that lasts is
  // none, though.
  std::optional<kafka::Delivery> cause_;
  Tracker::RowPlace cause_place_;
  std::string cause_topic_;
  size_t cause_bytes_ = 0;

  // The row that a broker refused by itself, tried alone from now on.
  std::optional<Tracker::RowPlace> suspect_;
  Trial trial_ = Trial::kNone;
  std::string trial_code_;                         // of the last refusal
  std::optional<Tracker::RowPlace> single_until_;  // one record a batch up to this row

  HeldRow held_;
  std::optional<Parking> parking_;
  DeadLetter dead_letter_;
  ParkedLog parked_;
  SideRecord beside_;
  std::vector<kafka::Delivery> deliveries_;
  std::vector<kafka::ProducerEvent> events_;
};

}  // namespace postrider::relay
