#include "monitor/monitor.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/text.h"
#include "monitor/health.h"
#include "monitor/page.h"
#include "monitor/status_json.h"

namespace postrider::monitor {
namespace {

constexpr char kMetricsType[] = "text/plain; version=0.0.4; charset=utf-8";

Answer Said(const Health& health, std::string_view word) {
  return {.status = health.good ? 200 : 503, .body = HealthLine(health, word) + "\n"};
}

}  // namespace

Monitor::Monitor(const config::Config& config, const Clock* clock, const Relay& relay)
    : sources_{.slot = config.slot.name,
               .clock = clock,
               .stats = relay.stats,
               .kafka = relay.kafka,
               .desk = relay.desk},
      watcher_(config, clock, relay.stats) {}

HttpServer::Pages Monitor::MakePages() const {
  return {
      {"/", [] { return Answer{.content_type = "text/html; charset=utf-8", .body = std::string(StatusPage())}; }},
      {"/metrics",
       [this] { return Answer{.content_type = kMetricsType, .body = Exposition(sources_, watcher_.Look())}; }},
      {"/livez", [this] { return Said(Liveness(sources_.stats, sources_.clock->MonotonicMicros()), "alive"); }},
      {"/readyz", [this] { return Said(Readiness(sources_.stats, watcher_.Look()), "ready"); }},
      {"/leaderz", [this] { return Said(Leadership(sources_.stats), "leader"); }},
      {"/status",
       [this] {
         return Answer{.content_type = "application/json",
                       .body = StatusJson(sources_, watcher_.Look(), watcher_.Past())};
       }},
  };
}

absl::StatusOr<std::unique_ptr<Monitor>> Monitor::Start(const config::Config& config, const Clock* clock,
                                                        const Relay& relay, bool http_required) {
  std::unique_ptr<Monitor> monitor(new Monitor(config, clock, relay));
  if (config.monitor.http_address.empty()) return monitor;
  auto http = HttpServer::Start(config.monitor.http_address, monitor->MakePages());
  if (http.ok()) {
    monitor->http_ = *std::move(http);
    LogInfo("http", {{"address", config.monitor.http_address}, {"port", std::to_string(monitor->port())}},
            "metrics, health and status are served");
    return monitor;
  }
  const std::string why = absl::StrCat("postrider.http.address: ", postrider::View(MessageOf(http.status())));
  if (http_required) return MakeFault(Fault::kConfiguration, absl::StrCat(why, ": write another one, or off for none"));
  LogWarning("http_off", {{"address", config.monitor.http_address}},
             absl::StrCat(why, ": there are no metrics and no health pages; set postrider.http.address"));
  return monitor;
}

}  // namespace postrider::monitor
