#include "sim/life.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace postrider::sim {
namespace {

constexpr int64_t kCatchUpUs =
    300 * kSecond;  // after the last fault: backoffs of 10 s, drains of 10 s, held rows tried every 5 s
constexpr int64_t kStopUs = 10 * kSecond;
constexpr int kWakesPerSecondMax = 60;

}  // namespace

// What one process has; it all goes with a kill.
struct Life::Process {
  Process(Life& life, uint64_t jitter_seed)
      : connector(&life.world_, &life.server_),
        producers(&life.world_, &life.broker_, &life.server_,
                  static_cast<size_t>(life.config_.relay.inflight_bytes_max)),
        relay(life.config_,
              relay::Parts{.connector = &connector,
                           .producers = &producers,
                           .router = &router,
                           .evidence = life.traits_.evidence ? &life.evidence_ : nullptr,
                           .clock = &life.world_.clock,
                           .jitter_seed = jitter_seed},
              &stats) {}

  Connector connector;
  ProducerFactory producers;
  relay::FakeRouter router;
  relay::Stats stats;
  relay::Relay relay;
  relay::State state = relay::State::kStarting;
};

Life::Life(uint64_t seed, Census* census, bool traces)
    : traits_([&] {
        Random random(seed);
        return Draw(random, config_);
      }()),
      world_(seed + 1, traits_.wal, traits_.skips, census, traces),
      server_(&world_, traits_.server),
      broker_(&world_),
      evidence_(&world_) {
  if (traits_.evidence) world_.ledger.Judge([this] { return evidence_.recorded(); });
  for (const char* state :
       {"connecting", "standby", "snapshot", "streaming", "stalled", "held", "waiting", "draining", "failed"})
    census->Expect("states", state);
  for (const Fault& fault : Faults()) census->Expect("faults", fault.name);
}

Life::~Life() = default;

std::string Life::Run() {
  for (size_t before = world_.random.Below(traits_.commits_before); before > 0; --before) server_.Commit();
  PlanCommits();
  PlanFaults();
  StartProcess();
  RunUntil(traits_.troubled_us, [] { return false; });
  Mend();

  const auto caught_up = [this] {
    const bool streams = process_ && !stop_asked_ && server_.stream() && !server_.stopping();
    return streams && world_.ledger.Complete() && server_.confirmed() >= world_.wal.end();
  };
  if (!RunUntil(kCatchUpUs, caught_up) && !world_.ledger.violated()) {
    world_.ledger.Violation(absl::StrCat("not caught up: ", world_.ledger.missing(), " events are missing, confirmed ",
                                         server_.confirmed().ToString(), " of ", world_.wal.end().ToString()));
  }
  if (world_.ledger.violated()) return world_.ledger.violation();
  if (process_->stats.inflight_bytes != 0 || process_->stats.inflight_records != 0)
    return absl::StrCat("the byte budget was not returned: ", process_->stats.inflight_bytes.load(),
                        " bytes, and nothing is in flight");

  const uint64_t produced = world_.ledger.produced();
  StopRelay();
  RunUntil(kStopUs, [this] { return process_ == nullptr; });
  if (last_exit_code_ != 0) world_.ledger.Violation("a stop with nothing pending did not end with code 0");
  RunUntil(5 * kSecond, [] { return false; });
  if (world_.ledger.produced() != produced) world_.ledger.Violation("events were repeated after a clean stop");
  return world_.ledger.violation();
}

void Life::PlanCommits() {
  world_.schedule.After(world_.random.Skewed(1 * kMs, traits_.commit_every_us * 2), [this] {
    if (!applications_write_) return;
    if (world_.random.Chance(30)) server_.WriteElsewhere();
    server_.Commit();
    PlanCommits();
  });
}

// ---- the relay's processes ------------------------------------------------------------------------------------------

