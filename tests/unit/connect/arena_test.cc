#include "connect/arena.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace postrider::connect {
namespace {

TEST(Arena, KeepsWhatItHandedOutUntilReset) {
  Arena arena;
  std::string expected;
  std::vector<std::string_view> copies;
  for (int i = 0; i < 5000; ++i) copies.push_back(arena.Copy("text " + std::to_string(i)));
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(copies[static_cast<size_t>(i)], "text " + std::to_string(i));
}

TEST(Arena, AlignsAndInitialises) {
  Arena arena;
  arena.NewBytes(3);
  struct Number {
    int64_t value = 7;
  };
  const std::span<Number> numbers = arena.NewSpan<Number>(3);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(numbers.data()) % alignof(Number), 0u);
  EXPECT_EQ(numbers[2].value, 7);
}

TEST(Arena, ReusesItsMemoryAfterReset) {
  Arena arena;
  const char* const first = arena.NewBytes(100).data();
  arena.NewBytes(Arena::kBlockBytes);  // a second block
  arena.Reset();
  EXPECT_EQ(arena.NewBytes(100).data(), first);
}

TEST(Arena, TakesWhatIsLargerThanABlock) {
  Arena arena;
  const std::span<char> large = arena.NewBytes(3 * Arena::kKeptBytes);
  std::fill(large.begin(), large.end(), 'x');
  arena.Reset();
  EXPECT_EQ(arena.Copy("after").size(), 5u);
}

TEST(Arena, ComposesAText) {
  Arena arena;
  const std::string_view first = arena.Compose([](Buffer& out) { out.append("a").append(3, 'b'); });
  const std::string_view second = arena.Compose([](Buffer& out) { out.push_back('c'); });
  EXPECT_EQ(first, "abbb");
  EXPECT_EQ(second, "c");
}

}  // namespace
}  // namespace postrider::connect
