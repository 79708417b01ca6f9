#include "sim/jobs.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "sim/life.h"

namespace postrider::sim {
namespace {

uint64_t current_seed = 0;
uint64_t first_seed = 0;

void PrintReplay() {
  std::printf("replay: postrider_sim --seeds 1 --first %llu --trace\n", static_cast<unsigned long long>(current_seed));
  std::fflush(stdout);
}

// A broken invariant ends the process, and so does a stray pointer; say first which life it was, and then let happen
// what would have happened.
struct sigaction before_abort, before_crash;

void OnEnd(int number) {
  std::printf("seed %llu: %s (%llu lives)\n", static_cast<unsigned long long>(current_seed),
              number == SIGABRT ? "an invariant of the relay is broken" : "the relay crashed",
              static_cast<unsigned long long>(current_seed - first_seed + 1));
  PrintReplay();
  sigaction(number, number == SIGABRT ? &before_abort : &before_crash, nullptr);
}

// The lives of first, first + step, ...
std::optional<Census> LiveSome(const Lives& lives, uint64_t first, uint64_t step) {
  struct sigaction action = {};
  action.sa_handler = OnEnd;
  sigaction(SIGABRT, &action, &before_abort);
  sigaction(SIGSEGV, &action, &before_crash);
  first_seed = lives.first;
  Census census;
  for (uint64_t seed = first; seed < lives.first + lives.seeds; seed += step) {
    current_seed = seed;
    const std::string violation = Life(seed, &census, lives.trace).Run();
    if (violation.empty()) continue;
    std::printf("seed %llu: %s (%llu lives)\n", static_cast<unsigned long long>(seed), violation.c_str(),
                static_cast<unsigned long long>(seed - lives.first + 1));
    PrintReplay();
    return std::nullopt;
  }
  return census;
}

struct Job {
  pid_t pid = -1;
  int pipe = -1;
};

Job StartJob(const Lives& lives, uint64_t number) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  std::fflush(stdout);
  const pid_t pid = fork();
  if (pid < 0) std::abort();
  if (pid > 0) {
    close(ends[1]);
    return {pid, ends[0]};
  }
  close(ends[0]);
  const std::optional<Census> census = LiveSome(lives, lives.first + number, lives.jobs);
  const std::string lines = census ? census->Lines() : std::string();
  for (size_t at = 0; at < lines.size();) {
    const ssize_t written = write(ends[1], lines.data() + at, lines.size() - at);
    if (written <= 0) break;
    at += static_cast<size_t>(written);
  }
  std::fflush(stdout);
  _exit(census ? 0 : 1);
}

std::string ReadAll(int pipe) {
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(pipe, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(got));
  close(pipe);
  return text;
}

}  // namespace

std::optional<Census> LiveAll(const Lives& lives) {
  if (lives.jobs == 1) return LiveSome(lives, lives.first, 1);
  std::vector<Job> jobs;
  for (uint64_t number = 0; number < lives.jobs; ++number) jobs.push_back(StartJob(lives, number));
  bool broken = false;
  for (size_t left = jobs.size(); left > 0; --left) {
    int status = 0;
    // A census is smaller than a pipe holds: no job waits for its reader.
    if (wait(&status) < 0) break;
    if (status == 0 || broken) continue;
    broken = true;
    for (const Job& job : jobs) kill(job.pid, SIGTERM);
  }
  Census census;
  for (const Job& job : jobs) census.Add(Census::FromLines(ReadAll(job.pipe)));
  if (broken) return std::nullopt;
  return census;
}

}  // namespace postrider::sim
