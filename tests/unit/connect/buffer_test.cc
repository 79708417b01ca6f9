#include "connect/buffer.h"

#include <gtest/gtest.h>

#include <string>

namespace postrider::connect {
namespace {

TEST(Buffer, GrowsAndKeepsWhatWasWritten) {
  Buffer buffer;
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    buffer.append(std::to_string(i)).push_back(',');
    expected.append(std::to_string(i)).push_back(',');
  }
  buffer.append(70, '-');
  EXPECT_EQ(buffer.view(), expected + std::string(70, '-'));
}

TEST(Buffer, TakesWhatWasWrittenIntoItsRoom) {
  Buffer buffer;
  buffer.append("ab");
  char* const room = buffer.Reserve(100);
  room[0] = 'c';
  buffer.Commit(room + 1);
  EXPECT_EQ(buffer.view(), "abc");
  buffer.pop_back();
  EXPECT_EQ(buffer.back(), 'b');
  buffer.Truncate(1);
  EXPECT_EQ(buffer.view(), "a");
}

TEST(Buffer, RestartsEmptyAfterLittleAndAfterMuch) {
  Buffer buffer;
  buffer.append("x");
  buffer.Restart();
  EXPECT_TRUE(buffer.empty());
  buffer.append(Buffer::kKeptBytes + 1, 'x');
  buffer.Restart();
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.append("y").view(), "y");
}

}  // namespace
}  // namespace postrider::connect
