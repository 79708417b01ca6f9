#include "kafka/topic_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "evidence/store.h"
#include "kafka/record_log.h"
#include "mock_cluster.h"

namespace postrider::kafka {
namespace {

evidence::Record At(uint64_t lsn) {
  return {.system_identifier = "1", .timeline = 1, .slot = "orders", .lsn = Lsn(lsn), .time_ms = 1000};
}

class TopicPlaceTest : public testing::Test {
 protected:
  TopicPlaceTest() {
    cluster_.CreateTopic("evidence", 1);
    config_.properties.emplace_back("bootstrap.servers", config::Secret::Plain(cluster_.brokers()));
  }
  // A host of its own.
  std::unique_ptr<evidence::Place> Place() const {
    return MakeTopicPlace(config_, "evidence", "orders", std::chrono::milliseconds(2000));
  }
  evidence::Record Kept() const {
    const auto record = Place()->Read(never_);
    EXPECT_TRUE(record.ok() && record->has_value()) << record.status();
    return record.ok() && record->has_value() ? **record : evidence::Record();
  }
  void Write(evidence::Store& store, uint64_t lsn, bool anew = false) {
    store.Write(At(lsn), anew);
    for (int wait = 0; store.covered() != Lsn(lsn) && wait < 1000; ++wait)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(store.covered(), Lsn(lsn));
  }

  MockCluster cluster_;
  config::Producer config_;
  const Wakeup never_;
};

TEST_F(TopicPlaceTest, WhatOneHostWritesAnotherReads) {
  const auto place = Place();
  ASSERT_EQ(place->Open(), absl::OkStatus());
  const auto nothing = place->Read(never_);
  ASSERT_TRUE(nothing.ok()) << nothing.status();
  EXPECT_FALSE(nothing->has_value());
  EXPECT_EQ(place->Write(At(100), never_), absl::OkStatus());
  EXPECT_EQ(place->Write(At(200), never_), absl::OkStatus());
  EXPECT_EQ(Kept(), At(200));
  EXPECT_EQ(place->name(), "the topic evidence");
}

TEST_F(TopicPlaceTest, AHostThatWasFrozenDoesNotSetTheRecordBack) {
  const Wakeup bell;
  auto frozen = evidence::OpenStore(Place(), &bell), successor = evidence::OpenStore(Place(), &bell);
  ASSERT_TRUE(frozen.ok() && successor.ok());
  Write(**frozen, 100, true);
  Write(**successor, 100, true);
  Write(**successor, 500);
  Write(**frozen, 200);
  EXPECT_EQ(Kept(), At(500));
}

TEST_F(TopicPlaceTest, DamageIsToldApartFromNothing) {
  RecordLog log(config_, "evidence", "orders");
  ASSERT_EQ(log.Append("{\"format\":1",
                       {.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10), .stop = &never_}),
            absl::OkStatus());
  EXPECT_TRUE(absl::IsInvalidArgument(Place()->Read(never_).status()));
}

TEST_F(TopicPlaceTest, ABrokerThatIsAwayPasses) {
  cluster_.SetDown();
  const absl::Status status = Place()->Read(never_).status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("evidence"));
}

TEST_F(TopicPlaceTest, AHandbackIsMarked) {
  EXPECT_FALSE(*evidence::MarkHandedBack(*Place()));
  ASSERT_EQ(Place()->Write(At(200), never_), absl::OkStatus());
  const auto marked = evidence::MarkHandedBack(*Place());
  ASSERT_TRUE(marked.ok()) << marked.status();
  EXPECT_TRUE(*marked);
  EXPECT_TRUE(Kept().handed_back);
}

}  // namespace
}  // namespace postrider::kafka
