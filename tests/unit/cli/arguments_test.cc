#include "cli/arguments.h"

#include <gtest/gtest.h>

#include "base/fault.h"
#include "base/text.h"
#include "cli/help.h"

namespace postrider::cli {
namespace {

std::string ErrorOf(const std::vector<std::string>& words) {
  const auto arguments = ParseArguments(words);
  if (arguments.ok()) return "";
  EXPECT_EQ(FaultOf(arguments.status()), Fault::kConfiguration);
  return std::string(MessageOf(arguments.status()));
}

TEST(Arguments, FilesAndOverridesKeepTheirOrder) {
  const auto arguments = ParseArguments({"run", "a.properties", "--set", "slot.name=x=y", "--set=k=", "-", "b.json"});
  ASSERT_TRUE(arguments.ok());
  EXPECT_EQ(arguments->command, "run");
  EXPECT_EQ(arguments->files, (std::vector<std::string>{"a.properties", "-", "b.json"}));
  ASSERT_EQ(arguments->overrides.size(), 2u);
  EXPECT_EQ(arguments->overrides[0], (std::pair<std::string, std::string>{"slot.name", "x=y"}));
  EXPECT_EQ(arguments->overrides[1], (std::pair<std::string, std::string>{"k", ""}));
}

TEST(Arguments, AfterTwoDashesEverythingIsAFile) {
  const auto arguments = ParseArguments({"run", "--", "--set"});
  ASSERT_TRUE(arguments.ok());
  EXPECT_EQ(arguments->files, std::vector<std::string>{"--set"});
}

TEST(Arguments, MistypedWordsNameTheNearest) {
  EXPECT_NE(ErrorOf({"rnu", "x"}).find("did you mean run"), std::string::npos);
  EXPECT_NE(ErrorOf({"confg", "x"}).find("did you mean config"), std::string::npos);
  EXPECT_NE(ErrorOf({"run", "--hepl"}).find("did you mean --help"), std::string::npos);
  EXPECT_EQ(ErrorOf({"zzzzzz"}).find("did you mean"), std::string::npos);
}

TEST(Arguments, IncompleteOnesAreRefused) {
  EXPECT_NE(ErrorOf({}).find("no command"), std::string::npos);
  EXPECT_NE(ErrorOf({"run", "--set"}).find("KEY=VALUE"), std::string::npos);
  EXPECT_NE(ErrorOf({"run", "--set", "=x"}).find("KEY=VALUE"), std::string::npos);
}

TEST(Arguments, EachCommandHasHelpWithAnExample) {
  for (const Command& command : Commands()) {
    const auto arguments = ParseArguments({std::string(command.name), "--help"});
    ASSERT_TRUE(arguments.ok());
    EXPECT_TRUE(arguments->help);
    EXPECT_NE(HelpText(command).find("Example:\n  postrider " + std::string(command.name)), std::string::npos);
  }
}

}  // namespace
}  // namespace postrider::cli
