#include "postgres/survey.h"

#include <utility>

#include "config/selection.h"
#include "postgres/checks.h"
#include "postgres/facts.h"
#include "postgres/setup.h"

namespace postrider::postgres {

Survey::Survey(const config::Config& config, TableFilter filter, std::unique_ptr<DatabaseFacts> facts)
    : config_(config), filter_(std::move(filter)), facts_(std::move(facts)) {}
Survey::Survey(Survey&&) noexcept = default;
Survey::~Survey() = default;

absl::StatusOr<Survey> Survey::Read(const config::Config& config, const Wakeup* stop) {
  absl::StatusOr<TableFilter> filter = config::TablesOf(config.tables);
  if (!filter.ok()) return filter.status();
  auto facts = std::make_unique<DatabaseFacts>(ReadDatabaseFacts(config, *filter, stop));
  return Survey(config, *std::move(filter), std::move(facts));
}

Findings Survey::Check() const {
  Findings findings = CheckConnections(config_, *facts_);
  if (!facts_->login.ok()) return findings;
  Append(findings, CheckSettings(*facts_));
  Append(findings, CheckOwnSlot(config_, *facts_));
  Append(findings, CheckCapacity(config_, *facts_));
  Append(findings, CheckPublication(config_, filter_, *facts_));
  Append(findings, CheckTableKinds(config_, filter_, *facts_));
  Append(findings, CheckRights(config_, *facts_));
  return findings;
}

Findings Survey::CheckEvidence(const Record& record, const std::string& place) const {
  return reached() ? postgres::CheckEvidence(config_, *facts_, record, place) : Findings();
}

bool Survey::reached() const {
  return facts_->login.ok();
}
const std::vector<Table>& Survey::tables() const {
  return facts_->captured;
}
const std::vector<std::string>& Survey::routes() const {
  return facts_->routes;
}

SetupSteps Survey::SetUp(const Record& record, const std::string& place, bool print, const Wakeup* stop) const {
  return SetUpDatabase({.config = config_, .filter = filter_, .facts = *facts_}, record, place, print, stop);
}

}  // namespace postrider::postgres
