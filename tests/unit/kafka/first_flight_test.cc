#include "kafka/first_flight.h"

#include <gtest/gtest.h>

namespace postrider::kafka {
namespace {

const FirstFlight::TimePoint kStart{std::chrono::hours(100)};

TEST(FirstFlight, TheFirstRecordToAPartitionFliesAlone) {
  FirstFlight flights;
  EXPECT_TRUE(flights.MayProduce(3, kStart));
  flights.Produced(3, kStart);
  EXPECT_FALSE(flights.MayProduce(3, kStart));
  EXPECT_TRUE(flights.MayProduce(0, kStart));  // each partition for itself
  EXPECT_TRUE(flights.MayProduce(7, kStart));
  flights.Acknowledged(3, kStart);
  EXPECT_TRUE(flights.MayProduce(3, kStart));
  flights.Produced(3, kStart);
  EXPECT_TRUE(flights.MayProduce(3, kStart));
}

TEST(FirstFlight, NothingWaitsWhereNothingIsInFlight) {
  FirstFlight flights;
  flights.Produced(0, kStart);
  flights.Acknowledged(5, kStart);  // librdkafka knew of more partitions
  EXPECT_TRUE(flights.MayProduce(0, kStart));
  flights.Produced(0, kStart);
  EXPECT_FALSE(flights.MayProduce(0, kStart));
  flights.Failed();
  EXPECT_TRUE(flights.MayProduce(0, kStart));
}

TEST(FirstFlight, APartitionThatRestedIsNewAgain) {
  FirstFlight flights;
  flights.Produced(0, kStart);
  flights.Acknowledged(0, kStart);
  flights.Produced(1, kStart);
  const FirstFlight::TimePoint later = kStart + std::chrono::hours(2);
  EXPECT_TRUE(flights.MayProduce(0, later));
  flights.Produced(0, later);
  EXPECT_FALSE(flights.MayProduce(0, later));
  flights.Acknowledged(0, later);
  EXPECT_TRUE(flights.MayProduce(0, later));
}

TEST(FirstFlight, APartitionInUseStaysOpen) {
  FirstFlight flights;
  FirstFlight::TimePoint now = kStart;
  flights.Produced(0, now);
  flights.Acknowledged(0, now);
  for (int i = 0; i < 5; ++i) {
    now += std::chrono::minutes(50);
    flights.Produced(0, now);
    EXPECT_TRUE(flights.MayProduce(0, now));
  }
}

}  // namespace
}  // namespace postrider::kafka
