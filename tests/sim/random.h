// The one source of chance in a simulated life: the same seed gives the same life on every machine.
//
// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014). The standard library's
// distributions are not used, because each library has its own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace postrider::sim {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t mixed = state_ += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
  }
  // Both ends included.
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(Next() % static_cast<uint64_t>(high - low + 1));
  }
  size_t Below(size_t limit) { return static_cast<size_t>(Next() % limit); }
  bool Chance(int percent) { return Between(1, 100) <= percent; }
  // Mostly near `low`, sometimes up to `high`: waiting times.
  int64_t Skewed(int64_t low, int64_t high) {
    const int64_t span = high - low;
    return low + Between(0, span) * Between(0, 1000) / 1000 * Between(0, 1000) / 1000;
  }

 private:
  uint64_t state_;
};

}  // namespace postrider::sim
