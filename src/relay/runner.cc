#include "relay/runner.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "base/fault.h"

namespace postrider::relay {
namespace {

constexpr size_t kPauseBelowBytes = 16 * 1024;
constexpr long kPauseNanos = 300'000;
constexpr int kBusyAfterPasses = 8;  // a single transaction's few messages are no busy stream
constexpr int64_t kQuietUs = 1'000;
constexpr int64_t kSleepMaxUs = 1'000'000;

std::atomic<int> stop_signals{0};
std::atomic<const Wakeup*> stop_bell{nullptr};

void OnStopSignal(int) {
  if (stop_signals.fetch_add(1) > 0) _exit(ExitCodeOf(Fault::kStoppedEarly));
  if (const Wakeup* bell = stop_bell.load()) bell->Ring();
}

void Pause() {
  const timespec pause{.tv_sec = 0, .tv_nsec = kPauseNanos};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
}

void Sleep(Relay& relay, const Wakeup& wakeup, const Clock& clock) {
  pollfd waits[2] = {{.fd = wakeup.fd(), .events = POLLIN, .revents = 0}, {.fd = -1, .events = 0, .revents = 0}};
  if (relay.reads() || relay.streams() || relay.wants_write()) {
    waits[1].fd = relay.fd();
    // A stream that is not read at the moment is watched for its end all the same.
    waits[1].events = static_cast<short>((relay.reads() ? POLLIN : POLLRDHUP) | (relay.wants_write() ? POLLOUT : 0));
  }
  const int64_t sleep_us = std::clamp<int64_t>(relay.next_deadline_us() - clock.MonotonicMicros(), 0, kSleepMaxUs);
  const timespec timeout{.tv_sec = sleep_us / 1'000'000, .tv_nsec = sleep_us % 1'000'000 * 1000};
  ppoll(waits, 2, &timeout, nullptr);
  if (relay.streams() && !relay.reads() && (waits[1].revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) relay.HungUp();
}

}  // namespace

void HandleStopSignals(const Wakeup* wakeup) {
  stop_bell.store(wakeup);
  struct sigaction action = {};
  action.sa_handler = OnStopSignal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  action.sa_handler = SIG_IGN;  // a closed socket is an error of its write
  sigaction(SIGPIPE, &action, nullptr);
  sigaction(SIGHUP, &action, nullptr);  // until somebody reads the files again (commands/reload.h)
}

int Run(Relay& relay, const Wakeup& wakeup, const Clock& clock) {
  prctl(PR_SET_TIMERSLACK, 1000UL);  // the pause is as long as it says
  int busy_passes = 0;               // in a row, each of which brought data
  while (!relay.finished()) {
    if (!relay.backlog()) {
      const int64_t before_us = clock.MonotonicMicros();
      if (busy_passes > kBusyAfterPasses && relay.reads() && relay.WaitingBytes() < kPauseBelowBytes) Pause();
      if (relay.WaitingBytes() == 0) Sleep(relay, wakeup, clock);
      if (clock.MonotonicMicros() - before_us > kQuietUs) busy_passes = 0;
    }
    wakeup.Clear();
    if (stop_signals.load() > 0) relay.RequestStop();
    const uint64_t read_before = relay.wal_bytes();
    relay.Step();
    if (relay.wal_bytes() != read_before) ++busy_passes;
  }
  return relay.exit_code();
}

}  // namespace postrider::relay
