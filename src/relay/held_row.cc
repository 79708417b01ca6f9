#include "relay/held_row.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/log.h"
#include "base/text.h"

namespace postrider::relay {
namespace {

constexpr int64_t kAttemptEveryUs = 100'000;

}  // namespace

bool HeldRow::ConcernsTopic(std::string_view code) {
  return code == "unknown_topic" || code == "topic_authorization" || code == "topic_creation";
}

HeldRow::Verdict HeldRow::Refuse(std::string_view code, std::string_view reason, const Record& record,
                                 std::string_view table, Tracker::RowPlace place, int64_t now_us) {
  const bool own_fault = !ConcernsTopic(code);
  if (own_fault && policy_.policy == config::PoisonPolicy::kSkip) return Verdict::kSkip;
  Keep(code, reason, record, table, place, now_us);
  if (!own_fault) return Verdict::kHold;
  // The router is a pure function: to ask it again is no further attempt.
  hold_->refusals = code == kUnroutable ? policy_.attempts : hold_->refusals + 1;
  if (policy_.policy != config::PoisonPolicy::kPark) return Verdict::kHold;
  if (hold_->refusals >= policy_.attempts) return Verdict::kPark;
  hold_->next_try_us = now_us + kAttemptEveryUs;  // many may come in a row, and everything waits behind them
  return Verdict::kHold;
}

void HeldRow::Keep(std::string_view code, std::string_view reason, const Record& record, std::string_view table,
                   Tracker::RowPlace place, int64_t now_us) {
  if (!hold_) {
    hold_.emplace();
    hold_->since_us = now_us;
    backoff_.Reset();
  }
  hold_->code = code;
  hold_->reason = reason;
  hold_->id = record.id;
  hold_->table = table;
  hold_->topic = record.topic;
  hold_->place = place;
  ++hold_->attempts;
  hold_->next_try_us = now_us + backoff_.NextMicros();
  Log();
}

void HeldRow::HoldTopic(std::string_view topic, int64_t now_us) {
  hold_.emplace();
  hold_->topic = topic;
  hold_->since_us = now_us;
  backoff_.Reset();
}

void HeldRow::TopicRefuses(std::string_view code, std::string_view reason, int64_t now_us) {
  POSTRIDER_CHECK(hold_);
  hold_->code = code;
  hold_->reason = reason;
  ++hold_->attempts;
  hold_->next_try_us = now_us + backoff_.NextMicros();
  Log();
}

void HeldRow::Log() const {
  LogError("held", {{"id", hold_->id}, {"table", hold_->table}, {"topic", hold_->topic}, {"code", hold_->code}},
           hold_->reason);
}

void HeldRow::Release(std::string_view text) {
  if (hold_) LogInfo("released", {{"id", hold_->id}, {"topic", hold_->topic}}, text);
  Forget();
}

void HeldRow::Forget() {
  hold_.reset();
  order_.reset();
  backoff_.Reset();
}

absl::Status HeldRow::Retry() {
  if (!hold_) return absl::NotFoundError("nothing is held");
  hold_->next_try_us = 0;
  backoff_.Reset();  // a first answer may be what was known before, and has it looked up anew
  return absl::OkStatus();
}

absl::Status HeldRow::Order(Verdict verdict, std::string_view id) {
  if (!hold_) return absl::NotFoundError("nothing is held");
  if (!hold_->place) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the topic ", hold_->topic, " is what refuses, not one event: mend the topic; `held retry` looks at once"));
  }
  if (View(id) != hold_->id)
    return absl::NotFoundError(absl::StrCat("held is the event ", hold_->id, ", not ", View(id)));
  if (verdict == Verdict::kPark && policy_.dead_letter_topic.empty())
    return absl::FailedPreconditionError("there is no place to park it: set errors.deadletterqueue.topic.name");
  order_ = verdict;
  hold_->next_try_us = 0;
  return absl::OkStatus();
}

std::optional<HeldRow::Verdict> HeldRow::TakeOrder(Tracker::RowPlace place) {
  if (!order_ || !hold_ || hold_->place != place) return std::nullopt;
  return std::exchange(order_, std::nullopt);
}

}  // namespace postrider::relay
