// What became of events, by table and topic, and how long they took: the numbers that are too many for Stats.
//
// Written by the loop's thread alone, read by any without a lock: relaxed atomics at fixed places. A table and topic
// that are seen for the first time take a place of kSeriesMax; those that come later share the last one, "other". No
// event allocates but the first of its kind. Tested by tests/unit/relay/meter_test.cc.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"

namespace postrider::relay {

// What became of one row, each counted once for each time that it happens; a row of a repeated stream is read again.
enum class Fate {
  kRead,          // a row came from the stream or the snapshot
  kRouted,        // it became a record
  kIgnored,       // not an event: another operation, a table that is not routed, a filter
  kAcknowledged,  // Kafka has it
  kRepeated,      // left out of a repeat: acknowledged before
  kHeld,          // began to be held
  kParked,        // went to the dead-letter topic
  kSkipped,       // by the policy, or by the operator
};
inline constexpr size_t kFates = 8;
constexpr std::string_view FateName(Fate fate) {
  constexpr std::string_view kNames[kFates] = {"read",     "routed", "ignored", "acknowledged",
                                               "repeated", "held",   "parked",  "skipped"};
  return kNames[static_cast<size_t>(fate)];
}

// Durations in fixed buckets, each counted by itself (not cumulated). Whatever is below zero, as by clocks that differ,
// counts as zero.
class Durations {
 public:
  // Two minutes are what ops/prometheus/rules.yml counts the error budget by.
  static constexpr std::array<int64_t, 16> kBoundsUs = {
      1'000,   2'500,     5'000,     10'000,    25'000,     50'000,     100'000,     250'000,
      500'000, 1'000'000, 2'500'000, 5'000'000, 10'000'000, 60'000'000, 120'000'000, 600'000'000};

  void Add(int64_t us) {
    us = us < 0 ? 0 : us;
    size_t bucket = 0;
    while (bucket < kBoundsUs.size() && us > kBoundsUs[bucket]) ++bucket;
    Increase(counts_[bucket], 1);
    Increase(sum_us_, static_cast<uint64_t>(us));
  }
  // The last bucket is what lies above all bounds.
  std::array<uint64_t, kBoundsUs.size() + 1> counts() const {
    std::array<uint64_t, kBoundsUs.size() + 1> counts;
    for (size_t i = 0; i < counts.size(); ++i) counts[i] = counts_[i].load(std::memory_order_relaxed);
    return counts;
  }
  uint64_t sum_us() const { return sum_us_.load(std::memory_order_relaxed); }

 private:
  static void Increase(std::atomic<uint64_t>& counter, uint64_t by) {
    counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  }

  std::array<std::atomic<uint64_t>, kBoundsUs.size() + 1> counts_{};
  std::atomic<uint64_t> sum_us_{0};
};

class Meter {
 public:
  static constexpr size_t kSeriesMax = 200;
  static constexpr std::string_view kOther = "other";

  struct Series {
    std::string table;  // "schema.table"
    std::string topic;  // empty: none
    std::array<std::atomic<uint64_t>, kFates> events{};
    std::array<std::atomic<uint64_t>, kFates> bytes{};
  };

  Meter();

  // The loop's: where this table and topic are counted. Stable for the life of the Meter.
  uint32_t Find(std::string_view table, std::string_view topic);
  void Count(uint32_t series, Fate fate, size_t bytes) {
    Series& place = series_[series];
    auto& events = place.events[static_cast<size_t>(fate)];
    auto& total = place.bytes[static_cast<size_t>(fate)];
    events.store(events.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    total.store(total.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
  }
  Durations commit_to_ack;   // from the commit, by the server's clock, to the acknowledgement, by ours
  Durations produce_to_ack;  // from the hand-over to librdkafka

  // Any thread's: the places in use.
  size_t size() const { return size_.load(std::memory_order_acquire); }
  const Series& at(size_t series) const { return series_[series]; }

 private:
  const std::unique_ptr<Series[]> series_;  // kSeriesMax, and one for the others
  std::atomic<size_t> size_{0};
  // The loop's own.
  absl::flat_hash_map<std::string, uint32_t> places_;
  std::string key_;
  uint32_t last_[2] = {0, 0};  // with and without a topic
};

}  // namespace postrider::relay
