#include "cli/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "absl/strings/str_replace.h"

namespace postrider::cli {
namespace {

using testing::HasSubstr;

// doc/postrider.1, with the dashes of options as they are typed.
std::string ManPage() {
  std::ifstream file(POSTRIDER_TEST_DATA "/../../../doc/postrider.1");
  std::ostringstream text;
  text << file.rdbuf();
  return absl::StrReplaceAll(text.str(), {{"\\-", "-"}});
}

TEST(Help, EveryCommandHasAnExampleOfItself) {
  for (const Command& command : Commands())
    EXPECT_THAT(HelpText(command), HasSubstr("Example:\n  postrider " + std::string(command.name)));
}

TEST(Help, EveryFlagIsExplained) {
  for (const Command& command : Commands())
    for (const std::string_view flag : command.flags)
      EXPECT_THAT(std::string(command.text) + std::string(command.usage), HasSubstr(std::string(flag)));
}

TEST(Help, NoLineIsTooWideForATerminal) {
  for (const Command& command : Commands()) {
    std::istringstream lines(HelpText(command));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 132) << line;
  }
}

TEST(ManPage, NamesEveryCommandAndFlag) {
  const std::string page = ManPage();
  ASSERT_THAT(page, HasSubstr(".SH NAME"));
  for (const Command& command : Commands()) {
    const std::string name(command.name);
    EXPECT_THAT(page, testing::AnyOf(HasSubstr("\n.B " + name + " "), HasSubstr("\n.B " + name + "\n"),
                                     HasSubstr("\\fB" + name + " ")))
        << name;
    for (const std::string_view flag : command.flags) EXPECT_THAT(page, HasSubstr(std::string(flag))) << name;
  }
}

TEST(ManPage, NamesEveryExitCode) {
  const std::string page = ManPage();
  for (int code = 0; code <= 9; ++code) EXPECT_THAT(page, HasSubstr("\n.B " + std::to_string(code) + "\n"));
}

}  // namespace
}  // namespace postrider::cli
