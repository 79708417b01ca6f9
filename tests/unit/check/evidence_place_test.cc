#include "check/evidence_place.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace postrider::check {
namespace {

TEST(CheckEvidencePlace, AFolderThatIsThereWillDoAndNothingIsMade) {
  const std::string file = testing::TempDir() + "/postrider_evidence_place.json";
  std::filesystem::remove(file);
  const Findings findings = CheckEvidencePlace({.file = file});
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0].result, Finding::Result::kPass);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(CheckEvidencePlace, AMissingFolderIsAWarningAndAFailureWhereTheKeyWasWritten) {
  const Findings warned = CheckEvidencePlace({.file = "/nowhere/state.json"});
  ASSERT_EQ(warned.size(), 1);
  EXPECT_EQ(warned[0].result, Finding::Result::kWarning);
  EXPECT_EQ(warned[0].remedy, "install -d -o USER -m 0750 /nowhere");
  const Findings failed = CheckEvidencePlace({.file = "/nowhere/state.json", .required = true});
  ASSERT_EQ(failed.size(), 1);
  EXPECT_EQ(failed[0].fault, Fault::kConfiguration);
}

TEST(CheckEvidencePlace, ATopicIsNoFile) {
  EXPECT_TRUE(CheckEvidencePlace({.file = "", .topic = "evidence", .required = true}).empty());
}

}  // namespace
}  // namespace postrider::check
