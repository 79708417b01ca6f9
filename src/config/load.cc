#include "config/load.h"

#include <utility>

#include "base/fault.h"
#include "config/draft.h"
#include "config/gather.h"
#include "config/java_producer.h"
#include "config/parts.h"
#include "config/text.h"
#include "config/validate.h"

namespace postrider::config {
namespace {

// What an operator wants to see although it was not written.
constexpr std::string_view kShownDefaults[] = {"database.port",
                                               "database.sslmode",
                                               "plugin.name",
                                               "slot.name",
                                               "publication.name",
                                               "publication.autocreate.mode",
                                               "snapshot.mode",
                                               "key.converter",
                                               "header.converter",
                                               "extended.headers.enabled",
                                               "errors.tolerance",
                                               "topic.creation.enable",
                                               "postrider.slot.takeover",
                                               "postrider.slot.create",
                                               "postrider.inflight.bytes",
                                               "postrider.drain.timeout.ms",
                                               "postrider.log.level",
                                               "postrider.log.format"};

Draft MakeDraft(Gathered gathered) {
  Draft draft(std::move(gathered.settings), std::move(gathered.resolver_of));
  draft.warnings() = std::move(gathered.warnings);
  for (const auto& [key, why] : gathered.unresolved) draft.RefuseKey(key, Cat("cannot be resolved: ", why));
  return draft;
}

Config MakeConfig(Draft& draft) {
  Validate(draft);
  Config config;
  MakeDatabase(draft, config.database);
  MakeSlot(draft, config.slot);
  MakeSnapshot(draft, config.snapshot);
  MakeTables(draft, config.tables);
  MakeRouter(draft, config.router);
  MakePublication(draft, config.router, config.publication);
  MakeTypes(draft, config.types);
  MakeConverters(draft, config.converters);
  MakeRelay(draft, config.relay, config.logging);
  MakeEvidence(draft, config.slot, config.evidence);
  MakeMonitor(draft, config.monitor);
  MakeControl(draft, config.evidence, config.control);
  MakeTopics(draft, config.relay.poison, config.producer);
  MakeProducer(draft, config.relay, config.slot, config.producer);
  MakeIdentity(draft, config);
  MakeHeartbeat(draft, config);
  return config;
}

KeyReport ReportOf(const Draft& draft, const Setting& setting) {
  KeyReport report{.key = setting.name(),
                   .value = draft.Shown(setting),
                   .origin = setting.origin.ToString(),
                   .librdkafka = "",
                   .remark = ""};
  const KeySpec* spec = draft.index().Find(setting.key).spec;
  report.outcome = spec == nullptr ? KeyOutcome::kUnknown : spec->outcome;
  if (spec != nullptr && spec->outcome != KeyOutcome::kHonoured) report.remark = spec->note;
  if (const Draft::Finding* finding = draft.FindingOf(setting.key)) {
    if (finding->outcome) {
      report.outcome = *finding->outcome;
      report.remark = finding->remark;
    }
    report.librdkafka = finding->librdkafka;
  }
  if (setting.name() != setting.key && report.remark.empty()) report.remark = Cat("stands for ", setting.key);
  return report;
}

std::vector<KeyReport> ReportAll(const Draft& draft) {
  std::vector<KeyReport> reports;
  for (const Setting& setting : draft.settings().all()) reports.push_back(ReportOf(draft, setting));
  for (const std::string_view key : kShownDefaults) {
    if (draft.settings().Find(key) != nullptr) continue;
    reports.push_back({.key = std::string(key),
                       .value = draft.Text(key),
                       .origin = "default",
                       .outcome = KeyOutcome::kHonoured,
                       .librdkafka = "",
                       .remark = ""});
  }
  reports.insert(reports.end(), draft.defaults().begin(), draft.defaults().end());
  return reports;
}

std::vector<GivenKey> GivenOf(const Draft& draft) {
  std::vector<GivenKey> given;
  for (const Setting& setting : draft.settings().all()) {
    const KeySpec* spec = draft.index().Find(setting.key).spec;
    given.push_back({.key = setting.key,
                     .name = setting.name(),
                     .text = setting.value,
                     .fallback = spec == nullptr ? "" : spec->fallback,
                     .honoured = ReportOf(draft, setting).outcome == KeyOutcome::kHonoured,
                     .source = draft.SourceOf(setting.key)});
  }
  return given;
}

absl::Status StatusOf(const Draft& draft) {
  const std::vector<std::string>& problems = draft.problems();
  if (problems.empty()) return absl::OkStatus();
  if (problems.size() == 1) return MakeFault(Fault::kConfiguration, problems.front());
  return MakeFault(Fault::kConfiguration,
                   Cat(problems.front(), " (and ", problems.size() - 1, " more: see `postrider config`)"));
}

}  // namespace

absl::StatusOr<Loaded> Load(const Sources& sources) {
  absl::StatusOr<Gathered> gathered = Gather(sources);
  if (!gathered.ok()) return gathered.status();
  Draft draft = MakeDraft(*std::move(gathered));
  Config config = MakeConfig(draft);
  if (absl::Status status = StatusOf(draft); !status.ok()) return status;
  return Loaded{.config = std::move(config),
                .keys = ReportAll(draft),
                .warnings = std::move(draft.warnings()),
                .given = GivenOf(draft)};
}

Inspection Inspect(const Sources& sources) {
  absl::StatusOr<Gathered> gathered = Gather(sources);
  if (!gathered.ok()) return {.keys = {}, .warnings = {}, .problems = {}, .status = gathered.status()};
  Draft draft = MakeDraft(*std::move(gathered));
  MakeConfig(draft);
  return {
      .keys = ReportAll(draft), .warnings = draft.warnings(), .problems = draft.problems(), .status = StatusOf(draft)};
}

}  // namespace postrider::config
