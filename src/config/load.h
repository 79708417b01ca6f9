// Files, environment and command line -> one Config. READ THIS FIRST in config/.
//
// Precedence: default < files in the order given < POSTRIDER_* variables < --set. Files are Java .properties or Kafka
// Connect JSON, as they are, or Debezium Server's application.properties; "-" is standard input. Blocking: runs at
// start, before any thread, and at SIGHUP on a thread of its own (commands/reload.h).
//
// The way through: gather (files, variables, --set -> Settings) -> validate (against the table in keys.h) -> parts
// (each group of keys -> its struct of Config) -> report. Tested by tests/unit/config/load_test.cc.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "config/config.h"
#include "config/keys.h"
#include "config/secret_source.h"

namespace postrider::config {

struct Sources {
  std::vector<std::string> files;
  std::vector<std::pair<std::string, std::string>> overrides;    // --set key=value
  std::vector<std::pair<std::string, std::string>> environment;  // all variables; only POSTRIDER_* are looked at,
                                                                 // and any for ${env:NAME}
};

// One key as `postrider config` prints it.
struct KeyReport {
  std::string key;
  std::string value;   // `***` for a secret
  std::string origin;  // "connector.properties:12", "environment POSTRIDER_SLOT_NAME", "--set", "default"
  KeyOutcome outcome = KeyOutcome::kHonoured;
  std::string librdkafka;  // "linger.ms=5", several with blanks, or empty
  std::string remark;      // why it is meaningless or refused, or what overrides it
};

// One key that was given, to compare with the same files read later (config/reload.h). Not to be shown.
struct GivenKey {
  std::string key;       // as the table has it
  std::string name;      // as the user wrote it
  std::string text;      // with placeholders resolved
  std::string fallback;  // what holds where it is absent
  bool honoured = false;
  std::shared_ptr<SecretSource> source;  // of a secret; else null
};

struct Loaded {
  Config config;
  std::vector<KeyReport> keys;  // all keys given, and defaults that matter
  std::vector<std::string>
      warnings;  // one sentence each: unknown keys with the nearest name, overridden guarantees, ...
  std::vector<GivenKey> given;
};

// Everything that was read, or the first thing that is wrong: a fault kConfiguration that names file, line, key and
// what is allowed. `Inspect` gives the report even where the configuration is refused (for `postrider config`).
absl::StatusOr<Loaded> Load(const Sources& sources);

struct Inspection {
  std::vector<KeyReport> keys;
  std::vector<std::string> warnings;
  std::vector<std::string> problems;  // everything that is wrong, one sentence each
  absl::Status status;                // what Load would have said: the first of them, or the file that cannot be read
};
Inspection Inspect(const Sources& sources);

}  // namespace postrider::config
