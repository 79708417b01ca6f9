// Whether this start goes on where an earlier one ended: the slot against the evidence record.
//
//   record   slot            what it means
//   none     missing         a first start: the slot is made, continuity is not proven
//   none     there           taken over where it stands (Debezium's, or made by hand)
//   there    missing         it was dropped, or lost in a failover: nothing is made, kSlot
//   there    behind it       as it should be
//   there    ahead of it     somebody else read on, or it was made anew: kSlot (after a handback: as it should be)
//
// A record of another cluster, or of a newer timeline than the server's, is kContinuity whatever the slot says.
//
// --accept-gap and snapshot.mode=when_needed go on where the events between cannot be had any more. Pure. Tested by
// tests/unit/postgres/continuity_test.cc.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "config/config.h"
#include "evidence/record.h"
#include "postgres/connection.h"
#include "postgres/connector.h"
#include "postgres/server_state.h"

namespace postrider::postgres {

// What an earlier start left, and where it is kept, for sentences ("the file ...").
struct Evidence {
  std::optional<evidence::Record> record;
  std::string place;
};

// The sentence of a gap that is gone over; empty where there is none. A fault where the relay may not go on.
absl::StatusOr<std::string> CheckContinuity(const config::Config& config, const Evidence& evidence,
                                            const ServerIdentity& identity, const std::optional<SlotRow>& slot,
                                            const Target& target);

}  // namespace postrider::postgres
