// The table of topics with a cluster that answers as it is told, and a clock that stands still between steps.
#include "kafka/topics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace postrider::kafka {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Kind = Acceptance::Kind;

struct ScriptedAdmin : TopicAdmin {
  void Describe(const std::vector<std::string>& names) override { described.push_back(names); }
  void Create(const std::vector<std::pair<std::string, const config::TopicGroup*>>& topics) override {
    for (const auto& [name, group] : topics) created.push_back(name + ":" + group->name);
  }
  void AskLimits(const std::vector<std::string>& names) override { limits.push_back(names); }

  std::vector<std::vector<std::string>> described, limits;
  std::vector<std::string> created;
};

class Topics : public testing::Test {
 protected:
  void Make(TopicTable::Options options = {}, std::vector<config::TopicGroup> groups = {}) {
    config::Producer config;
    config.topic_groups = std::move(groups);
    rules_.emplace(*TopicRules::Make(config));
    table_.emplace(options, &*rules_, &admin_);
  }
  static config::TopicGroup DefaultGroup() {
    config::TopicGroup group;
    group.name = "default";
    group.partitions = 4;
    group.replication_factor = 1;
    return group;
  }

  Acceptance Check(std::string_view name, size_t bytes = 100, std::optional<int32_t> partition = std::nullopt) {
    return table_->Check(*table_->Find(name), bytes, partition, now_);
  }
  void Describe(std::string_view name, rd_kafka_resp_err_t error, int partitions = 0, bool leaders = true,
                bool may_write = true) {
    table_->TakeDescriptions({{.name = std::string(name),
                               .error = error,
                               .partitions = partitions,
                               .has_leaders = leaders,
                               .may_write = may_write}},
                             now_);
  }
  void Found(std::string_view name, int partitions = 4) { Describe(name, RD_KAFKA_RESP_ERR_NO_ERROR, partitions); }
  void Missing(std::string_view name) { Describe(name, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART); }
  // Answers each description so until the topic is given up.
  void MissingForLong(std::string_view name) {
    for (int i = 0; i < 100 && table_->Find(name)->step != Topic::Step::kIdle; ++i) {
      if (table_->Find(name)->asked) Missing(name);
      Pass(milliseconds(100));
    }
  }
  void Limit(std::string_view name, std::optional<size_t> bytes,
             rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR) {
    table_->TakeLimits({{.name = std::string(name), .error = error, .max_message_bytes = bytes}}, now_);
  }
  void Created(std::string_view name, rd_kafka_resp_err_t error, const char* text = "") {
    table_->TakeCreations({{.name = std::string(name), .error = error, .text = text}}, now_);
  }
  void Pass(milliseconds time) {
    now_ += time;
    table_->Tick(now_);
  }
  // A topic that is there, with this limit.
  void Ready(std::string_view name, std::optional<size_t> limit = 1'048'588, int partitions = 4) {
    EXPECT_EQ(Check(name).kind, Kind::kWait);
    Found(name, partitions);
    Limit(name, limit);
    EXPECT_EQ(Check(name).kind, Kind::kAccepted);
  }

  TimePoint now_{seconds(1000)};
  ScriptedAdmin admin_;
  std::optional<TopicRules> rules_;
  std::optional<TopicTable> table_;
};

TEST_F(Topics, AreDescribedOnceAndAskedForTheirLimitAtTheSameTime) {
  Make();
  EXPECT_EQ(Check("orders").kind, Kind::kWait);
  EXPECT_EQ(Check("orders").kind, Kind::kWait);
  EXPECT_THAT(admin_.described, ElementsAre(ElementsAre("orders")));
  EXPECT_THAT(admin_.limits, ElementsAre(ElementsAre("orders")));
  Found("orders");
  EXPECT_EQ(Check("orders").kind, Kind::kWait);  // its limit is not known yet
  Limit("orders", 1'048'588);
  EXPECT_EQ(Check("orders").kind, Kind::kAccepted);
  EXPECT_THAT(table_->TakeToOpen(), ElementsAre(table_->Find("orders")));
  EXPECT_THAT(admin_.described, SizeIs(1));
}

