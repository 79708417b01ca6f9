// The sleep between two steps: one poll() on the PostgreSQL socket, the bell that other threads ring, and the nearest
// deadline.
//
// Paced reading: the server's walsender sends each message by itself, and a reader that sleeps in poll() is woken by
// each of them, which the walsender pays for. So while the stream is busy and little waits in the socket, the loop
// pauses for a moment and then reads a larger gulp; it reads on at once when much waits (libpq takes at most 16 kB a
// read, so a pause before each read would itself be the limit), and never pauses a quiet stream.
#pragma once

#include "base/wakeup.h"
#include "relay/relay.h"

namespace postrider::relay {

// SIGTERM and SIGINT: the first asks for a drained stop, the second leaves at once with code 8. Call once, before Run.
void HandleStopSignals(const Wakeup* wakeup);

// Runs until the relay has finished; its exit code.
int Run(Relay& relay, const Wakeup& wakeup, const Clock& clock);

}  // namespace postrider::relay
