#include "check/configuration.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace postrider::check {
namespace {
constexpr char kName[] = "configuration";
}

Findings CheckConfiguration(const config::Inspection& inspection) {
  Findings findings;
  for (const std::string& problem : inspection.problems)
    findings.push_back(Failure(kName, Fault::kConfiguration, problem));
  if (inspection.problems.empty() && !inspection.status.ok())
    findings.push_back(Failure(kName, inspection.status, Fault::kConfiguration));
  for (const std::string& warning : inspection.warnings) findings.push_back(Warning(kName, warning));
  if (!findings.empty()) return findings;
  const auto given = std::count_if(inspection.keys.begin(), inspection.keys.end(),
                                   [](const config::KeyReport& key) { return key.origin != "default"; });
  findings.push_back(Pass(kName, absl::StrCat(given, " keys are understood")));
  return findings;
}

}  // namespace postrider::check
