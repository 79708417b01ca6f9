// What everything in a simulated life shares: chance, time, the log, the judge, and the bell that wakes the relay.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "sim/census.h"
#include "sim/ledger.h"
#include "sim/random.h"
#include "sim/schedule.h"
#include "sim/wal.h"

namespace postrider::sim {

inline constexpr int64_t kMs = 1'000;
inline constexpr int64_t kSecond = 1'000'000;

struct World {
  World(uint64_t seed, const WalTraits& wal_traits, bool skips, Census* all_lives, bool traces)
      : random(seed),
        schedule(&clock),
        wal(wal_traits, &random),
        ledger(&wal, skips),
        census(all_lives),
        tracing(traces) {}

  void Ring() { rung = true; }
  void CountFault(std::string_view name) {
    census->Count("faults", name);
    Trace(name);
  }
  // For whoever lives a life again: what happened, and when.
  void Trace(std::string_view what) const {
    if (tracing)
      std::fprintf(stderr, "%12.6f s  %.*s\n", static_cast<double>(clock.now_us()) / 1e6, static_cast<int>(what.size()),
                   what.data());
  }
  // The relay itself was kept from working until now: what it was late for is not its fault.
  void Excuse(int64_t until_us) { excused_until_us = std::max(excused_until_us, until_us); }

  Random random;
  relay::FakeClock clock;
  Schedule schedule;
  Wal wal;
  Ledger ledger;
  Census* const census;
  const bool tracing;
  bool rung = false;
  int in_flight = 0;  // records that the relay's producer has taken and not reported
  int64_t excused_until_us = 0;
};

}  // namespace postrider::sim
