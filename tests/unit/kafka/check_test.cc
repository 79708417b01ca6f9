#include "kafka/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace postrider::kafka {
namespace {

using testing::HasSubstr;
using Result = Finding::Result;

// One topic in a healthy cluster of three brokers; each test breaks one thing.
class CheckTest : public testing::Test {
 protected:
  CheckTest() {
    facts_.bootstrap = "k:9092";
    facts_.cluster_id = "abc";
    facts_.brokers = 3;
    facts_.may_create = true;
    facts_.creates_topics = false;
    facts_.topics = {{.name = "orders",
                      .presence = TopicFacts::Presence::kThere,
                      .error = "",
                      .partitions = 4,
                      .replicas = 3,
                      .max_message_bytes = 1'048'588,
                      .min_insync_replicas = 2}};
  }

  TopicFacts& topic() { return facts_.topics[0]; }
  void Lacks() { topic().presence = TopicFacts::Presence::kMissing; }
  void AddGroup(int replication_factor) {
    config_.topic_groups = {{.name = "default",
                             .include = ".*",
                             .exclude = "",
                             .partitions = 6,
                             .replication_factor = replication_factor,
                             .properties = {{"cleanup.policy", "delete"}}}};
  }
  Findings All() const {
    return CheckCluster(config_, TopicRules::Make(config_).value(), {{.name = "orders", .needed = needed_}}, facts_);
  }
  // The one finding about the topic.
  Finding Only() const {
    const Findings findings = All();
    EXPECT_EQ(findings.size(), 2);
    EXPECT_EQ(findings[0].result, Result::kPass);
    return findings.back();
  }
  static void Expect(const Finding& finding, Result result, std::string_view remedy) {
    EXPECT_EQ(finding.result, result) << finding.text;
    EXPECT_EQ(finding.remedy, remedy) << finding.text;
    EXPECT_EQ(finding.fault, result == Result::kFail ? Fault::kKafkaRefuses : Fault::kPassing);
  }

  config::Producer config_;
  ClusterFacts facts_;
  bool needed_ = true;
};

TEST_F(CheckTest, AHealthyTopicPasses) {
  Expect(Only(), Result::kPass, "");
}

TEST_F(CheckTest, AClusterThatRefusesIsTheOnlyFinding) {
  facts_.reached = MakeFault(Fault::kKafkaRefuses, "the Kafka producer gave up (CLUSTER_AUTHORIZATION_FAILED): x");
  facts_.user = "relay";
  const Findings findings = All();
  ASSERT_EQ(findings.size(), 1);
  Expect(findings[0], Result::kFail,
         "kafka-acls.sh --bootstrap-server k:9092 --add --allow-principal User:relay --operation IdempotentWrite "
         "--cluster");
}

TEST_F(CheckTest, AClusterThatIsAwayFailsAlthoughRunWouldWait) {
  facts_.reached = MakeFault(Fault::kPassing, "no Kafka broker can be reached");
  Expect(All()[0], Result::kFail, "bootstrap.servers=HOST:PORT");
}

TEST_F(CheckTest, AMissingRightFailsWithTheGrant) {
  topic().may_write = false;
  constexpr char kGrant[] =
      "kafka-acls.sh --bootstrap-server k:9092 --add --allow-principal User:NAME --operation Write --operation "
      "Describe --topic orders";
  Expect(Only(), Result::kFail, kGrant);
  topic().presence = TopicFacts::Presence::kForbidden;
  Expect(Only(), Result::kFail, kGrant);
}

TEST_F(CheckTest, WhatTheRelayCanGoWithoutIsOnlyAWarning) {
  topic().may_write = false;
  needed_ = false;
  EXPECT_EQ(Only().result, Result::kWarning);
}

TEST_F(CheckTest, AMissingTopicIsMadeByAGroupByTheBrokerOrByNobody) {
  Lacks();
  Expect(Only(), Result::kFail, "kafka-topics.sh --bootstrap-server k:9092 --create --if-not-exists --topic orders");
  facts_.creates_topics = true;
  Expect(Only(), Result::kPass, "");
  facts_.wants_creation = false;
  EXPECT_EQ(Only().result, Result::kFail);
  AddGroup(3);
  Expect(Only(), Result::kPass, "");
}

TEST_F(CheckTest, WhatCannotBeSeenIsAWarning) {
  Lacks();
  facts_.creates_topics.reset();
  EXPECT_EQ(Only().result, Result::kWarning);
  facts_.creates_topics = false;
  facts_.may_create = false;  // an ACL on the topic's own name may allow it
  AddGroup(3);
  Expect(Only(), Result::kWarning,
         "kafka-topics.sh --bootstrap-server k:9092 --create --if-not-exists --topic orders --partitions 6 "
         "--replication-factor 3 --config cleanup.policy=delete");
}

TEST_F(CheckTest, MoreReplicasThanBrokersFail) {
  Lacks();
  AddGroup(5);
  Expect(Only(), Result::kFail, "topic.creation.default.replication.factor=3");
}

TEST_F(CheckTest, ReplicasThatNeverAcknowledgeFailAndFewWarn) {
  topic().min_insync_replicas = 4;
  Expect(Only(), Result::kFail,
         "kafka-configs.sh --bootstrap-server k:9092 --alter --topic orders --add-config min.insync.replicas=3");
  topic().min_insync_replicas = 1;
  EXPECT_EQ(Only().result, Result::kWarning);
  topic().replicas = 1;
  EXPECT_THAT(Only().text, HasSubstr("one replica"));
}

TEST_F(CheckTest, ALimitBelowOursIsAWarning) {
  topic().max_message_bytes = 1'000;
  Expect(Only(), Result::kWarning,
         "kafka-configs.sh --bootstrap-server k:9092 --alter --topic orders --add-config max.message.bytes=1048576");
}

TEST_F(CheckTest, NoKnownTopicIsSaid) {
  const Findings findings = CheckCluster(config_, TopicRules::Make(config_).value(), {}, facts_);
  ASSERT_EQ(findings.size(), 2);
  EXPECT_EQ(findings[1].result, Result::kPass);
}

}  // namespace
}  // namespace postrider::kafka
