// postrider handback: what Debezium needs to go on from the slot.
#include <iostream>
#include <string>

#include "base/clock.h"
#include "base/fault.h"
#include "base/text.h"
#include "cli/help.h"
#include "commands/commands.h"
#include "commands/start.h"
#include "evidence/place.h"
#include "postgres/handback.h"

namespace postrider::commands {

int Handback(const cli::Arguments& arguments) {
  const auto loaded = config::Load(SourcesOf(arguments));
  if (!loaded.ok()) return Refuse(loaded.status());
  const config::Config& config = loaded->config;
  const auto slot = postgres::SlotToHandBack(config);
  if (!slot.ok()) return Refuse(slot.status());
  const auto evidence = EvidencePlace(config);
  const auto marked = evidence::MarkHandedBack(*evidence);
  if (!marked.ok()) {
    return Refuse(
        MakeFault(Fault::kConfiguration, "the evidence record in " + evidence->name() +
                                             " cannot be marked: " + std::string(MessageOf(marked.status()))));
  }
  std::cout << postgres::OffsetsBody(config.topic_prefix, *slot, SystemClock().UnixMillis() * 1000) << std::endl;
  std::cerr << cli::HandbackAdvice({.connector = config.name,
                                    .slot = config.slot.name,
                                    .lsn = slot->confirmed_lsn.ToString(),
                                    .record = *marked ? evidence->name() : ""});
  return 0;
}

}  // namespace postrider::commands
