// Lets the first record to a partition fly alone, until it is acknowledged.
//
// A broker that remembers nothing of a producer takes whatever sequence number comes first. So when the first batch to
// a partition is refused in passing (a topic just made: NOT_LEADER_OR_FOLLOWER) while the second, already in flight, is
// taken, librdkafka concludes from the second's acknowledgement that the first was written too ("implicitly acked"),
// and reports it so: it would be lost without a word. With one record in flight there is no second batch. A broker
// forgets a producer after a day without records (producer.id.expiration.ms): a partition that rested is new again.
//
// Belongs to the loop's thread; lives and dies with one producer. Tested by tests/unit/kafka/first_flight_test.cc.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace postrider::kafka {

class FirstFlight {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Whether a record may be produced to `partition` (0 or above) now. Always where nothing of the topic is in flight:
  // the partition is what we expect of librdkafka, which may know of newer ones.
  bool MayProduce(int32_t partition, TimePoint now) const {
    if (in_flight_ == 0) return true;
    const auto index = static_cast<size_t>(partition);
    if (index >= partitions_.size()) return true;
    const Seen& seen = partitions_[index];
    return seen.acknowledged || !seen.used || now - seen.last_used > kRested;
  }

  void Produced(int32_t partition, TimePoint now) {
    const auto index = static_cast<size_t>(partition);
    if (index >= partitions_.size()) partitions_.resize(index + 1);
    Seen& seen = partitions_[index];
    if (now - seen.last_used > kRested) seen.acknowledged = false;
    seen.used = true;
    seen.last_used = now;
    ++in_flight_;
  }

  void Failed() { --in_flight_; }

  void Acknowledged(int32_t partition, TimePoint now) {
    --in_flight_;
    const auto index = static_cast<size_t>(partition);
    if (index >= partitions_.size()) partitions_.resize(index + 1);
    partitions_[index] = {.used = true, .acknowledged = true, .last_used = now};
  }

 private:
  static constexpr std::chrono::hours kRested{1};

  struct Seen {
    bool used = false;
    bool acknowledged = false;
    TimePoint last_used;
  };
  std::vector<Seen> partitions_;
  int64_t in_flight_ = 0;  // to all partitions
};

}  // namespace postrider::kafka
