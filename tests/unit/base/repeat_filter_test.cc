#include "base/repeat_filter.h"

#include <gtest/gtest.h>

#include <string>

namespace postrider {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(RepeatFilter, LetsOneLineThroughInThirtySecondsAndCountsTheRest) {
  RepeatFilter filter;
  const RepeatFilter::Time start{};
  EXPECT_EQ(filter.Admit("a", start), 0u);
  EXPECT_EQ(filter.Admit("a", start + seconds(1)), std::nullopt);
  EXPECT_EQ(filter.Admit("a", start + milliseconds(29'999)), std::nullopt);
  EXPECT_EQ(filter.Admit("a", start + seconds(30)), 2u);
  EXPECT_EQ(filter.Admit("a", start + seconds(59)), std::nullopt) << "the next window begins with the line written";
  EXPECT_EQ(filter.Admit("a", start + seconds(60)), 1u);
  EXPECT_EQ(filter.Admit("a", start + seconds(3600)), 0u);
}

TEST(RepeatFilter, KeepsKindsApart) {
  RepeatFilter filter;
  const RepeatFilter::Time start{};
  EXPECT_EQ(filter.Admit("a", start), 0u);
  EXPECT_EQ(filter.Admit("b", start), 0u);
  EXPECT_EQ(filter.Admit("a", start), std::nullopt);
  EXPECT_EQ(filter.Admit("a", start + seconds(30)), 1u);
  EXPECT_EQ(filter.Admit("b", start + seconds(30)), 0u);
}

TEST(RepeatFilter, ForgetsTheOldestKindWhenFull) {
  RepeatFilter filter;
  RepeatFilter::Time now{};
  for (size_t i = 0; i < RepeatFilter::kKindsMax; ++i) {
    EXPECT_EQ(filter.Admit(std::to_string(i), now), 0u);
    now += milliseconds(1);
  }
  EXPECT_EQ(filter.Admit("one more", now), 0u);
  EXPECT_EQ(filter.Admit("1", now), std::nullopt) << "all but the oldest are remembered";
  EXPECT_EQ(filter.Admit("0", now), 0u) << "the oldest was forgotten";
}

}  // namespace
}  // namespace postrider
