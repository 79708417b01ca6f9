// `postrider setup` in Kafka: the topics that topic.creation.* makes anyway, made before their first event. Blocking.
// Tested by tests/unit/kafka/survey_test.cc (mock cluster) and tests/e2e/test_check.py.
#pragma once

#include <vector>

#include "base/finding.h"
#include "base/wakeup.h"
#include "config/config.h"
#include "kafka/check.h"
#include "kafka/survey.h"
#include "kafka/topic_rules.h"

namespace postrider::kafka {

// One step a topic. With `print` nothing is done, and the steps have the commands of Kafka's own tools.
SetupSteps SetUpTopics(const config::Producer& config, const TopicRules& rules, const std::vector<TopicUse>& topics,
                       const ClusterFacts& facts, bool print, const Wakeup* stop);

}  // namespace postrider::kafka
