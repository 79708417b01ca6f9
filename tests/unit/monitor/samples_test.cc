#include "monitor/samples.h"

#include <gtest/gtest.h>

namespace postrider::monitor {
namespace {

constexpr int64_t kSecond = Samples::kSecond;

Sample At(int64_t second, uint64_t lsn) {
  return {.us = second * kSecond, .current_lsn = Lsn(lsn)};
}

TEST(Samples, FindTheNewestAtOrBelowAPosition) {
  Samples samples;
  for (int64_t second = 1; second <= 10; ++second) samples.Add(At(second, 100 * second));
  EXPECT_EQ(samples.NewestAtOrBelow(Lsn(500))->us, 5 * kSecond);
  EXPECT_EQ(samples.NewestAtOrBelow(Lsn(599))->us, 5 * kSecond);
  EXPECT_EQ(samples.NewestAtOrBelow(Lsn(5000))->us, 10 * kSecond);
  EXPECT_FALSE(samples.NewestAtOrBelow(Lsn(99)).has_value());
}

TEST(Samples, OfEqualPositionsTheNewestCounts) {
  Samples samples;
  for (int64_t second = 1; second <= 10; ++second) samples.Add(At(second, 100));
  EXPECT_EQ(samples.NewestAtOrBelow(Lsn(100))->us, 10 * kSecond);
}

TEST(Samples, TheNewestAndTheOneBeforeItCountAsUpToDate) {
  Samples samples;
  EXPECT_FALSE(samples.IsUpToDate(Lsn(1)));
  for (int64_t second = 1; second <= 3; ++second) samples.Add(At(second, 100 * second));
  EXPECT_TRUE(samples.IsUpToDate(Lsn(300)));
  EXPECT_TRUE(samples.IsUpToDate(Lsn(200)));
  EXPECT_FALSE(samples.IsUpToDate(Lsn(199)));
}

TEST(Samples, KeepASecondForAnHourAndThenAMinute) {
  Samples samples;
  constexpr int64_t kHours = 5;
  for (int64_t second = 0; second <= kHours * 3600; ++second) samples.Add(At(second, 1000 + second));
  const int64_t now = kHours * 3600;
  EXPECT_EQ(samples.NewestAtOrBelow(Lsn(1000 + now - 1800))->us, (now - 1800) * kSecond) << "the last hour is exact";
  const int64_t old = samples.NewestAtOrBelow(Lsn(1000 + 3630))->us / kSecond;
  EXPECT_LE(old, 3630);
  EXPECT_GT(old, 3630 - 60) << "and what is older to a minute";
  EXPECT_EQ(samples.oldest().us, 0);
}

TEST(Samples, TheListIsBounded) {
  Samples samples;
  constexpr int64_t kDays = 32;
  for (int64_t minute = 0; minute <= kDays * 24 * 60; ++minute) samples.Add(At(minute * 60, 1 + minute));
  EXPECT_GE(samples.oldest().us, (kDays - 31) * 86'400 * kSecond);
}

TEST(Samples, ALogThatWentBackBeginsANewList) {
  Samples samples;
  samples.Add(At(1, 1000));
  samples.Add(At(2, 500));
  EXPECT_EQ(samples.oldest().us, 2 * kSecond);
}

TEST(Samples, MoreThanOneASecondAreLeftOut) {
  Samples samples;
  samples.Add(At(1, 100));
  samples.Add({.us = kSecond + 1000, .current_lsn = Lsn(200)});
  EXPECT_EQ(samples.newest().current_lsn, Lsn(100));
}

TEST(Samples, BeforeGivesTheOldestWhereTheListIsShorter) {
  Samples samples;
  for (int64_t second = 10; second <= 20; ++second) samples.Add(At(second, second));
  EXPECT_EQ(samples.Before(15 * kSecond).us, 15 * kSecond);
  EXPECT_EQ(samples.Before(5 * kSecond).us, 10 * kSecond);
}

}  // namespace
}  // namespace postrider::monitor
