#include "kafka/record_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/fault.h"
#include "mock_cluster.h"

namespace postrider::kafka {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class RecordLogTest : public testing::Test {
 protected:
  static constexpr char kTopic[] = "evidence";
  static constexpr int16_t kFetch = 1, kListOffsets = 2, kMetadata = 3;

  RecordLogTest() { cluster_.CreateTopic(kTopic, 1); }

  config::Producer Config() const {
    config::Producer config;
    config.properties.emplace_back("bootstrap.servers", config::Secret::Plain(cluster_.brokers()));
    return config;
  }
  RecordLog Open(const char* key = "orders") { return RecordLog(Config(), kTopic, key); }
  Patience For(milliseconds time = std::chrono::seconds(10)) {
    return {.deadline = steady_clock::now() + time, .stop = &stop_};
  }

  static std::string Text(const absl::StatusOr<std::optional<std::string>>& value) {
    if (!value.ok()) return value.status().ToString();
    return value->value_or("(nothing)");
  }

  MockCluster cluster_;
  const Wakeup stop_;
};

TEST_F(RecordLogTest, AnEmptyTopicHoldsNothing) {
  EXPECT_EQ(Text(Open().Newest(For())), "(nothing)");
}

TEST_F(RecordLogTest, TheNewestValueOfTheKeyIsFoundByAnother) {
  RecordLog orders = Open(), payments = Open("payments");
  ASSERT_EQ(orders.Append("1", For()), absl::OkStatus());
  ASSERT_EQ(orders.Append("2", For()), absl::OkStatus());
  ASSERT_EQ(payments.Append("9", For()), absl::OkStatus());
  EXPECT_EQ(Text(Open().Newest(For())), "2");
  EXPECT_EQ(Text(Open("payments").Newest(For())), "9");
  EXPECT_EQ(Text(Open("returns").Newest(For())), "(nothing)");
}

TEST_F(RecordLogTest, WhatAnotherHasWrittenSinceIsReadWithTheNextQuestion) {
  RecordLog one = Open(), other = Open();
  EXPECT_EQ(Text(one.Newest(For())), "(nothing)");
  for (const char* value : {"1", "2", "3"}) {
    ASSERT_EQ(other.Append(value, For()), absl::OkStatus());
    EXPECT_EQ(Text(one.Newest(For())), value);
    EXPECT_EQ(Text(one.Newest(For())), value);
  }
}

TEST_F(RecordLogTest, ManyRecordsAreReadToTheEnd) {
  RecordLog log = Open();
  for (int number = 0; number < 500; ++number) ASSERT_EQ(log.Append(std::to_string(number), For()), absl::OkStatus());
  EXPECT_EQ(Text(Open().Newest(For())), "499");
}

TEST_F(RecordLogTest, ABrokerThatIsAwayPasses) {
  RecordLog log = Open();
  ASSERT_EQ(log.Append("1", For()), absl::OkStatus());
  cluster_.SetDown();
  const auto begun = steady_clock::now();
  EXPECT_TRUE(absl::IsUnavailable(log.Newest(For(milliseconds(500))).status()));
  const absl::Status status = log.Append("2", For(milliseconds(500)));
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr(kTopic));
  EXPECT_LT(steady_clock::now() - begun, std::chrono::seconds(5));
  EXPECT_TRUE(absl::IsUnavailable(Open().Newest(For(milliseconds(500))).status()));
  cluster_.SetUp();
  ASSERT_EQ(log.Append("2", For(std::chrono::seconds(30))), absl::OkStatus());
  ASSERT_EQ(log.Append("3", For()), absl::OkStatus());
  EXPECT_EQ(Text(Open().Newest(For())), "3");
}

TEST_F(RecordLogTest, TheBellEndsWhatWaits) {
  cluster_.SetDown();
  RecordLog log = Open();
  std::thread ringer([this] {
    std::this_thread::sleep_for(milliseconds(300));
    stop_.Ring();
  });
  const auto begun = steady_clock::now();
  EXPECT_TRUE(absl::IsUnavailable(log.Newest(For(std::chrono::seconds(60))).status()));
  EXPECT_LT(steady_clock::now() - begun, std::chrono::seconds(3));
  ringer.join();
}

TEST_F(RecordLogTest, ARightThatIsMissingIsNotWaitedFor) {
  RecordLog log = Open();
  EXPECT_EQ(Text(log.Newest(For())), "(nothing)");
  cluster_.Answer(MockCluster::kProduce, {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED});
  const absl::Status status = log.Append("1", For());
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("WRITE"));
  EXPECT_EQ(log.Append("2", For()), absl::OkStatus()) << "with a new producer";
  EXPECT_EQ(Text(log.Newest(For())), "2");
}

TEST_F(RecordLogTest, APropertyThatIsRefusedIsAFaultOfTheConfiguration) {
  config::Producer config = Config();
  config.properties.emplace_back("acks", config::Secret::Plain("many"));
  EXPECT_EQ(FaultOf(RecordLog(config, kTopic, "orders").Open()), Fault::kConfiguration);
}

}  // namespace
}  // namespace postrider::kafka
