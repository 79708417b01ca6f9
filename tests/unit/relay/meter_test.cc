#include "relay/meter.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace postrider::relay {
namespace {

uint64_t Events(const Meter& meter, size_t series, Fate fate) {
  return meter.at(series).events[static_cast<size_t>(fate)].load();
}

TEST(Meter, CountsEachTableAndTopicByItself) {
  Meter meter;
  const uint32_t orders = meter.Find("public.outbox", "orders");
  const uint32_t none = meter.Find("public.outbox", "");
  EXPECT_NE(orders, none);
  EXPECT_EQ(meter.Find("public.outbox", "orders"), orders);
  meter.Count(orders, Fate::kRead, 100);
  meter.Count(orders, Fate::kRead, 20);
  meter.Count(none, Fate::kIgnored, 0);
  EXPECT_EQ(meter.size(), 2u);
  EXPECT_EQ(meter.at(orders).topic, "orders");
  EXPECT_EQ(Events(meter, orders, Fate::kRead), 2u);
  EXPECT_EQ(meter.at(orders).bytes[static_cast<size_t>(Fate::kRead)].load(), 120u);
  EXPECT_EQ(Events(meter, orders, Fate::kIgnored), 0u);
  EXPECT_EQ(Events(meter, none, Fate::kIgnored), 1u);
}

TEST(Meter, NamesThatJoinToTheSameTextAreTold) {
  Meter meter;
  EXPECT_NE(meter.Find("ab", "c"), meter.Find("a", "bc"));
}

TEST(Meter, WhatComesAfterTheLastPlaceIsOther) {
  Meter meter;
  for (size_t i = 0; i < Meter::kSeriesMax; ++i) EXPECT_EQ(meter.Find("t", std::to_string(i)), i);
  const uint32_t other = meter.Find("t", "one more");
  EXPECT_EQ(meter.Find("t", "and another"), other);
  EXPECT_EQ(meter.size(), Meter::kSeriesMax + 1);
  EXPECT_EQ(meter.at(other).table, "other");
  EXPECT_EQ(meter.at(other).topic, "other");
  EXPECT_EQ(meter.Find("t", "7"), 7u) << "those with a place keep it";
}

TEST(Durations, FallIntoTheBucketWhoseBoundTheyDoNotPass) {
  Durations durations;
  durations.Add(0);
  durations.Add(1'000);
  durations.Add(1'001);
  durations.Add(700'000'000);
  const auto counts = durations.counts();
  EXPECT_EQ(counts.front(), 2u);
  EXPECT_EQ(counts[1], 1u);
  EXPECT_EQ(counts.back(), 1u);
  EXPECT_EQ(durations.sum_us(), 700'002'001u);
}

TEST(Durations, HaveABoundAtTheTwoMinutesOfTheErrorBudget) {
  EXPECT_NE(std::find(Durations::kBoundsUs.begin(), Durations::kBoundsUs.end(), 120'000'000),
            Durations::kBoundsUs.end());
}

TEST(Durations, ClocksThatDifferGiveNoNegativeOnes) {
  Durations durations;
  durations.Add(-5'000'000);
  EXPECT_EQ(durations.counts().front(), 1u);
  EXPECT_EQ(durations.sum_us(), 0u);
}

}  // namespace
}  // namespace postrider::relay
