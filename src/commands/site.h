// The look at database and cluster that `check` and `setup` begin with: it changes nothing. Main thread, blocking.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/finding.h"
#include "base/wakeup.h"
#include "config/config.h"
#include "evidence/record.h"
#include "kafka/check.h"
#include "kafka/survey.h"
#include "kafka/topic_rules.h"
#include "postgres/survey.h"

namespace postrider::commands {

struct Site {
  postgres::Survey database;
  kafka::ClusterFacts cluster;
  kafka::TopicRules rules;
  std::vector<kafka::TopicUse> topics;  // those of the events in the table, dead letters, heartbeats
  Findings routes;                      // values of the routing column that lead to no topic
  postgres::Survey::Record record;      // the evidence record
  std::string place;                    // where it is: "the file ..."
};

// A fault kConfiguration where the configuration's expressions cannot be used.
absl::StatusOr<Site> LookAtSite(const config::Config& config, const Wakeup& stop);

}  // namespace postrider::commands
