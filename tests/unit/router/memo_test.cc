#include "router/memo.h"

#include <gtest/gtest.h>

namespace postrider::router {
namespace {

TEST(Memo, ComputesOnce) {
  Memo<size_t> memo;
  int computed = 0;
  const auto size = [&computed](std::string_view text) {
    ++computed;
    return text.size();
  };
  EXPECT_EQ(memo.Get("abc", size), 3u);
  EXPECT_EQ(memo.Get("abc", size), 3u);
  EXPECT_EQ(computed, 1);
  EXPECT_EQ(memo.Get("", size), 0u);
  EXPECT_EQ(computed, 2);
}

TEST(Memo, ForgetsBeyondItsLimitAndStaysRight) {
  Memo<std::string> memo;
  int computed = 0;
  const auto same = [&computed](std::string_view text) {
    ++computed;
    return std::string(text);
  };
  for (size_t i = 0; i < Memo<std::string>::kKeptMax + 1; ++i) {
    const std::string text = std::to_string(i);
    ASSERT_EQ(memo.Get(text, same), text);
  }
  computed = 0;
  EXPECT_EQ(memo.Get("0", same), "0");
  EXPECT_EQ(computed, 1);
}

}  // namespace
}  // namespace postrider::router
