// postrider run: the relay. The life of an event begins in relay/relay.h.
#include <chrono>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/text.h"
#include "base/wakeup.h"
#include "cli/help.h"
#include "commands/commands.h"
#include "commands/reload.h"
#include "commands/start.h"
#include "control/server.h"
#include "evidence/store.h"
#include "kafka/producer.h"
#include "kafka/statistics.h"
#include "monitor/monitor.h"
#include "postgres/connector.h"
#include "relay/relay.h"
#include "relay/runner.h"
#include "router/router.h"

namespace postrider::commands {
namespace {

// Below the second for which a stop waits for the reloader. The loop answers within milliseconds.
constexpr std::chrono::milliseconds kPolicyTimeout{800};

// Null where no record can be kept and none was asked for.
absl::StatusOr<std::shared_ptr<evidence::Store>> OpenEvidence(const config::Config& config, const Wakeup* wakeup) {
  const config::Evidence& options = config.evidence;
  auto store = evidence::OpenStore(EvidencePlace(config), wakeup);
  if (store.ok()) return std::shared_ptr<evidence::Store>(*std::move(store));
  const std::string why(MessageOf(store.status()));
  if (options.required) {
    return MakeFault(Fault::kConfiguration, (options.topic.empty() ? "postrider.state.file" : "postrider.state.topic") +
                                                (" cannot be kept: " + why));
  }
  LogWarning("evidence_off", {{"file", options.file}},
             "no evidence record is kept, so a slot that is lost looks like a first start: make its folder, or set "
             "postrider.state.file (" +
                 why + ")");
  return std::shared_ptr<evidence::Store>();
}

// Null where there is none and none was asked for.
absl::StatusOr<std::unique_ptr<control::Server>> OpenControl(const config::Control& options, relay::Desk* desk) {
  if (options.socket.empty()) return std::unique_ptr<control::Server>();
  auto server = control::Server::Listen(options.socket, desk, &SystemClock());
  if (!server.ok() && options.required) {
    return MakeFault(Fault::kConfiguration,
                     "postrider.control.socket cannot be made: " + std::string(MessageOf(server.status())));
  }
  if (server.ok() && (*server)->listens()) return server;
  LogWarning("control_off", {{"socket", options.socket}},
             server.ok() ? std::string("another relay listens there: this one takes the socket when it is free")
                         : "postrider held, pause and resume cannot reach this relay: make the folder, or set "
                           "postrider.control.socket (" +
                               std::string(MessageOf(server.status())) + ")");
  return server.ok() ? *std::move(server) : std::unique_ptr<control::Server>();
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
  kafka::Statistics statistics;
  const auto producers = kafka::MakeProducerFactory(config.producer, &wakeup, &statistics);
  auto evidence = OpenEvidence(config, &wakeup);
  if (!evidence.ok()) return LogFailure(evidence.status());
  const auto connector = postgres::MakeConnector(config, &wakeup, *evidence);
  relay::Stats stats;
  relay::Desk desk(&wakeup);
  relay::Relay relay(config,
                     relay::Parts{.connector = connector.get(),
                                  .producers = producers.get(),
                                  .router = router->get(),
                                  .evidence = evidence->get(),
                                  .desk = &desk,
                                  .clock = &SystemClock()},
                     &stats);
  const auto monitor = monitor::Monitor::Start(
      config, &SystemClock(), {.stats = &stats, .kafka = &statistics, .desk = &desk}, config.monitor.http_required);
  if (!monitor.ok()) return LogFailure(monitor.status());
  const auto control = OpenControl(config.control, &desk);
  if (!control.ok()) return LogFailure(control.status());
  if (absl::Status status = relay.Start(); !status.ok()) return LogFailure(status);
  const Reloader reloader(
      SourcesOf(arguments), *loaded,
      {.set_poison =
           [&desk](const config::Poison& poison) {
             return desk.Ask({.verb = relay::Order::Verb::kPolicy, .word = "", .poison = poison}, kPolicyTimeout)
                 .status();
           },
       .set_wal_budget_bytes = [&monitor](int64_t bytes) { (*monitor)->SetBudget(bytes); }});
  return relay::Run(relay, wakeup, SystemClock());
}

}  // namespace postrider::commands
