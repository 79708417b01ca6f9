// Many lives, in one process or several: each process takes every so-manieth seed and hands its census back through a
// pipe. The first violation ends all of them.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/census.h"

namespace postrider::sim {

struct Lives {
  uint64_t first = 1;  // seed
  uint64_t seeds = 2'000;
  uint64_t jobs = 1;
  bool trace = false;
};

// nullopt when a promise was broken: what happened, and how to live that life again, was printed to stdout.
std::optional<Census> LiveAll(const Lives& lives);

}  // namespace postrider::sim
