#include "postgres/timeline.h"

#include <gtest/gtest.h>

namespace postrider::postgres {
namespace {

constexpr char kHistory[] =
    "1\t0/16B3748\tno recovery target specified\n"
    "\n"
    "# a note\n"
    "3\t0/2000000\tbefore 2026-01-31 12:00:00+00\n"
    "4\t16/B374D848\tno recovery target specified\n";

TEST(EndOfTimeline, IsThePositionOfItsLine) {
  EXPECT_EQ(EndOfTimeline(kHistory, 1), Lsn(0x16B3748));
  EXPECT_EQ(EndOfTimeline(kHistory, 3), Lsn(0x2000000));
  EXPECT_EQ(EndOfTimeline(kHistory, 4), Lsn(0x16B374D848));
}

TEST(EndOfTimeline, OfATimelineThatIsNoAncestorIsThatOfTheLastAncestorBeforeIt) {
  EXPECT_EQ(EndOfTimeline(kHistory, 2), Lsn(0x16B3748));
}

TEST(EndOfTimeline, IsZeroWhereNothingTells) {
  EXPECT_FALSE(EndOfTimeline("", 1).valid());
  EXPECT_FALSE(EndOfTimeline("2\t0/100\tx\n", 1).valid());
  EXPECT_FALSE(EndOfTimeline("1\n1 nonsense\n", 1).valid());
}

}  // namespace
}  // namespace postrider::postgres
