// What cannot be published as things are, one row or one topic, and what becomes of it. Inside the Publisher.
//
// A row's refusals are counted; by the policy (config::Poison) and by the operator's orders it is held, parked or
// skipped. What concerns a whole topic passes with it, however long that takes: it is no row's fault, is never counted,
// and only an operator parks or skips a row for it. The hold is tried again with backoff until it is released.
//
// Belongs to the loop's thread. Tested by tests/unit/relay/parking_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "base/record.h"
#include "config/config.h"
#include "relay/backoff.h"
#include "relay/tracker.h"

namespace postrider::relay {

// Why something is not published, for logs, the state `held` and the operator.
struct Hold {
  std::string code;    // stable: "unroutable", "unknown_topic", "record_too_large", ...
  std::string reason;  // one sentence
  std::string id;      // the event's id, where known
  std::string table;
  std::string topic;
  std::optional<Tracker::RowPlace> place;  // none: a topic is held, and no row is in hand
  int attempts = 0;                        // how often it was tried
  int refusals = 0;                        // of the row itself: what the policy counts
  int64_t since_us = 0;
  int64_t next_try_us = 0;
};

class HeldRow {
 public:
  enum class Verdict { kHold, kPark, kSkip };
  static constexpr std::string_view kUnroutable = "unroutable";  // the code of a row that the router cannot route

  HeldRow(const config::Poison& policy, uint64_t jitter_seed) : policy_(policy), backoff_(500, 5'000, jitter_seed) {}

  // A row was refused, and that counts: what is to become of it. kHold and kPark were logged as held.
  Verdict Refuse(std::string_view code, std::string_view reason, const Record& record, std::string_view table,
                 Tracker::RowPlace place, int64_t now_us);
  // A row waits whatever the policy says.
  void Keep(std::string_view code, std::string_view reason, const Record& record, std::string_view table,
            Tracker::RowPlace place, int64_t now_us);
  // Whether a refusal is one of the topic and not of the record.
  static bool ConcernsTopic(std::string_view code);
  // A topic refuses, and the row is no longer in hand. The first look at it is due at once.
  void HoldTopic(std::string_view topic, int64_t now_us);
  void TopicRefuses(std::string_view code, std::string_view reason, int64_t now_us);

  const std::optional<Hold>& hold() const { return hold_; }
  bool waits(int64_t now_us) const { return hold_ && now_us < hold_->next_try_us; }
  void TryAt(int64_t when_us) { hold_->next_try_us = when_us; }

  // It goes on: said where something was held.
  void Release(std::string_view text);
  // The stream is left: what was in hand comes again.
  void Forget();

  // The operator's word on what is held. NotFound where nothing is, or another event; FailedPrecondition where it
  // cannot be done. An order is taken when the row is offered next.
  absl::Status Retry();
  absl::Status Order(Verdict verdict, std::string_view id);
  std::optional<Verdict> TakeOrder(Tracker::RowPlace place);

  void SetPolicy(const config::Poison& policy) { policy_ = policy; }
  const config::Poison& policy() const { return policy_; }

 private:
  void Log() const;

  config::Poison policy_;
  Backoff backoff_;
  std::optional<Hold> hold_;
  std::optional<Verdict> order_;
};

}  // namespace postrider::relay
