// postrider status: the server's slots in a terminal, ours and others', once a second.
#include <unistd.h>

#include <iostream>
#include <optional>
#include <thread>

#include "base/fault.h"
#include "commands/commands.h"
#include "commands/slot_text.h"
#include "commands/start.h"

namespace postrider::commands {
namespace {

constexpr std::chrono::seconds kEvery(1);
constexpr std::string_view kClear = "\x1b[H\x1b[2J";  // ECMA-48: to the corner, and empty the screen

}  // namespace

int Status(const cli::Arguments& arguments) {
  const auto loaded = config::Load(SourcesOf(arguments));
  if (!loaded.ok()) return Refuse(loaded.status());
  const Wakeup never;
  auto reporter = postgres::SlotReporter::Open(loaded->config, &never);
  if (!reporter.ok()) return Refuse(reporter.status());
  const bool live = isatty(STDOUT_FILENO) != 0 && !arguments.Has("--once");
  for (std::optional<postgres::SlotReport> before;;) {
    auto report = (*reporter)->Read();
    if (!report.ok()) return Refuse(report.status());
    if (live || before) {
      std::cout << (live ? kClear : "") << SlotsAsText(loaded->config.slot.name, *report, before ? &*before : nullptr)
                << std::flush;
      if (!live) return 0;
    }
    before = *std::move(report);
    std::this_thread::sleep_for(kEvery);
  }
}

}  // namespace postrider::commands
