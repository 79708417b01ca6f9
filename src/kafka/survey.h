// A look at the cluster with everything that `postrider check` and `setup` want to know of it. Changes nothing: no
// topic is made by being named, no record is written.
//
// ReadCluster blocks, ended by `stop`; a cluster that is away is known as such after a few seconds. Plain data
// afterwards, so that the checks over it (check.h) are pure. Tested by tests/unit/kafka/survey_test.cc (mock cluster)
// and tests/e2e/test_check.py.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/wakeup.h"
#include "config/config.h"

namespace postrider::kafka {

struct TopicFacts {
  enum class Presence {
    kThere,
    kMissing,
    kForbidden,  // the ACLs do not even let us see whether it is there
    kUnknown,    // the question failed: `error`
  };
  std::string name;
  Presence presence = Presence::kUnknown;
  std::string error;
  int partitions = 0;
  int replicas = 0;                          // of the partition that has the fewest
  bool has_leaders = true;                   // each partition has one
  bool may_write = true;                     // true also where the broker does not say
  std::optional<int64_t> max_message_bytes;  // absent: we may not ask
  std::optional<int> min_insync_replicas;
};

struct ClusterFacts {
  // Why there is no more: a fault kConfiguration, kKafkaRefuses (login, TLS, the producer id), or a passing one.
  absl::Status reached;
  std::string bootstrap, protocol, user;  // as configured; "PLAINTEXT", "SASL_SSL"; of SASL, empty where none
  std::string cluster_id;
  int brokers = 0;
  std::optional<bool> may_create;       // topics of any name, by an ACL on the cluster; absent: the broker does not say
  std::optional<bool> creates_topics;   // auto.create.topics.enable; absent: we may not ask
  bool wants_creation = true;           // allow.auto.create.topics of ours
  std::optional<int> default_replicas;  // default.replication.factor
  std::vector<TopicFacts> topics;       // those asked for, in that order
};

ClusterFacts ReadCluster(const config::Producer& config, const std::vector<std::string>& topics, const Wakeup* stop);

}  // namespace postrider::kafka
