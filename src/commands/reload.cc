#include "commands/reload.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/text.h"
#include "base/worker.h"
#include "commands/start.h"
#include "config/reload.h"

namespace postrider::commands {
namespace {

std::atomic<const Wakeup*> hangup_bell{nullptr};

void OnHangupSignal(int) {
  if (const Wakeup* bell = hangup_bell.load()) bell->Ring();
}

void HandleHangupSignal(const Wakeup* bell) {
  hangup_bell.store(bell);
  struct sigaction action = {};
  action.sa_handler = OnHangupSignal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGHUP, &action, nullptr);
}

// The files as they are now, or why they cannot be taken.
absl::StatusOr<config::Loaded> ReadAgain(const config::Sources& sources) {
  if (std::find(sources.files.begin(), sources.files.end(), "-") != sources.files.end())
    return MakeFault(Fault::kConfiguration, "standard input cannot be read again: a restart is needed");
  return config::Load(sources);
}

}  // namespace

struct Reloader::Shared : Worker {
  Shared(config::Sources sources_given, const config::Loaded& loaded, Targets targets_given)
      : Worker(nullptr),
        sources(std::move(sources_given)),
        targets(std::move(targets_given)),
        given(loaded.given),
        warnings(loaded.warnings),
        level(LevelOf(loaded.config.logging)) {}

  void Reload();
  void Tell(std::string_view what) const;
  void Refuse(std::string_view why) const;
  void TellWarnings(const std::vector<std::string>& now);

  const config::Sources sources;
  const Targets targets;
  // The thread's own.
  std::vector<config::GivenKey> given;  // what holds now
  std::vector<std::string> warnings;
  LogLevel level;
  int signals = 0;
};

void Reloader::Shared::Reload() {
  ++signals;
  const absl::StatusOr<config::Loaded> next = ReadAgain(sources);
  if (!next.ok()) return Refuse(MessageOf(next.status()));
  TellWarnings(next->warnings);
  const config::Changes changes = config::Compare(given, next->given);
  if (!changes.needs_restart.empty())
    return Refuse(absl::StrCat("needs a restart: ", absl::StrJoin(changes.needs_restart, ", ")));
  if (changes.taken.empty()) return Tell("nothing to take has changed");
  const config::Config& config = next->config;
  if (absl::Status status = targets.set_poison(config.relay.poison); !status.ok()) return Refuse(MessageOf(status));
  targets.set_wal_budget_bytes(config.monitor.wal_budget_bytes);
  config::TakeKeys(given, next->given);
  level = LevelOf(config.logging);
  Tell(absl::StrCat("taken: ", absl::StrJoin(changes.taken, ", ")));
}

// The number keeps two lines that say the same apart: each signal is answered, whatever the level.
void Reloader::Shared::Tell(std::string_view what) const {
  SetLogLevel(std::min(level, LogLevel::kInfo));
  LogInfo("reloaded", {}, absl::StrCat("SIGHUP ", signals, ": ", View(what)));
  SetLogLevel(level);
}

void Reloader::Shared::Refuse(std::string_view why) const {
  LogError("reload_refused", {}, absl::StrCat("SIGHUP ", signals, ": nothing of the files is taken: ", View(why)));
}

void Reloader::Shared::TellWarnings(const std::vector<std::string>& now) {
  for (const std::string& warning : now)
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end())
      LogWarning("configuration", {}, warning);
  warnings = now;
}

Reloader::Reloader(config::Sources sources, const config::Loaded& loaded, Targets targets)
    : shared_(std::make_shared<Shared>(std::move(sources), loaded, std::move(targets))) {
  HandleHangupSignal(&shared_->asked);
  thread_ = std::thread([shared = shared_] {
    while (true) {
      pollfd polled[2] = {{shared->stop.fd(), POLLIN, 0}, {shared->asked.fd(), POLLIN, 0}};
      if (poll(polled, 2, -1) < 0) continue;
      if (polled[0].revents != 0) break;
      shared->asked.Clear();
      shared->Reload();
    }
    shared->End();
  });
}

Reloader::~Reloader() {
  hangup_bell.store(nullptr);
  shared_->Leave(thread_);
}

}  // namespace postrider::commands
