// A look at the database with everything that `postrider check` and `setup` want to know of it. Changes nothing, takes
// no slot, needs no relay stopped.
//
// Read() blocks, with a deadline for each question; the rest is pure. One thread. Tested by
// tests/unit/postgres/survey_test.cc (needs a server), its parts by checks_test.cc.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/finding.h"
#include "base/table.h"
#include "base/table_filter.h"
#include "base/wakeup.h"
#include "config/config.h"
#include "evidence/record.h"

namespace postrider::postgres {

struct DatabaseFacts;

class Survey {
 public:
  using Record = absl::StatusOr<std::optional<evidence::Record>>;

  // A fault kConfiguration where the lists of tables are no regular expressions; all else is a finding.
  static absl::StatusOr<Survey> Read(const config::Config& config, const Wakeup* stop);
  Survey(Survey&&) noexcept;
  ~Survey();

  // From the login to the slot, in order. Nothing beyond the login where that failed.
  Findings Check() const;
  // The slot against the evidence record, as its place gave it. Empty where the login failed.
  Findings CheckEvidence(const Record& record, const std::string& place) const;

  // Whether the database let us in.
  bool reached() const;
  // The captured tables, or those that the publication would hold.
  const std::vector<Table>& tables() const;
  // Values of the routing column in a sample of their rows, at most 100; empty where they have none, or may not be
  // read.
  const std::vector<std::string>& routes() const;

  // What `postrider setup` does, or, with `print`, would do: publication, rights, slot. `record`: as above. Blocking.
  SetupSteps SetUp(const Record& record, const std::string& place, bool print, const Wakeup* stop) const;

 private:
  Survey(const config::Config& config, TableFilter filter, std::unique_ptr<DatabaseFacts> facts);

  config::Config config_;
  TableFilter filter_;
  std::unique_ptr<DatabaseFacts> facts_;
};

}  // namespace postrider::postgres
