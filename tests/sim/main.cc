// postrider_sim: simulated lives by the thousand. Each is wholly made by its seed; one that fails says how to live it
// again.
//
//   postrider_sim --seeds 2000 --first 1              lives of seeds 1 to 2000, then what occurred in them
//   postrider_sim --seeds 1000000 --jobs 2            a long night, in two processes
//   postrider_sim --seeds 1 --first 4711 --trace      one life, told on stderr
//
// With 2,000 lives and more it fails also when a fault, a state or a way occurred less than 100 times; --at-least N
// sets another limit, for any number of lives.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "sim/jobs.h"

namespace postrider::sim {
namespace {

constexpr uint64_t kSeedsForCensus = 2'000;
constexpr uint64_t kLeast = 100;

bool ParseOptions(int argc, char** argv, Lives& lives, std::optional<uint64_t>& at_least) {
  for (int index = 1; index < argc; ++index) {
    const std::string_view name = argv[index];
    if (name == "--trace") {
      lives.trace = true;
      continue;
    }
    if (index + 1 == argc) return false;
    const uint64_t value = std::strtoull(argv[++index], nullptr, 10);
    if (name == "--seeds")
      lives.seeds = value;
    else if (name == "--first")
      lives.first = value;
    else if (name == "--at-least")
      at_least = value;
    else if (name == "--jobs")
      lives.jobs = std::clamp<uint64_t>(value, 1, 64);
    else
      return false;
  }
  return true;
}

int Main(const Lives& lives, std::optional<uint64_t> at_least) {
  const auto begin = std::chrono::steady_clock::now();
  const std::optional<Census> census = LiveAll(lives);
  if (!census) return 1;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%s%llu lives in %.1f s, %.0f a second: no violation\n", census->Table().c_str(),
              static_cast<unsigned long long>(lives.seeds), seconds, static_cast<double>(lives.seeds) / seconds);
  const std::string rare = census->RarerThan(at_least.value_or(lives.seeds >= kSeedsForCensus ? kLeast : 0));
  if (!rare.empty()) std::printf("%s\n", rare.c_str());
  return rare.empty() ? 0 : 1;
}

}  // namespace
}  // namespace postrider::sim

int main(int argc, char** argv) {
  postrider::sim::Lives lives;
  std::optional<uint64_t> at_least;
  if (!postrider::sim::ParseOptions(argc, argv, lives, at_least)) {
    std::fprintf(stderr, "usage: postrider_sim [--seeds N] [--first S] [--jobs N] [--at-least N] [--trace]\n");
    return 2;
  }
  return postrider::sim::Main(lives, at_least);
}
