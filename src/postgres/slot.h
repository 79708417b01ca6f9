// The replication slot: whether it is ours to read, making it, dropping it.
//
// A slot that exists is taken over where it stands. It is refused for good where it cannot be read (plugin, database,
// invalidated), and where another program holds it; where one of us holds it (application_name begins with
// kApplicationPrefix), or postrider.slot.takeover=wait, we wait. CheckSlot and HeldFault are pure; the rest blocks as
// Connection does. Tested by tests/unit/postgres/slot_test.cc and connector_test.cc.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "config/config.h"
#include "decoder/lsn.h"
#include "postgres/connection.h"
#include "postgres/server_state.h"

namespace postrider::postgres {

// Whether a slot's row is one that we can stream from: a fault kSlot with the reason and the SQL, or kPassing for a
// standby's copy and for a slot that is still being made. Who holds it is not looked at.
absl::Status CheckSlot(const Target& target, const SlotRow& slot, bool in_recovery);
// True for a slot that the server has given up: nothing but dropping it is left.
bool IsLost(const SlotRow& slot);
// The fault for a slot in somebody's hands: kSlotHeld, or kPassing where we wait for it (IsStandby).
absl::Status HeldFault(const Target& target, const SlotHolder& holder, config::SlotTakeover takeover);

// A passing fault for which IsStandby (connector.h) is true.
absl::Status StandbyFault(std::string_view sentence);

// "TEMPORARY" with an exported snapshot, lasting without one, or TEMPORARY without one.
enum class SlotPurpose { kSnapshot, kStream, kTap };
struct MadeSlot {
  Lsn consistent_point;
  std::string snapshot_name;  // kSnapshot
};

// Makes a slot over a replication connection. Waits for every transaction that was writing before it: after two seconds
// the sessions waited for are logged by name, after kSlotLockTimeoutMs for one of them it is given up as a passing
// fault that names them. `query` is an ordinary connection to the same server.
absl::StatusOr<MadeSlot> MakeSlot(Connection& replication, Connection& query, const std::string& name,
                                  SlotPurpose purpose, bool failover);

// Where there are fewer than `needed` free slots: a fault kDatabaseRefuses that names those in use.
absl::Status CheckFreeSlots(const SlotUse& use, int needed);

// The statement that creates it, by version.
std::string CreateSlotCommand(int server_version, const std::string& name, SlotPurpose purpose, bool failover);
// START_REPLICATION with protocol 1 and the options of slot.stream.params that cannot change the protocol.
std::string StartCommand(const config::Config& config, Lsn start);

// Drops the slot; one that is gone is fine. Over an ordinary connection.
absl::Status DropSlot(Connection& query, const std::string& name);

}  // namespace postrider::postgres
