// What this process has parked: the last ones by name, and the keys that later events may be parked behind.
//
// Bounded: the last 1,000 events, 10,000 keys. Kept in memory alone: the dead-letter topic is the lasting record.
// Belongs to the loop's thread. Tested by tests/unit/relay/parking_test.cc.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "base/record.h"

namespace postrider::relay {

struct ParkedEvent {
  std::string id;
  std::string table;
  std::string topic;  // where it was to go; empty where the row has no route
  std::string code;
  std::string reason;
  int attempts = 0;
  std::string key;    // topic and key, where later events are parked behind it; else empty
  int64_t at_us = 0;  // monotonic
};

class ParkedLog {
 public:
  static constexpr size_t kEventsMax = 1'000;
  static constexpr size_t kKeysMax = 10'000;

  // Later records of event.key are parked behind it, where it is set.
  void Add(ParkedEvent event);
  // "topic/key"; empty where the record has no key.
  static std::string KeyOf(const Record& record);
  bool Blocks(const Record& record) const { return !keys_.empty() && keys_.contains(KeyOf(record)); }
  // No further key can be blocked: what would be parked is held instead.
  bool full() const { return keys_.size() >= kKeysMax; }
  // Lets the key of a parked event go on: `word` is the event's id, or the key as ParkedEvent has it. False where no
  // such key is blocked.
  bool ReleaseKey(std::string_view word);

  const std::deque<ParkedEvent>& events() const { return events_; }
  size_t blocked_keys() const { return keys_.size(); }

 private:
  std::deque<ParkedEvent> events_;  // oldest first
  absl::flat_hash_set<std::string> keys_;
};

}  // namespace postrider::relay