void Life::StartProcess() {
  process_ = std::make_unique<Process>(*this, world_.random.Next());
  world_.ledger.NewEpoch(world_.wal.end());
  stop_asked_ = false;
  last_exit_code_.reset();
  world_.Trace("a process starts");
  if (!process_->relay.Start().ok()) world_.ledger.Violation("the relay did not start");
}

void Life::EndProcess() {
  world_.census->Count("ways", "left out of a repeat", process_->stats.events_repeated);
  world_.census->Count("ways", "skipped by order", process_->stats.events_skipped);
  process_.reset();
  paused_until_us_ = 0;
  world_.schedule.After(world_.random.Skewed(20 * kMs, 3 * kSecond), [this] {
    if (!process_) StartProcess();
  });
}

void Life::StopRelay() {
  if (!process_ || stop_asked_) return;
  process_->relay.RequestStop();
  stop_asked_ = true;
  stop_deadline_us_ = world_.clock.now_us() + kStopUs;
  world_.Ring();
}

// What would end the poll() of relay/runner.cc.
bool Life::Wakes() const {
  const relay::Relay& relay = process_->relay;
  if (world_.rung || relay.backlog()) return true;
  Stream* const stream = server_.stream();
  if (relay.reads() && (!stream || stream->readable())) return true;
  return relay.wants_write() && (!stream || stream->writable());
}

void Life::StepProcess() {
  world_.rung = false;
  const int breaks = server_.breaks();
  process_->relay.Step();
  world_.clock.Advance(world_.random.Between(5, 40));
  NoteState();
  if (process_->relay.finished()) return NoteExit(breaks);
  if (stop_asked_ && world_.clock.now_us() > std::max(stop_deadline_us_, world_.excused_until_us))
    world_.ledger.Violation("a stop was not bounded");
}

void Life::NoteState() {
  const relay::State state = process_->stats.state.load();
  if (state == process_->state) return;
  process_->state = state;
  world_.census->Count("states", relay::StateName(state));
  world_.Trace(relay::StateName(state));
}

void Life::NoteExit(int breaks) {
  const int code = process_->relay.exit_code();
  last_exit_code_ = code;
  world_.census->Count("exits", absl::StrCat("code ", code));
  world_.Trace(absl::StrCat("the process ends with code ", code));
  const bool expected = stop_asked_ ? code == 0 || code == 8 || code == 7 : code == 7;
  if (!expected) world_.ledger.Violation(absl::StrCat("ended with code ", code));
  EndProcess();
  // What was said on a connection that broke may be lost, which no code can know. Else: once the server has read all
  // that was said.
  if (code != 0 || world_.clock.now_us() - server_.closed_at_us() > kMs) return;
  world_.schedule.After(15 * kMs, [this, breaks] {
    if (server_.breaks() == breaks) world_.ledger.StoppedClean(server_.confirmed());
  });
}

void Life::Turn() {
  const int64_t now_us = world_.clock.now_us();
  const bool awake = process_ && now_us >= paused_until_us_;
  if (awake && Wakes()) return StepProcess();
  int64_t wake_us = awake ? process_->relay.next_deadline_us() : world_.schedule.next_us();
  if (process_ && !awake) wake_us = paused_until_us_;
  if (world_.schedule.next_us() <= wake_us) return world_.schedule.RunNext();
  world_.schedule.AdvanceTo(wake_us);
  if (!awake) return;

  const int64_t second = world_.clock.now_us() / kSecond;
  spins_ = second == spin_second_ ? spins_ + 1 : 0;
  spin_second_ = second;
  if (spins_ > kWakesPerSecondMax) world_.ledger.Violation("the loop spins: its deadline has passed and stays");
  StepProcess();
}

template <typename Done>
bool Life::RunUntil(int64_t limit_us, Done done) {
  const int64_t until_us = world_.clock.now_us() + limit_us;
  while (!world_.ledger.violated() && world_.clock.now_us() < until_us) {
    if (done()) return true;
    Turn();
  }
  return false;
}

}  // namespace postrider::sim
