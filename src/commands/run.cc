// postrider run: the relay. The life of an event begins in relay/relay.h.
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/text.h"
#include "base/wakeup.h"
#include "cli/help.h"
#include "commands/commands.h"
#include "commands/start.h"
#include "evidence/store.h"
#include "kafka/producer.h"
#include "postgres/connector.h"
#include "relay/relay.h"
#include "relay/runner.h"
#include "router/router.h"

namespace postrider::commands {
namespace {

// Null where no record can be kept and none was asked for.
absl::StatusOr<std::shared_ptr<evidence::Store>> OpenEvidence(const config::Evidence& options, const Wakeup* wakeup) {
  auto store = evidence::OpenFileStore(options.file, wakeup);
  if (store.ok()) return std::shared_ptr<evidence::Store>(*std::move(store));
  const std::string why(MessageOf(store.status()));
  if (options.required) return MakeFault(Fault::kConfiguration, "postrider.state.file cannot be kept: " + why);
  LogWarning("evidence_off", {{"file", options.file}},
             "no evidence record is kept, so a slot that is lost looks like a first start: make its folder, or set "
             "postrider.state.file (" +
                 why + ")");
  return std::shared_ptr<evidence::Store>();
}

}  // namespace

int Run(const cli::Arguments& arguments) {
  auto loaded = config::Load(SourcesOf(arguments));
  if (!loaded.ok()) return Refuse(loaded.status());
  config::Config& config = loaded->config;
  config.slot.accept_gap = arguments.Has("--accept-gap");
  const LogSession log(config.logging);
  LogInfo("starting", {{"slot", config.slot.name}, {"publication", config.publication.name}}, cli::VersionLine());
  for (const std::string& warning : loaded->warnings) LogWarning("configuration", {}, warning);

  const Wakeup wakeup;
  relay::HandleStopSignals(&wakeup);
  auto router = router::Router::Make(config);
  if (!router.ok()) return LogFailure(router.status());
  const auto producers = kafka::MakeProducerFactory(config.producer, &wakeup);
  auto evidence = OpenEvidence(config.evidence, &wakeup);
  if (!evidence.ok()) return LogFailure(evidence.status());
  const auto connector = postgres::MakeConnector(config, &wakeup, *evidence);
  relay::Stats stats;
  relay::Relay relay(config,
                     relay::Parts{.connector = connector.get(),
                                  .producers = producers.get(),
                                  .router = router->get(),
                                  .evidence = evidence->get(),
                                  .clock = &SystemClock()},
                     &stats);
  if (absl::Status status = relay.Start(); !status.ok()) return LogFailure(status);
  return relay::Run(relay, wakeup, SystemClock());
}

}  // namespace postrider::commands
