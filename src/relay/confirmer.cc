#include "relay/confirmer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/fault.h"

namespace postrider::relay {
namespace {

constexpr int64_t kNewsAfterUs = 200'000;   // a confirmed position is told this soon
constexpr int64_t kSameAnswerUs = 100'000;  // between answers without news
constexpr int64_t kQuestionEveryUs = 1'000'000;
constexpr int64_t kSilenceUs = 10'000'000;  // beyond wal_sender_timeout
constexpr int64_t kSilenceMaxUs = 3'600'000'000;

}  // namespace

void Confirmer::Connected(Lsn start_lsn, int64_t wal_sender_timeout_ms, int64_t now_us) {
  timeout_us_ = wal_sender_timeout_ms * 1000;
  period_us_ = status_interval_us_;
  if (timeout_us_ > 0) period_us_ = std::min(period_us_, timeout_us_ / 3);
  write_ = start_lsn;
  flush_ = Lsn();
  reported_flush_ = Lsn();
  server_lsn_ = start_lsn;
  news_ = false;
  answer_owed_ = false;
  last_status_us_ = last_keepalive_us_ = last_question_us_ = last_heard_us_ = now_us;
  questioned_lsn_ = Lsn();
  same_questions_ = 0;
}

void Confirmer::SawKeepalive(const postgres::Keepalive& keepalive, int64_t now_us) {
  server_lsn_ = std::max(server_lsn_, keepalive.end_lsn);
  last_keepalive_us_ = now_us;
  heard_ = true;
  if (!keepalive.reply_requested) return;
  // An unanswered question is repeated by no server; two in a row were queued while nothing was read.
  const bool soon = !answer_owed_ && (timeout_us_ == 0 || now_us - questioned_us_ < timeout_us_ / 2);
  answer_owed_ = true;
  same_questions_ = keepalive.end_lsn == questioned_lsn_ && soon ? same_questions_ + 1 : 1;
  questioned_lsn_ = keepalive.end_lsn;
  questioned_us_ = now_us;
}

void Confirmer::Raise(Lsn received, Lsn confirmable) {
  POSTRIDER_CHECK(confirmable <= received || !received.valid());
  write_ = std::max(write_, received);
  flush_ = std::max(flush_, confirmable);
  news_ = flush_ > reported_flush_;
}

absl::Status Confirmer::Listen(bool reading, int64_t now_us) {
  if (heard_ || !reading) last_heard_us_ = now_us;
  heard_ = false;
  const int64_t limit_us = silence_limit_us_ > 0 ? silence_limit_us_ : timeout_us_ + kSilenceUs;
  if (now_us - last_heard_us_ < limit_us) return absl::OkStatus();
  silence_limit_us_ = std::min(2 * limit_us, kSilenceMaxUs);
  return MakeFault(Fault::kPassing, absl::StrCat("the server has said nothing for ", limit_us / 1'000'000,
                                                 " s, although it was asked each second: the connection may be dead"));
}

absl::Status Confirmer::Step(postgres::Source& source, Lsn received, Lsn confirmable, bool reading, int64_t now_us) {
  if (absl::Status status = Listen(reading, now_us); !status.ok()) return status;
  Raise(received, confirmable);
  const int64_t since_us = now_us - last_status_us_;
  // A first question may be answered at once; only its repetitions without news are slowed down.
  const bool answer = answer_owed_ && (news_ || same_questions_ <= 1 || since_us >= kSameAnswerUs);
  const bool ask = reading && now_us - std::max(last_keepalive_us_, last_question_us_) >= kQuestionEveryUs;
  if (!answer && !ask && since_us < period_us_ && !(news_ && since_us >= kNewsAfterUs)) return absl::OkStatus();
  return Send(source, ask, now_us);
}

absl::Status Confirmer::SendFinal(postgres::Source& source, Lsn received, Lsn confirmable, int64_t now_us) {
  Raise(received, confirmable);
  return Send(source, true, now_us);
}

absl::Status Confirmer::Send(postgres::Source& source, bool ask, int64_t now_us) {
  if (absl::Status status = source.SendStatus(write_, flush_, ask); !status.ok()) return status;
  reported_flush_ = flush_;
  news_ = false;
  answer_owed_ = false;
  last_status_us_ = now_us;
  if (ask) last_question_us_ = now_us;
  return absl::OkStatus();
}

int64_t Confirmer::next_deadline_us(bool reading) const {
  int64_t deadline = last_status_us_ + period_us_;
  if (reading) deadline = std::min(deadline, std::max(last_keepalive_us_, last_question_us_) + kQuestionEveryUs);
  if (news_) deadline = std::min(deadline, last_status_us_ + kNewsAfterUs);
  if (answer_owed_) deadline = std::min(deadline, last_status_us_ + kSameAnswerUs);
  return deadline;
}

}  // namespace postrider::relay
