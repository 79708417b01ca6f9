// The text of `sasl.jaas.config`: `Module flag key=value ... ;`, as Java's producer reads it.
//
// flag is required, requisite, sufficient or optional; values are quoted, with backslash escapes, or bare words; `//`
// and `/* */` are comments. Several entries may follow each other: the first one counts. Never aborts, never copies
// input into an error. Source: Kafka's JaasConfig (java.io.StreamTokenizer with `-_$` and digits in words, `'` and `"`
// as quotes). Pure, any thread. Tested by tests/unit/config/jaas_test.cc.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace postrider::config {

struct JaasEntry {
  std::string module;  // the class
  std::vector<std::pair<std::string, std::string>> options;

  // Null where the option is absent. The last one counts.
  const std::string* Find(std::string_view option) const;
};

// InvalidArgument: "a value is missing after option number 2". Options are counted, not quoted.
absl::StatusOr<JaasEntry> ParseJaas(std::string_view text);

}  // namespace postrider::config
