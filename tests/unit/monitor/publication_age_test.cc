#include "monitor/publication_age.h"

#include <gtest/gtest.h>

namespace postrider::monitor {
namespace {

constexpr int64_t kSecond = Samples::kSecond;

// A server that writes 100 bytes a second, sampled from second 1 to `until`.
Samples Busy(int64_t until) {
  Samples samples;
  for (int64_t second = 1; second <= until; ++second)
    samples.Add({.us = second * kSecond, .current_lsn = Lsn(100 * static_cast<uint64_t>(second))});
  return samples;
}

TEST(PublicationAge, NothingKnownIsAbsentAndNotZero) {
  EXPECT_FALSE(AgeOfPublication(Samples(), {}, kSecond).age_us.has_value());
  EXPECT_FALSE(AgeOfPublication(Samples(), {.acknowledged_lsn = Lsn(7)}, kSecond).age_us.has_value());
  EXPECT_FALSE(AgeOfPublication(Busy(1), {}, kSecond).age_us.has_value());
  EXPECT_FALSE(AgeOfPublication(Busy(1), {.acknowledged_lsn = Lsn(50)}, kSecond).published_until_us.has_value());
}

TEST(PublicationAge, IsZeroWhileThePositionKeepsUpWithTheNewestSampleOrTheOneBefore) {
  const Samples samples = Busy(60);
  EXPECT_EQ(AgeOfPublication(samples, {.acknowledged_lsn = Lsn(6000)}, 60 * kSecond).age_us, 0);
  EXPECT_EQ(AgeOfPublication(samples, {.acknowledged_lsn = Lsn(5900)}, 60 * kSecond).age_us, 0);
  EXPECT_EQ(AgeOfPublication(samples, {.acknowledged_lsn = Lsn(5899)}, 60 * kSecond).age_us, 2 * kSecond);
}

TEST(PublicationAge, GrowsByASecondASecondWhileNothingIsAcknowledged) {
  for (int64_t now = 40; now <= 60; ++now)
    EXPECT_EQ(AgeOfPublication(Busy(now), {.acknowledged_lsn = Lsn(3050)}, now * kSecond).age_us, (now - 30) * kSecond);
}

TEST(PublicationAge, GrowsWhileTheServerDoesNotAnswerForNobodyKnowsWhatWasCommittedSince) {
  const Samples samples = Busy(60);
  EXPECT_EQ(AgeOfPublication(samples, {.acknowledged_lsn = Lsn(6000)}, 62 * kSecond).age_us, 0);
  EXPECT_EQ(AgeOfPublication(samples, {.acknowledged_lsn = Lsn(6000)}, 90 * kSecond).age_us, 30 * kSecond);
  EXPECT_EQ(AgeOfPublication(samples, {.acknowledged_lsn = Lsn(6000)}, 90 * kSecond).published_until_us, 60 * kSecond);
}

TEST(PublicationAge, APositionOlderThanEverySampleIsAtLeastAsOldAsTheFirst) {
  const PublicationAge age = AgeOfPublication(Busy(60), {.acknowledged_lsn = Lsn(50)}, 60 * kSecond);
  EXPECT_EQ(age.age_us, 59 * kSecond);
  EXPECT_FALSE(age.published_until_us.has_value());
}

TEST(PublicationAge, IsNeverBelowThatOfATransactionThatIsNotAcknowledged) {
  const Samples samples = Busy(60);
  EXPECT_EQ(
      AgeOfPublication(samples, {.acknowledged_lsn = Lsn(6000), .unacknowledged_us = 7 * kSecond}, 60 * kSecond).age_us,
      7 * kSecond);
  EXPECT_EQ(
      AgeOfPublication(samples, {.acknowledged_lsn = Lsn(3000), .unacknowledged_us = 7 * kSecond}, 60 * kSecond).age_us,
      30 * kSecond);
  EXPECT_EQ(AgeOfPublication(Samples(), {.unacknowledged_us = kSecond}, 0).age_us, kSecond);
}

TEST(PublicationAge, AnIdleServerIsUpToDate) {
  Samples samples;
  for (int64_t second = 1; second <= 600; ++second) samples.Add({.us = second * kSecond, .current_lsn = Lsn(100)});
  EXPECT_EQ(AgeOfPublication(samples, {.acknowledged_lsn = Lsn(100)}, 600 * kSecond).age_us, 0);
}

}  // namespace
}  // namespace postrider::monitor
