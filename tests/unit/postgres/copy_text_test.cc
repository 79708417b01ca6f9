#include "postgres/copy_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace postrider::postgres {
namespace {

using std::string_literals::operator""s;

std::string Value(std::string_view column) {
  std::string out;
  AppendCopyText(column, out);
  return out;
}

std::vector<std::string> Columns(std::string_view line) {
  CopyTextRow row(line);
  std::vector<std::string> columns;
  std::string_view column;
  while (row.Next(column)) columns.emplace_back(column);
  return columns;
}

TEST(CopyText, SplitsAtTabsAndEndsBeforeTheLineBreak) {
  EXPECT_THAT(Columns("1\tb\t\\N\n"), testing::ElementsAre("1", "b", "\\N"));
  EXPECT_THAT(Columns("1"), testing::ElementsAre("1"));
}

TEST(CopyText, EmptyColumnsCount) {
  EXPECT_THAT(Columns("\t\t\n"), testing::ElementsAre("", "", ""));
  EXPECT_THAT(Columns("\n"), testing::ElementsAre(""));
}

TEST(CopyText, NullIsToldFromTheTextOfTheSameLetters) {
  EXPECT_TRUE(IsCopyNull("\\N"));
  EXPECT_FALSE(IsCopyNull("\\\\N"));
  EXPECT_EQ(Value("\\\\N"), "\\N");
  EXPECT_FALSE(IsCopyNull(""));
  EXPECT_FALSE(IsCopyNull("N"));
}

TEST(CopyText, UndoesEveryEscapeThatCopyWrites) {
  EXPECT_EQ(Value("a\\tb\\nc\\rd\\\\e\\bf\\fg\\vh"), "a\tb\nc\rd\\e\bf\fg\vh");
  EXPECT_EQ(Value("{\"a\": \"x\\\\ny\"}"), "{\"a\": \"x\\ny\"}");
  EXPECT_EQ(Value("\\\\x00ff"), "\\x00ff");
}

TEST(CopyText, UndoesNumberedBytes) {
  EXPECT_EQ(Value("\\101\\x42\\x4"), "AB\x04");
  EXPECT_EQ(Value("\\1018"), "A8");
  EXPECT_EQ(Value("\\xg"), "xg");
  EXPECT_EQ(Value("\\0"), "\0"s);
}

TEST(CopyText, ABackslashAtTheEndIsLeftOut) {
  EXPECT_EQ(Value("a\\"), "a");
}

TEST(CopyText, AppendsToWhatIsThere) {
  std::string out = "x";
  AppendCopyText("y\\\\", out);
  EXPECT_EQ(out, "xy\\");
}

}  // namespace
}  // namespace postrider::postgres
