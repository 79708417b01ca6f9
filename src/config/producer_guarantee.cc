// The keys that the promise rests on, and librdkafka's own.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "config/java_producer.h"
#include "config/text.h"

namespace postrider::config {
namespace {

constexpr std::string_view kAsConfigured = "postrider.producer.as.configured";
// Java's and librdkafka's largest: 24.8 days as a time-out. librdkafka's 0 (none at all) would break its statistics.
constexpr int64_t kNoLimit = 2'147'483'647;

// Keys as written that would weaken the promise: "connector.json:4: producer.override.acks=1".
std::vector<std::string> Weakening(const JavaProducer& java) {
  std::vector<std::string> names;
  const std::string acks = java.Text("acks");
  if (acks != "-1" && !EqualsIgnoreCase(acks, "all")) names.emplace_back("acks");
  if (!java.Flag("enable.idempotence")) names.emplace_back("enable.idempotence");
  for (const std::string_view name : {"retries", "delivery.timeout.ms"})
    if (java.Number(name) < kNoLimit) names.emplace_back(name);
  if (java.Number("max.in.flight.requests.per.connection") > 5)
    names.emplace_back("max.in.flight.requests.per.connection");
  return names;
}

std::string Describe(const JavaProducer& java, const std::vector<std::string>& names) {
  return absl::StrJoin(names, ", ", [&java](std::string* out, const std::string& name) {
    const std::string key = java.KeyOf(name);
    const Setting* setting = java.draft().settings().Find(key);
    absl::StrAppend(out, java.draft().Where(key), "=",
                    setting == nullptr ? java.Text(name) : java.draft().Shown(*setting));
  });
}

void SetOurGuarantee(const JavaProducer& java, PropertyList& properties) {
  const std::vector<std::string> names = Weakening(java);
  properties.Set("enable.idempotence", "true", java.KeyOf("enable.idempotence"));
  properties.Set("acks", "all", java.KeyOf("acks"));
  properties.Set("message.timeout.ms", Cat(kNoLimit), java.KeyOf("delivery.timeout.ms"));
  properties.Set("enable.gapless.guarantee", "true");
  const std::string_view in_flight = "max.in.flight.requests.per.connection";
  if (java.Given(in_flight) && java.Number(in_flight) <= 5)
    properties.Set(in_flight, Cat(java.Number(in_flight)), java.KeyOf(in_flight));
  if (names.empty()) return;
  for (const std::string& name : names)
    java.draft().SetOutcome(java.KeyOf(name), KeyOutcome::kMeaningless, "overridden: it would weaken the guarantee");
  java.draft().Warn(Cat("overridden, because events could be lost or change their order: ", Describe(java, names),
                        " (postrider.producer.as.configured=true obeys them)"));
}

// What Java's producer does with these keys: idempotence gives way to the others unless it is written.
void SetGuaranteeAsConfigured(const JavaProducer& java, PropertyList& properties) {
  const std::vector<std::string> names = Weakening(java);
  const std::string acks = java.Text("acks");
  const int64_t in_flight = java.Number("max.in.flight.requests.per.connection");
  const bool conflict =
      (acks != "-1" && !EqualsIgnoreCase(acks, "all")) || java.Number("retries") == 0 || in_flight > 5;
  const bool idempotence = java.Flag("enable.idempotence") && !(conflict && !java.Written("enable.idempotence"));
  if (idempotence && conflict) {
    return java.draft().RefuseKey(java.KeyOf("enable.idempotence"),
                                  "is true, which needs acks=all, retries above 0 and at most 5 requests in flight");
  }
  properties.Set("enable.idempotence", idempotence ? "true" : "false", java.KeyOf("enable.idempotence"));
  properties.Set("acks", ToLower(acks), java.KeyOf("acks"));
  properties.Set("retries", Cat(java.Number("retries")), java.KeyOf("retries"));
  properties.Set("message.timeout.ms", Cat(java.Number("delivery.timeout.ms")), java.KeyOf("delivery.timeout.ms"));
  properties.Set("max.in.flight.requests.per.connection", Cat(std::min<int64_t>(in_flight, 1'000'000)),
                 java.KeyOf("max.in.flight.requests.per.connection"));
  properties.Set("enable.gapless.guarantee", idempotence ? "true" : "false");
  if (!names.empty())
    java.draft().Warn(
        Cat("obeyed as configured, although events can be lost or change their order: ", Describe(java, names)));
}

}  // namespace

void MakeGuarantee(const JavaProducer& java, PropertyList& properties) {
  if (java.draft().Flag(kAsConfigured)) {
    SetGuaranteeAsConfigured(java, properties);
  } else {
    SetOurGuarantee(java, properties);
  }
}

void MakeRaw(const JavaProducer& java, PropertyList& properties) {
  Draft& draft = java.draft();
  constexpr std::string_view kGuarantee[] = {"acks",
                                             "request.required.acks",
                                             "enable.idempotence",
                                             "enable.gapless.guarantee",
                                             "message.timeout.ms",
                                             "delivery.timeout.ms",
                                             "retries",
                                             "message.send.max.retries",
                                             "max.in.flight",
                                             "max.in.flight.requests.per.connection"};
  constexpr std::string_view kOurs[] = {"transactional.id", "delivery.report.only.error", "log.queue",
                                        "enable.background.events"};
  const bool as_configured = draft.Flag(kAsConfigured);
  for (const Setting& setting : draft.settings().all()) {
    std::string_view property = setting.key;
    if (!ConsumePrefix(property, "librdkafka.")) continue;
    if (std::find(std::begin(kOurs), std::end(kOurs), property) != std::end(kOurs)) {
      draft.RefuseKey(setting.key, "is not supported: Postrider sets it itself");
    } else if (!as_configured &&
               std::find(std::begin(kGuarantee), std::end(kGuarantee), property) != std::end(kGuarantee)) {
      draft.WarnOf(setting.key,
                   "is overridden: the guarantee rests on it (postrider.producer.as.configured=true obeys it)");
      draft.SetOutcome(setting.key, KeyOutcome::kMeaningless, "overridden: the guarantee rests on it");
    } else if (draft.IsSecret(setting.key)) {
      properties.SetSecret(property, draft.SecretOf(setting.key), setting.key);
    } else {
      properties.Set(property, setting.value, setting.key);
    }
  }
}

}  // namespace postrider::config
