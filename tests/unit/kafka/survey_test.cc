#include "kafka/survey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "base/fault.h"
#include "mock_cluster.h"

namespace postrider::kafka {
namespace {

using testing::HasSubstr;

class ClusterSurveyTest : public testing::Test {
 protected:
  ClusterFacts Read(const std::vector<std::string>& topics = {}) {
    config::Producer config;
    config.properties.emplace_back("bootstrap.servers", config::Secret::Plain(cluster_.brokers()));
    return ReadCluster(config, topics, &stop_);
  }

  MockCluster cluster_{2};
  Wakeup stop_;
};

TEST_F(ClusterSurveyTest, AClusterThatIsAwayIsKnownWithinSeconds) {
  cluster_.SetDown();
  const auto begun = std::chrono::steady_clock::now();
  const ClusterFacts facts = Read({"orders"});
  EXPECT_EQ(FaultOf(facts.reached), Fault::kPassing);
  EXPECT_THAT(std::string(facts.reached.message()), HasSubstr("no Kafka broker can be reached"));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(9));
}

TEST_F(ClusterSurveyTest, APropertyThatLibrdkafkaRefusesIsAFaultOfTheConfiguration) {
  config::Producer config;
  config.properties.emplace_back("no.such.property", config::Secret::Plain("x"));
  EXPECT_EQ(FaultOf(ReadCluster(config, {}, &stop_).reached), Fault::kConfiguration);
}

TEST_F(ClusterSurveyTest, AStopEndsTheWait) {
  cluster_.SetDown();
  stop_.Ring();
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_FALSE(Read().reached.ok());
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(2));
}

}  // namespace
}  // namespace postrider::kafka
