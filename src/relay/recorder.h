// Holds a position back from the server until the evidence record says as much.
//
//   const Lsn flush = recorder.Cover(tracker.confirmable(), urgent, now_us);   // what a status may say
//
// The record is written at most every 100 ms, and at once where it is urgent (a stop). Without a store everything
// counts as covered. Loop's thread; nothing blocks. Tested by tests/unit/relay/recorder_test.cc.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "decoder/lsn.h"
#include "evidence/store.h"
#include "postgres/connector.h"

namespace postrider::relay {

class Recorder {
 public:
  // `store` may be null.
  Recorder(std::string slot, evidence::Store* store, const Clock* clock)
      : slot_(std::move(slot)), store_(store), clock_(clock) {}

  // A stream from `start_lsn` on: the record begins anew there.
  void Connected(const postgres::ServerIdentity& identity, Lsn start_lsn, int64_t now_us);
  // How far of `confirmable` the record reaches; asks for the rest to be written.
  Lsn Cover(Lsn confirmable, bool urgent, int64_t now_us);
  // When Cover has to be called again at the latest, should nothing ring before.
  int64_t next_deadline_us(int64_t now_us) const;

 private:
  void Write(Lsn lsn, bool anew, int64_t now_us);

  const std::string slot_;
  evidence::Store* const store_;
  const Clock* const clock_;
  postgres::ServerIdentity identity_;
  Lsn written_;  // asked for
  Lsn wanted_;   // what Cover was last asked for
  Lsn covered_;  // on this connection
  int64_t written_us_ = 0;
};

}  // namespace postrider::relay
