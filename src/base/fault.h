// Why something cannot go on, as an absl::Status that carries the class of the fault.
//
// A passing fault is retried for ever with backoff. Each lasting class has its own exit code (the numbers below), and
// `run` ends with it. The message is one sentence that says what is wrong and what to do, with the SQL or the key to
// set; it never holds a payload or a secret. Tested by tests/unit/base/fault_test.cc.
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace postrider {

enum class Fault {
  kPassing = 0,          // the network, a server that restarts, a broker that is away
  kInternal = 1,         // a bug of ours
  kConfiguration = 2,    // usage or configuration, or the table contradicts it
  kDatabaseRefuses = 3,  // login, rights, wal_level
  kSlot = 4,             // slot lost, gone, of another plugin or database
  kPublication = 5,      // publication missing or without the table
  kContinuity = 6,       // another cluster, or continuity broken
  kKafkaRefuses = 7,     // login, TLS, cluster ACL
  kStoppedEarly = 8,     // stopped before everything was confirmed
  kSlotHeld = 9,         // slot held by another program
};

// A status with this class attached. `message` as described above.
absl::Status MakeFault(Fault fault, std::string_view message);

// The class of a status that is not OK; kInternal where none was attached.
Fault FaultOf(const absl::Status& status);

inline int ExitCodeOf(Fault fault) {
  return static_cast<int>(fault);
}

}  // namespace postrider
