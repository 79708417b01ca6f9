// Chooses the partition where the key is to be ignored (partitioner.ignore.keys), as Java's producer does (KIP-794):
// one partition until a batch worth of bytes went there, then another at random.
//
// Belongs to the loop's thread. Tested by tests/unit/kafka/sticky_partition_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace postrider::kafka {

class StickyPartition {
 public:
  explicit StickyPartition(uint32_t seed) : random_(seed) {}

  // The partition for the next record of `bytes` bytes, out of `count` (above 0).
  int32_t Next(int32_t count, size_t bytes) {
    if (partition_ < 0 || partition_ >= count || bytes_ >= kBatchBytes) Switch(count);
    bytes_ += bytes;
    return partition_;
  }

 private:
  static constexpr size_t kBatchBytes = 16'384;  // batch.size of Java's producer

  void Switch(int32_t count) {
    const int32_t before = partition_;
    partition_ = static_cast<int32_t>(random_() % static_cast<uint32_t>(count));
    if (partition_ == before) partition_ = (partition_ + 1) % count;
    bytes_ = 0;
  }

  std::minstd_rand random_;
  int32_t partition_ = -1;
  size_t bytes_ = 0;
};

}  // namespace postrider::kafka
