// How old the oldest event may be that is not in Kafka yet, and until when everything is.
//
// It cannot lie: what is acknowledged is a position of the log, and the watcher's samples tell when the log stood
// there. Everything committed before the newest sample at or below that position is in Kafka: `published_until`. The
// age is what has passed since. It is 0 when that sample is the newest or the one before it, and never below the age by
// commit time of a transaction that is not acknowledged. So it grows by a second a second while relay, stream or broker
// are dead, and while the server does not answer, because then nobody knows what was committed since. Where every
// sample is younger than the position it is the age of the oldest sample, a lower bound. Nothing known: absent, never
// 0.
//
// Pure. Tested by tests/unit/monitor/publication_age_test.cc.
#pragma once

#include <cstdint>
#include <optional>

#include "decoder/lsn.h"
#include "monitor/samples.h"

namespace postrider::monitor {

struct PublicationFacts {
  Lsn acknowledged_lsn;  // everything received up to here is acknowledged; zero: unknown
  // Of a transaction that was received and is not acknowledged, since its commit; absent: there is none.
  std::optional<int64_t> unacknowledged_us;
};

struct PublicationAge {
  std::optional<int64_t> age_us;
  std::optional<int64_t> published_until_us;  // monotonic
};

PublicationAge AgeOfPublication(const Samples& samples, const PublicationFacts& facts, int64_t now_us);

}  // namespace postrider::monitor
