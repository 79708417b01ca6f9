// postrider_sim: simulated lives by the thousand. Each is wholly made by its seed; one that fails says how to live it
// again.
//
//   postrider_sim --seeds 2000 --first 1              lives of seeds 1 to 2000, then what occurred in them
//   postrider_sim --seeds 1 --first 4711 --trace      one life, told on stderr
//   postrider_sim --seeds 2000 --at-least 100         fails also when a fault or a state occurred more rarely
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "sim/life.h"

namespace postrider::sim {
namespace {

uint64_t current_seed = 0;

void PrintReplay() {
  std::printf("replay: postrider_sim --seeds 1 --first %llu --trace\n", static_cast<unsigned long long>(current_seed));
  std::fflush(stdout);
}

// A broken invariant ends the process; say first which life it was.
void OnAbort(int) {
  PrintReplay();
}

struct Options {
  uint64_t seeds = 2'000;
  uint64_t first = 1;
  uint64_t at_least = 0;
  bool trace = false;
};

bool ParseOptions(int argc, char** argv, Options& options) {
  for (int index = 1; index < argc; ++index) {
    const std::string_view name = argv[index];
    if (name == "--trace") {
      options.trace = true;
      continue;
    }
    if (index + 1 == argc) return false;
    const uint64_t value = std::strtoull(argv[++index], nullptr, 10);
    if (name == "--seeds")
      options.seeds = value;
    else if (name == "--first")
      options.first = value;
    else if (name == "--at-least")
      options.at_least = value;
    else
      return false;
  }
  return true;
}

int Main(const Options& options) {
  std::signal(SIGABRT, OnAbort);
  Census census;
  const auto begin = std::chrono::steady_clock::now();
  for (uint64_t seed = options.first; seed < options.first + options.seeds; ++seed) {
    current_seed = seed;
    const std::string violation = Life(seed, &census, options.trace).Run();
    if (violation.empty()) continue;
    std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), violation.c_str());
    PrintReplay();
    return 1;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%s%llu lives in %.1f s, %.0f a second: no violation\n", census.Table().c_str(),
              static_cast<unsigned long long>(options.seeds), seconds, static_cast<double>(options.seeds) / seconds);
  for (const char* group : {"faults", "states", "ways"}) {
    if (census.Rarest(group) >= options.at_least) continue;
    std::printf("one of the %s occurred less than %llu times\n", group,
                static_cast<unsigned long long>(options.at_least));
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace postrider::sim

int main(int argc, char** argv) {
  postrider::sim::Options options;
  if (!postrider::sim::ParseOptions(argc, argv, options)) {
    std::fprintf(stderr, "usage: postrider_sim [--seeds N] [--first S] [--at-least N] [--trace]\n");
    return 2;
  }
  return postrider::sim::Main(options);
}
