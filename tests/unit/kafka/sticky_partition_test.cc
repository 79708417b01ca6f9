#include "kafka/sticky_partition.h"

#include <gtest/gtest.h>

#include <set>

namespace postrider::kafka {
namespace {

TEST(StickyPartition, StaysForABatchThenMovesOn) {
  StickyPartition sticky(1);
  const int32_t first = sticky.Next(4, 10'000);
  EXPECT_EQ(sticky.Next(4, 10'000), first);
  EXPECT_NE(sticky.Next(4, 10'000), first);
}

TEST(StickyPartition, VisitsAllAndNoOther) {
  StickyPartition sticky(7);
  std::set<int32_t> seen;
  for (int i = 0; i < 200; ++i) seen.insert(sticky.Next(5, 20'000));
  EXPECT_EQ(seen, (std::set<int32_t>{0, 1, 2, 3, 4}));
}

TEST(StickyPartition, OnePartitionIsEnough) {
  StickyPartition sticky(3);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(sticky.Next(1, 20'000), 0);
}

TEST(StickyPartition, LeavesAPartitionThatIsGone) {
  StickyPartition sticky(5);
  int32_t last = 0;
  while (last == 0) last = sticky.Next(8, 20'000);
  EXPECT_EQ(sticky.Next(1, 1), 0);
}

}  // namespace
}  // namespace postrider::kafka
