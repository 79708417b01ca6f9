#include "check/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace postrider::check {
namespace {

using testing::HasSubstr;

TEST(CheckConfiguration, PassesWithTheNumberOfKeysThatWereGiven) {
  config::Inspection inspection;
  inspection.keys = {{.key = "a", .origin = "file:1"}, {.key = "b", .origin = "default"}};
  const Findings findings = CheckConfiguration(inspection);
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0].result, Finding::Result::kPass);
  EXPECT_THAT(findings[0].text, HasSubstr("1 key"));
}

TEST(CheckConfiguration, NamesEveryProblemBeforeTheWarnings) {
  config::Inspection inspection;
  inspection.problems = {"first", "second"};
  inspection.warnings = {"unknown key"};
  inspection.status = MakeFault(Fault::kConfiguration, "first (and 1 more)");
  const Findings findings = CheckConfiguration(inspection);
  ASSERT_EQ(findings.size(), 3);
  EXPECT_EQ(findings[0].text, "first");
  EXPECT_EQ(findings[1].fault, Fault::kConfiguration);
  EXPECT_EQ(findings[2].result, Finding::Result::kWarning);
}

TEST(CheckConfiguration, AFileThatCannotBeReadFails) {
  config::Inspection inspection;
  inspection.status = MakeFault(Fault::kConfiguration, "no such file");
  const Findings findings = CheckConfiguration(inspection);
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0].result, Finding::Result::kFail);
  EXPECT_EQ(findings[0].text, "no such file");
}

}  // namespace
}  // namespace postrider::check
