// `postrider handback`: what Debezium needs to go on from where the slot stands.
//
// Debezium keeps offsets of its own and refuses to start once the slot's restart_lsn has passed them
// (io.debezium.connector.postgresql.connection.PostgresConnection, validateLogPosition). The body gives it new ones, in
// the form of Kafka Connect's `PATCH /connectors/NAME/offsets` (KIP-875), with the fields that
// io.debezium.connector.postgresql.PostgresOffsetContext reads. Tested by tests/unit/postgres/handback_test.cc and
// tests/e2e/test_handback.py.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "config/config.h"
#include "decoder/lsn.h"

namespace postrider::postgres {

// Where a slot stands.
struct SlotPosition {
  Lsn restart_lsn;
  Lsn confirmed_lsn;
};

// The body for a slot that stands there.
//
// Debezium looks for the first message that it has not seen (WalPositionLocator): a message at `lsn_proc` exactly
// counts as seen, with all rows of its transaction before it. The first row behind the confirmed position often stands
// there exactly, so `lsn_proc` is one byte less, where no message ever is; the server begins at the confirmed position
// all the same. `lsn_commit` is that position: every transaction that the slot still sends ends behind it, and is sent
// whole.
std::string OffsetsBody(const std::string& topic_prefix, const SlotPosition& slot, int64_t now_us);

// Looks at the slot, on a connection of its own (blocking). Faults: kSlotHeld while somebody reads it, kSlot where it
// is missing or lost, kDatabaseRefuses where the server cannot be asked.
absl::StatusOr<SlotPosition> SlotToHandBack(const config::Config& config);

}  // namespace postrider::postgres
