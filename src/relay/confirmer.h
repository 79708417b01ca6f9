// When the server hears from us: standby status updates on their own deadlines, whatever else is stuck.
//
//   - at least every third of wal_sender_timeout, and every status.update.interval.ms;
//   - soon after the confirmed position moved;
//   - at once when the server asks, except that answers that say nothing new keep 100 ms apart (a stopping server asks
//     in a loop);
//   - with a question of our own once a second when no keepalive came: the answer carries the server's position, which
//     moves the slot of a quiet outbox beside a busy table or database.
//
// A server that says nothing for wal_sender_timeout and 10 s, although it is asked each second, is given up: the
// connection may be dead behind a middlebox that still acknowledges, and the walsender gone. The next silence without
// data between is given twice as long, because a server up to 14 says nothing while it skips a large transaction of
// other tables.
//
// It also notices a server that is stopping: outside of a shutdown the server asks only after half of
// wal_sender_timeout without a word from us, so three questions in a row for the same position, each soon after a
// status of ours and with no data between, mean that its walsender waits for us (src/backend/replication/walsender.c,
// WalSndDone).
//
// Positions: write = received, flush = apply = confirmed; both only grow, flush never beyond received; zero until
// known. Loop's thread. Tested by tests/unit/relay/confirmer_test.cc.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "decoder/lsn.h"
#include "postgres/source.h"

namespace postrider::relay {

class Confirmer {
 public:
  explicit Confirmer(int64_t status_interval_ms) : status_interval_us_(status_interval_ms * 1000) {}

  // A new stream: what the last one had reported counts no more. `start_lsn` is where it begins.
  void Connected(Lsn start_lsn, int64_t wal_sender_timeout_ms, int64_t now_us);
  void SawData() {
    same_questions_ = 0;
    heard_ = true;
    silence_limit_us_ = 0;
  }
  void SawKeepalive(const postgres::Keepalive& keepalive, int64_t now_us);

  // Sends what is due. `received` and `confirmable` come from the tracker. No question while nothing is read: its
  // answer would wait. A passing fault when the server stays silent although it was asked.
  absl::Status Step(postgres::Source& source, Lsn received, Lsn confirmable, bool reading, int64_t now_us);
  // The last word before a stop: sends and asks for an answer, which proves that it was read.
  absl::Status SendFinal(postgres::Source& source, Lsn received, Lsn confirmable, int64_t now_us);

  bool server_stopping() const { return same_questions_ >= 3; }
  // The confirmed position of the last status on this stream.
  Lsn reported() const { return reported_flush_; }
  Lsn server_lsn() const { return server_lsn_; }
  int64_t next_deadline_us(bool reading) const;

 private:
  absl::Status Send(postgres::Source& source, bool ask, int64_t now_us);
  absl::Status Listen(bool reading, int64_t now_us);
  void Raise(Lsn received, Lsn confirmable);

  const int64_t status_interval_us_;
  int64_t period_us_ = 0;   // of statuses without news
  int64_t timeout_us_ = 0;  // wal_sender_timeout
  Lsn write_, flush_;       // what the next status says
  Lsn reported_flush_;      // what the last one said
  Lsn server_lsn_;
  bool news_ = false;  // flush_ is ahead of what was reported
  bool answer_owed_ = false;
  int64_t last_status_us_ = 0;
  int64_t last_keepalive_us_ = 0;
  int64_t last_question_us_ = 0;  // ours
  Lsn questioned_lsn_;
  int64_t questioned_us_ = 0;
  int same_questions_ = 0;
  bool heard_ = false;  // something came since the last step
  int64_t last_heard_us_ = 0;
  int64_t silence_limit_us_ = 0;  // 0: not doubled yet
};

}  // namespace postrider::relay
