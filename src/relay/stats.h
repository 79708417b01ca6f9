// What the loop has done, in numbers. Written by the loop's thread, read by any (the watcher): relaxed atomics, each
// true by itself. Times are microseconds of the monotonic clock; LSNs as integers.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "relay/meter.h"
#include "relay/state.h"

namespace postrider::relay {

// A sentence that one thread sets now and then and others read.
class SharedText {
 public:
  void Set(std::string_view text) {
    const std::lock_guard lock(mutex_);
    text_ = text;
  }
  std::string Get() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

struct Stats {
  std::atomic<State> state{State::kStarting};
  std::atomic<uint64_t> wal_bytes{0};        // pgoutput bytes read
  std::atomic<uint64_t> transactions{0};     // Commits read
  std::atomic<uint64_t> events_produced{0};  // handed to the producer
  std::atomic<uint64_t> events_acknowledged{0};
  std::atomic<uint64_t> events_repeated{0};        // left out of a repeat: acknowledged before
  std::atomic<uint64_t> events_ignored{0};         // updates, deletes, truncates, tables that are not routed
  std::atomic<uint64_t> events_skipped{0};         // by the policy, or by the operator
  std::atomic<uint64_t> events_parked{0};          // their dead letters are acknowledged
  std::atomic<uint64_t> events_held{0};            // now: 1 while a row or a topic is held
  std::atomic<uint64_t> gaps_accepted{0};          // events gone over at the start, as asked for
  std::atomic<uint64_t> transactions_vanished{0};  // acknowledged, and not in the log of the server after a failover
  std::atomic<uint64_t> events_vanished{0};        // theirs; both count what this process knows
  std::atomic<uint64_t> expansions_failed{0};      // payload was to be expanded and went out as text
  std::atomic<uint64_t> reconnects_postgres{0};
  std::atomic<uint64_t> reconnects_kafka{0};
  std::atomic<uint64_t> inflight_bytes{0};
  std::atomic<uint64_t> inflight_records{0};
  std::atomic<uint64_t> received_lsn{0};
  std::atomic<uint64_t> confirmed_lsn{0};
  std::atomic<uint64_t> reported_lsn{0};  // what the last status on this stream said is confirmed
  std::atomic<uint32_t> timeline{0};      // of the server that is streamed from; 0: no stream, positions mean nothing
  std::atomic<int64_t> last_acknowledged_us{0};
  std::atomic<int64_t> oldest_commit_us{0};  // since 1970, the server's clock: the oldest transaction that was received
                                             // and is not acknowledged; 0: there is none
  std::atomic<int64_t> stepped_us{0};        // the loop's last step
  std::atomic<int64_t> unix_ahead_us{0};     // the calendar less the monotonic clock, at that step
  std::atomic<bool> kafka_reached{false};    // a broker has answered, and not all are away
  SharedText reason;                         // of the state, one sentence
  Meter meter;                               // by table and topic
};

// The loop is the only writer: no read-modify-write is needed.
template <typename T>
void Bump(std::atomic<T>& counter, T by = 1) {
  counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

}  // namespace postrider::relay