TEST_F(Topics, TheLimitMayComeFirst) {
  Make();
  Check("orders");
  Limit("orders", 1'048'588);
  Found("orders");
  EXPECT_EQ(Check("orders").kind, Kind::kAccepted);
}

TEST_F(Topics, AMissingTopicIsMadeByItsGroup) {
  Make({}, {DefaultGroup()});
  Check("orders");
  Limit("orders", std::nullopt, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  Missing("orders");
  EXPECT_THAT(admin_.created, ElementsAre("orders:default"));
  EXPECT_THAT(admin_.limits, SizeIs(1));  // not asked again before the topic is there
  Created("orders", RD_KAFKA_RESP_ERR_NO_ERROR);
  Missing("orders");  // this broker has not heard of it yet
  EXPECT_EQ(Check("orders").kind, Kind::kWait);
  Pass(milliseconds(100));
  Describe("orders", RD_KAFKA_RESP_ERR_NO_ERROR, 4, false);  // and now it has no leaders
  Pass(milliseconds(100));
  Found("orders");
  EXPECT_THAT(admin_.limits, SizeIs(2));
  Limit("orders", 1'048'588);
  EXPECT_EQ(Check("orders").kind, Kind::kAccepted);
  EXPECT_THAT(admin_.created, SizeIs(1));
}

TEST_F(Topics, SomebodyElseMadeItFirst) {
  Make({}, {DefaultGroup()});
  Check("orders");
  Missing("orders");
  Created("orders", RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS);
  Found("orders");
  Limit("orders", 1'048'588);
  EXPECT_EQ(Check("orders").kind, Kind::kAccepted);
}

TEST_F(Topics, ARefusedCreationIsHeldWithTheBrokersReason) {
  Make({}, {DefaultGroup()});
  Check("orders");
  Missing("orders");
  Created("orders", RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR,
          "replication factor 3 larger than available brokers 1");
  const Acceptance held = Check("orders");
  EXPECT_EQ(held.code, "topic_creation");
  EXPECT_THAT(held.reason, HasSubstr("larger than available brokers"));
  EXPECT_THAT(held.reason, HasSubstr("topic.creation.default"));
}

TEST_F(Topics, WithoutTheRightToMakeItTheBrokerIsLeftToDoIt) {
  Make({}, {DefaultGroup()});
  Check("orders");
  Missing("orders");
  Created("orders", RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  EXPECT_THAT(table_->TakeToOpen(), ElementsAre(table_->Find("orders")));
  EXPECT_EQ(Check("orders").kind, Kind::kWait);
}

TEST_F(Topics, NorMayTheBroker) {
  Make({.broker_creates = false}, {DefaultGroup()});
  Check("orders");
  Missing("orders");
  Created("orders", RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED);
  EXPECT_EQ(Check("orders").code, "topic_authorization");
}

TEST_F(Topics, APassingFaultOfACreationIsTriedAgain) {
  Make({}, {DefaultGroup()});
  Check("orders");
  Missing("orders");
  Created("orders", RD_KAFKA_RESP_ERR__TIMED_OUT);
  EXPECT_EQ(Check("orders").kind, Kind::kWait);
  Pass(seconds(1));
  EXPECT_THAT(admin_.created, SizeIs(2));
}

TEST_F(Topics, ABrokerThatDoesNotMakeItIsFoundOutInSeconds) {
  Make();
  Check("orders");
  Missing("orders");
  EXPECT_THAT(table_->TakeToOpen(), SizeIs(1));
  EXPECT_EQ(Check("orders").kind, Kind::kWait);
  const TimePoint start = now_;
  MissingForLong("orders");
  EXPECT_EQ(Check("orders").code, "unknown_topic");
  EXPECT_LT(now_ - start, seconds(5));
  EXPECT_LT(admin_.described.size(), 20u);
  EXPECT_THAT(table_->TakeToOpen(), IsEmpty());
}

// A broker that has just started may not know a topic for a moment. With errors.tolerance=all a refusal skips the
// record.
TEST_F(Topics, OneLookIsNotEnoughToRefuse) {
  Make({.broker_creates = false});
  Check("orders");
  Missing("orders");
  EXPECT_EQ(Check("orders").kind, Kind::kWait);
  EXPECT_THAT(table_->TakeToOpen(), IsEmpty());  // opening it would ask the broker to make it
  Pass(milliseconds(100));
  Found("orders");
  Limit("orders", 1'048'588);
  EXPECT_EQ(Check("orders").kind, Kind::kAccepted);
}

TEST_F(Topics, ARefusalIsLookedIntoAnewAfterASecondAndHeldMeanwhile) {
  Make({.broker_creates = false});
  Check("orders");
  MissingForLong("orders");
  EXPECT_EQ(Check("orders").code, "unknown_topic");
  const size_t looks = admin_.described.size();
  Pass(seconds(1));
  EXPECT_EQ(Check("orders").kind, Kind::kHeld);
  EXPECT_THAT(admin_.described, SizeIs(looks + 1));
  Found("orders");
  Limit("orders", 1'048'588);
  EXPECT_EQ(Check("orders").kind, Kind::kAccepted);
}

TEST_F(Topics, TheRightToWriteIsSeenBeforeARecordIsSent) {
  Make();
  Check("orders");
  Describe("orders", RD_KAFKA_RESP_ERR_NO_ERROR, 4, true, /*may_write=*/false);
  EXPECT_EQ(Check("orders").code, "topic_authorization");
  Check("secret");
  Describe("secret", RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  EXPECT_EQ(Check("secret").code, "topic_authorization");
}

TEST_F(Topics, AnIllegalNameIsNeverAskedFor) {
  Make();
  for (const std::string& name : {std::string(), std::string("."), std::string(".."), std::string("a b"),
                                  std::string("\xc3\xa9"), std::string(250, 'x'), std::string("a\0b", 3)}) {
    EXPECT_EQ(Check(name).code, "invalid_topic");
  }
  EXPECT_EQ(Check(std::string(249, 'x')).kind, Kind::kWait);
  EXPECT_THAT(admin_.described, SizeIs(1));
}

TEST_F(Topics, APartitionOutOfRangeIsHeldUntilThereAreMore) {
  Make();
  Ready("orders", 1'048'588, 2);
  EXPECT_EQ(Check("orders", 100, 1).kind, Kind::kAccepted);
  EXPECT_EQ(Check("orders", 100, 2).code, "unknown_partition");
  EXPECT_THAT(admin_.described, SizeIs(1));  // looked at a moment ago
  Pass(seconds(1));
  EXPECT_EQ(Check("orders", 100, 2).code, "unknown_partition");
  EXPECT_EQ(Check("orders").kind, Kind::kAccepted);  // others go on meanwhile
  Found("orders", 3);
  Limit("orders", 1'048'588);
  EXPECT_EQ(Check("orders", 100, 2).kind, Kind::kAccepted);
  EXPECT_EQ(Check("orders", 100, -1).code, "unknown_partition");
}

TEST_F(Topics, ARecordAboveTheTopicsLimitIsHeldUntilTheLimitIsRaised) {
  Make();
  Ready("orders", 1000);
  EXPECT_EQ(Check("orders", 1000).kind, Kind::kAccepted);
  const Acceptance held = Check("orders", 1001);
  EXPECT_EQ(held.code, "record_too_large");
  EXPECT_THAT(held.reason, HasSubstr("1001"));
  EXPECT_THAT(held.reason, HasSubstr("allows 1000"));
  Pass(seconds(1));
  Check("orders", 1001);
  EXPECT_THAT(admin_.limits, SizeIs(2));
  EXPECT_THAT(admin_.described, SizeIs(1));
  Limit("orders", 2000);
  EXPECT_EQ(Check("orders", 1001).kind, Kind::kAccepted);
}

TEST_F(Topics, WithCompressionOnlyTheBrokerKnowsWhatIsTooLarge) {
  Make({.compressed = true});
  Ready("orders", 1000);
  EXPECT_EQ(Check("orders", 5000).kind, Kind::kAccepted);
  EXPECT_EQ(Check("orders", 2'000'000).code, "record_too_large");  // max.request.size counts uncompressed
}

TEST_F(Topics, ALimitThatMayNotBeReadIsUnknown) {
  Make();
  Check("orders");
  Found("orders");
  Limit("orders", std::nullopt, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  EXPECT_EQ(Check("orders", 1'000'000).kind, Kind::kAccepted);
  EXPECT_FALSE(table_->IsTight(*table_->Find("orders")));
}

TEST_F(Topics, ATopicThatTakesLessThanABatchTakesOneBatchAtATime) {
  Make();
  Ready("orders", 1000);
  Topic& topic = *table_->Find("orders");
  ASSERT_TRUE(table_->IsTight(topic));
  topic.inflight_bytes = 900;
  EXPECT_EQ(Check("orders", 100).kind, Kind::kAccepted);
  EXPECT_EQ(Check("orders", 101).kind, Kind::kWait);
  topic.inflight_bytes = 0;
  EXPECT_EQ(Check("orders", 1000).kind, Kind::kAccepted);
}

TEST_F(Topics, AnOutageOnlyMakesThemWait) {
  Make();
  Check("orders");
  for (int i = 0; i < 20; ++i) {
    Describe("orders", RD_KAFKA_RESP_ERR__TIMED_OUT);
    Limit("orders", std::nullopt, RD_KAFKA_RESP_ERR__TIMED_OUT);
    Pass(seconds(10));
    EXPECT_EQ(Check("orders").kind, Kind::kWait);
  }
  Found("orders");
  EXPECT_EQ(Check("orders").kind, Kind::kAccepted);  // the limit was given up after three attempts
}

TEST_F(Topics, ATopicThatVanishedIsLookedForAgainAndNotInATightCircle) {
  Make({.broker_creates = false});
  Ready("orders");
  table_->Distrust(*table_->Find("orders"), now_);
  EXPECT_EQ(Check("orders").kind, Kind::kWait);
  EXPECT_THAT(admin_.described, SizeIs(1));
  Pass(seconds(1));
  EXPECT_THAT(admin_.described, SizeIs(2));
  MissingForLong("orders");
  EXPECT_EQ(Check("orders").code, "unknown_topic");
}

TEST_F(Topics, ManyAreLookedUpAtOnceInBoundedRequests) {
  Make();
  for (int i = 0; i < 500; ++i) Check("topic-" + std::to_string(i));
  EXPECT_THAT(admin_.described, SizeIs(4));
  size_t answered = 0;
  while (answered < admin_.described.size()) {
    std::vector<TopicDescription> descriptions;
    descriptions.reserve(64);
    std::vector<TopicLimit> limits;
    limits.reserve(64);
    const std::vector<std::string> names = admin_.described[answered];
    EXPECT_LE(names.size(), 64u);
    for (const std::string& name : names) descriptions.push_back({.name = name, .partitions = 1});
    for (const std::string& name : admin_.limits[answered])
      limits.push_back({.name = name, .max_message_bytes = 1'048'588});
    table_->TakeDescriptions(descriptions, now_);
    table_->TakeLimits(limits, now_);
    ++answered;
  }
  for (int i = 0; i < 500; ++i) EXPECT_EQ(Check("topic-" + std::to_string(i)).kind, Kind::kAccepted) << i;
  EXPECT_LE(admin_.described.size(), 15u);
}

}  // namespace
}  // namespace postrider::kafka
