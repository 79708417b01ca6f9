#include "relay/publisher.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/log.h"
#include "base/text.h"

namespace postrider::relay {
namespace {

constexpr int64_t kStalledAfterUs = 10'000'000;
constexpr int64_t kRetryWaitUs = 100'000;  // librdkafka rings for most answers; this is for the rest

using Kind = kafka::Acceptance::Kind;
using Verdict = HeldRow::Verdict;

}  // namespace

Publisher::Publisher(const config::Relay& config, std::string connector, kafka::ProducerFactory* factory,
                     Tracker* tracker, Stats* stats, uint64_t jitter_seed)
    : config_(config),
      factory_(factory),
      tracker_(tracker),
      stats_(stats),
      producer_backoff_(100, 10'000, jitter_seed),
      held_(config.poison, jitter_seed),
      dead_letter_(std::move(connector)),
      beside_(jitter_seed) {}

Publisher::~Publisher() = default;

absl::Status Publisher::Start() {
  auto producer = factory_->Make(settings_);
  if (!producer.ok()) return producer.status();
  producer_ = *std::move(producer);
  return absl::OkStatus();
}

// ---- rows -----------------------------------------------------------------------------------------------------------

Publisher::Offered Publisher::Offer(const Record& record, std::string_view table, Tracker::RowPlace place,
                                    int64_t now_us) {
  if (phase_ != Phase::kRunning) return Offered::kBlocked;
  if (TakeRepeated(record, table, place)) return Offered::kTaken;
  if (const auto followed = FollowOrder(record, table, place, now_us)) return *followed;
  if (parking_ && parking_->place == place) return OfferParked(record, place, now_us);
  if (suspect_ == place) return OfferSuspect(record, table, place, now_us);
  if (parked_.Blocks(record))
    return Park("behind_parked", "an earlier event of this key is parked", record, table, place, now_us);
  return Produce(record, table, place, now_us);
}

Publisher::Offered Publisher::OfferUnroutable(std::string_view reason, const Record& record, std::string_view table,
                                              Tracker::RowPlace place, int64_t now_us) {
  if (phase_ != Phase::kRunning) return Offered::kBlocked;
  if (TakeRepeated(record, table, place)) return Offered::kTaken;
  if (const auto followed = FollowOrder(record, table, place, now_us)) return *followed;
  if (parking_ && parking_->place == place) return OfferParked(record, place, now_us);
  if (held_.waits(now_us)) return Offered::kBlocked;
  return Refused(HeldRow::kUnroutable, reason, record, table, place, now_us);
}

// A row that was acknowledged, or skipped, before the stream was repeated is done with.
bool Publisher::TakeRepeated(const Record& record, std::string_view table, Tracker::RowPlace place) {
  if (!tracker_->AcknowledgedBefore(place.ordinal)) return false;
  tracker_->AddAcknowledged(place.ordinal);
  Bump(stats_->events_repeated);
  stats_->meter.Count(stats_->meter.Find(table, record.topic), Fate::kRepeated, RecordBytes(record));
  return true;
}

Publisher::Offered Publisher::Produce(const Record& record, std::string_view table, Tracker::RowPlace place,
                                      int64_t now_us) {
  if (held_.waits(now_us)) return Offered::kBlocked;
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

  const kafka::Acceptance acceptance = HandOver(record, table, place, bytes, now_us);
  if (acceptance.kind == Kind::kHeld) return Refused(acceptance.code, acceptance.reason, record, table, place, now_us);
  if (acceptance.kind != Kind::kAccepted) return Offered::kBlocked;
  if (held_.hold()) held_.Release("the held event goes on");
  return Offered::kTaken;
}

kafka::Acceptance Publisher::HandOver(const Record& record, std::string_view table, Tracker::RowPlace place,
                                      size_t bytes, int64_t now_us) {
  const uint32_t series = stats_->meter.Find(table, record.topic);
  const uint64_t tag = tracker_->Add(place.ordinal, bytes, {.produced_us = now_us, .series = series});
  kafka::Acceptance acceptance = producer_->Produce(record, tag);
  if (acceptance.kind != Kind::kWait) {
    waits_since_us_ = 0;
  } else if (waits_since_us_ == 0) {
    waits_since_us_ = now_us;
  }
  if (acceptance.kind == Kind::kAccepted) {
    Bump(stats_->events_produced);
    return acceptance;
  }
  tracker_->Remove(tag);
  if (acceptance.kind == Kind::kBroken) Break(now_us);
  return acceptance;
}

// ---- one record alone -----------------------------------------------------------------------------------------------

// The row stays in hand until the report, which comes to a later call.
Publisher::Attempt Publisher::TryAlone(const Record& record, std::string_view table, Tracker::RowPlace place,
                                       int64_t now_us) {
  if (trial_ == Trial::kAcknowledged || trial_ == Trial::kRefused)
    return {.end = std::exchange(trial_, Trial::kNone), .code = trial_code_, .reason = ""};
  if (trial_ == Trial::kInFlight || tracker_->outstanding_records() > 0 || held_.waits(now_us)) return {};
  kafka::Acceptance acceptance = HandOver(record, table, place, BudgetBytes(record), now_us);
  if (acceptance.kind == Kind::kHeld)
    return {.end = Trial::kRefused, .code = std::move(acceptance.code), .reason = std::move(acceptance.reason)};
  if (acceptance.kind != Kind::kAccepted) return {};
  trial_ = Trial::kInFlight;
  last_progress_us_ = now_us;
  return {};
}

// The row that a broker refused before.
Publisher::Offered Publisher::OfferSuspect(const Record& record, std::string_view table, Tracker::RowPlace place,
                                           int64_t now_us) {
  Attempt attempt = TryAlone(record, table, place, now_us);
  if (attempt.end == Trial::kNone) return Offered::kBlocked;
  if (attempt.end == Trial::kAcknowledged) {
    suspect_.reset();
    held_.Release("the held event was taken by the broker");
    return Offered::kTaken;
  }
  if (attempt.reason.empty()) {
    attempt.reason = absl::StrCat("the broker refuses this record (", attempt.code,
                                  "): mend the topic's settings, or let such events be parked (",
                                  "errors.deadletterqueue.topic.name) or skipped (errors.tolerance=all)");
    attempt.code = "record_refused";
  }
  return Refused(attempt.code, attempt.reason, record, table, place, now_us);
}

// ---- what is refused ------------------------------------------------------------------------------------------------

Publisher::Offered Publisher::Refused(std::string_view code, std::string_view reason, const Record& record,
                                      std::string_view table, Tracker::RowPlace place, int64_t now_us) {
  const bool held_before = held_.hold().has_value();
  const Verdict verdict = held_.Refuse(code, reason, record, table, place, now_us);
  if (!held_before && held_.hold())
    stats_->meter.Count(stats_->meter.Find(table, record.topic), Fate::kHeld, RecordBytes(record));
  switch (verdict) {
    case Verdict::kHold:
      break;
    case Verdict::kPark:
      return Park(code, reason, record, table, place, now_us);
    case Verdict::kSkip:
      return Skip(code, absl::StrCat("skipped by the policy: ", View(reason)), record, table, place);
  }
  return Offered::kBlocked;
}

// What the operator said of the row in hand. Not while its record is in flight.
std::optional<Publisher::Offered> Publisher::FollowOrder(const Record& record, std::string_view table,
                                                         Tracker::RowPlace place, int64_t now_us) {
  if (!held_.hold() || trial_ != Trial::kNone) return std::nullopt;
  const std::optional<Verdict> order = held_.TakeOrder(place);
  if (!order) return std::nullopt;
  const Hold hold = *held_.hold();
  if (*order == Verdict::kSkip) {
    return Skip(hold.code, absl::StrCat("skipped by the operator: ", hold.reason), record, table, place);
  }
  if (parking_ && parking_->place == place) return OfferParked(record, place, now_us);  // now, and not with backoff
  return Park(hold.code, hold.reason, record, table, place, now_us);
}

Publisher::Offered Publisher::Skip(std::string_view code, std::string_view why, const Record& record,
                                   std::string_view table, Tracker::RowPlace place) {
  tracker_->AddAcknowledged(place.ordinal);
  Bump(stats_->events_skipped);
  stats_->meter.Count(stats_->meter.Find(table, record.topic), Fate::kSkipped, RecordBytes(record));
  LogError("skipped",
           {{"id", std::string(record.id)},
            {"table", std::string(table)},
            {"topic", std::string(record.topic)},
            {"code", std::string(code)}},
           absl::StrCat("event ", View(record.id), " is not published: ", View(why)));  // each has its line
  FinishRow(place);
  return Offered::kTaken;
}

// A row that was in hand is done with, and nothing of it stays behind.
void Publisher::FinishRow(Tracker::RowPlace place) {
  if (suspect_ == place) suspect_.reset();
  ForgetRowInHand();
}

Publisher::Offered Publisher::Park(std::string_view code, std::string_view reason, const Record& record,
                                   std::string_view table, Tracker::RowPlace place, int64_t now_us) {
  std::string key = held_.policy().park_same_key ? ParkedLog::KeyOf(record) : "";
  if (!key.empty() && parked_.full() && !parked_.Blocks(record)) {
    if (held_.waits(now_us)) return Offered::kBlocked;
    held_.Keep("parked_keys_full",
               absl::StrCat("it is not parked, because ", ParkedLog::kKeysMax,
                            " keys are blocked by parked events already: release some with `postrider held release`; ",
                            View(reason)),
               record, table, place, now_us);
    return Offered::kBlocked;
  }
  parking_ = {.place = place,
              .event = {.id = std::string(record.id),
                        .table = std::string(table),
                        .topic = std::string(record.topic),
                        .code = std::string(code),
                        .reason = std::string(reason),
                        .attempts = held_.hold() ? held_.hold()->attempts : 0,
                        .key = std::move(key)}};
  if (held_.hold()) held_.TryAt(now_us);
  return OfferParked(record, place, now_us);
}

Publisher::Offered Publisher::OfferParked(const Record& record, Tracker::RowPlace place, int64_t now_us) {
  if (parking_->asks_for_row) return Offered::kBlocked;
  const Record& letter = dead_letter_.Make(record, place, parking_->event, held_.policy(), parking_->with_value);
  const Attempt attempt = TryAlone(letter, parking_->event.table, place, now_us);
  if (attempt.end == Trial::kRefused) LetterRefused(attempt, record, now_us);
  if (attempt.end != Trial::kAcknowledged) return Offered::kBlocked;
  FinishRow(place);
  return Offered::kTaken;
}

// It is told when the acknowledgement comes: should the stream be lost next, the row is not offered any more.
void Publisher::LetterAcknowledged(int64_t now_us) {
  ParkedEvent& event = parking_->event;
  Bump(stats_->events_parked);
  stats_->meter.Count(stats_->meter.Find(event.table, event.topic), Fate::kParked, 0);
  LogError("parked",
           {{"id", event.id},
            {"table", event.table},
            {"topic", event.topic},
            {"code", event.code},
            {"attempts", absl::StrCat(event.attempts)},
            {"dead_letter_topic", held_.policy().dead_letter_topic},
            {"value", parking_->with_value ? "whole" : "left-out"}},
           absl::StrCat("event ", event.id, " is parked: ", event.reason));
  event.at_us = now_us;
  parked_.Add(event);
}

// A letter is refused like any record: for its topic, which passes, or for its size, which may leave room for the rest.
void Publisher::LetterRefused(const Attempt& attempt, const Record& record, int64_t now_us) {
  if (!HeldRow::ConcernsTopic(attempt.code) && parking_->with_value && record.value) {
    parking_->asks_for_row = true;
    return;
  }
  const std::string why =
      attempt.reason.empty() ? absl::StrCat("the broker refuses the dead letter (", attempt.code, ")") : attempt.reason;
  held_.Keep("not_parked",
             absl::StrCat("it cannot be parked: ", why, "; and it was to be parked because: ", parking_->event.reason),
             record, parking_->event.table, parking_->place, now_us);
}

void Publisher::TellRow(const Record& record, bool is_there, int64_t now_us) {
  POSTRIDER_CHECK(asks_for_row());
  parking_->asks_for_row = false;
  parking_->with_value = !is_there;
  if (is_there) {
    if (held_.hold()) held_.TryAt(now_us);
    return;
  }
  held_.Keep(
      "not_parked",
      absl::StrCat("it cannot be parked: the dead-letter topic refuses it too, and its row is no longer in the "
                   "table, so that parking it without its value would lose it; and it was to be parked because: ",
                   parking_->event.reason),
      record, parking_->event.table, parking_->place, now_us);
}

absl::Status Publisher::ReleaseKey(std::string_view word) {
  if (parked_.ReleaseKey(word)) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("no key is blocked by the event ", View(word)));
}

Publisher::Offered Publisher::OfferBeside(const Record& record, int64_t now_us) {
  if (phase_ != Phase::kRunning || held_.hold() || beside_.in_flight() || !Fits(BudgetBytes(record)))
    return Offered::kBlocked;
  const Kind kind = beside_.Offer(*producer_, record, now_us);
  if (kind == Kind::kBroken) Break(now_us);
  return kind == Kind::kAccepted || kind == Kind::kHeld ? Offered::kTaken : Offered::kBlocked;
}

void Publisher::Rewound() {
  POSTRIDER_CHECK(phase_ == Phase::kRewindWanted);
  phase_ = Phase::kRunning;
  ForgetRowInHand();
}

void Publisher::ForgetRowInHand() {
  held_.Forget();
  parking_.reset();
  waits_since_us_ = 0;
  if (trial_ == Trial::kAcknowledged) suspect_.reset();
  trial_ = Trial::kNone;
}

bool Publisher::stalled(int64_t now_us) const {
  const bool unacknowledged = tracker_->outstanding_records() > 0 && now_us - last_progress_us_ > kStalledAfterUs;
  // Its topic is looked up, and nobody answers.
  const bool not_even_taken = waits_since_us_ > 0 && now_us - waits_since_us_ > kStalledAfterUs;
  return unacknowledged || not_even_taken;
}

int64_t Publisher::next_deadline_us(int64_t now_us) const {
  int64_t deadline = now_us + 1'000'000;
  if (phase_ == Phase::kDraining) deadline = std::min(deadline, std::max(producer_retry_us_, now_us + kRetryWaitUs));
  // A try that is due waits for something else: a report, a new producer, the relay's next offer.
  if (held_.waits(now_us)) deadline = std::min(deadline, held_.hold()->next_try_us);
  return deadline;
}

}  // namespace postrider::relay
