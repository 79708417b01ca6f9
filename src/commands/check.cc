// postrider check: everything that would keep a relay from working, in one look that changes nothing.
#include <algorithm>
#include <iostream>
#include <utility>

#include "base/wakeup.h"
#include "check/configuration.h"
#include "check/evidence_place.h"
#include "check/report.h"
#include "check/tables.h"
#include "commands/commands.h"
#include "commands/site.h"
#include "commands/start.h"
#include "relay/runner.h"

namespace postrider::commands {
namespace {

// Standard input cannot be read twice, so what is refused there is told by its first problem alone.
config::Inspection InspectRefused(const config::Sources& sources, const absl::Status& status) {
  const bool once = std::find(sources.files.begin(), sources.files.end(), "-") != sources.files.end();
  if (!once) return config::Inspect(sources);
  return {.keys = {}, .warnings = {}, .problems = {}, .status = status};
}

// From the configuration to the topics; what cannot be looked at because of a failure before is left out.
Findings CheckAll(const config::Sources& sources, const Wakeup& stop) {
  const auto loaded = config::Load(sources);
  if (!loaded.ok()) return check::CheckConfiguration(InspectRefused(sources, loaded.status()));
  const config::Config& config = loaded->config;
  Findings findings = check::CheckConfiguration(
      {.keys = loaded->keys, .warnings = loaded->warnings, .problems = {}, .status = absl::OkStatus()});
  const auto site = LookAtSite(config, stop);
  if (!site.ok()) {
    findings.push_back(Failure("configuration", site.status(), Fault::kConfiguration));
    return findings;
  }
  Append(findings, site->database.Check());
  Append(findings, check::CheckTables(config, site->database.tables()));
  Append(findings, check::CheckEvidencePlace(config.evidence));
  Append(findings, site->database.CheckEvidence(site->record, site->place));
  Append(findings, kafka::CheckCluster(config.producer, site->rules, site->topics, site->cluster));
  Append(findings, site->routes);
  return findings;
}

}  // namespace

int Check(const cli::Arguments& arguments) {
  const Wakeup stop;
  relay::HandleStopSignals(&stop);
  const Findings findings = CheckAll(SourcesOf(arguments), stop);
  std::cout << (arguments.Has("--json") ? check::FindingsAsJson(findings) : check::FormatFindings(findings))
            << std::flush;
  return check::ExitCodeOf(findings);
}

}  // namespace postrider::commands
