// Needs a server; see test_server.h.
#include "postgres/survey.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "test_server.h"

namespace postrider::postgres {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = SetupStep::Kind;

class SurveyTest : public ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    if (IsSkipped()) return;
    config_.publication.name = "survey_pub";
    config_.router.route_by_field = "payload";
  }

  Survey Look() {
    auto survey = Survey::Read(config_, &stop_);
    EXPECT_TRUE(survey.ok()) << survey.status();
    return *std::move(survey);
  }
  // Names of what does not pass, but for settings that a test server has.
  std::vector<std::string> Troubles() {
    std::vector<std::string> names;
    for (const Finding& finding : Look().Check()) {
      const bool of_server =
          finding.name == "wal_limit" || finding.name == "other_slots" || finding.name == "pg_monitor";
      if (finding.result != Finding::Result::kPass && !of_server) names.push_back(finding.name);
    }
    return names;
  }
  SetupSteps Set(bool print = false) { return Look().SetUp(record_, "the file x", print, &stop_); }
  static SetupStep About(const SetupSteps& steps, std::string_view word) {
    for (const SetupStep& step : steps)
      if (step.text.find(word) != step.text.npos) return step;
    ADD_FAILURE() << "no step about " << word;
    return {};
  }

  Wakeup stop_;
  Survey::Record record_ = std::optional<evidence::Record>();
};

TEST_F(SurveyTest, AnOwnerWithoutAnythingYetPassesAndNothingIsMade) {
  EXPECT_THAT(Troubles(), IsEmpty());
  EXPECT_EQ(admin_->Sql("SELECT count(*) FROM pg_publication"), "0");
  EXPECT_EQ(SlotField("count(*)"), "0");
}

TEST_F(SurveyTest, TheCapturedTablesAndTheirRoutesAreRead) {
  admin_->Sql("INSERT INTO outbox SELECT n, CASE WHEN n < 9 THEN 'a' ELSE 'b' END FROM generate_series(1, 10) n");
  const Survey survey = Look();
  ASSERT_EQ(survey.tables().size(), 1);
  EXPECT_EQ(survey.tables()[0].name, "outbox");
  EXPECT_THAT(survey.routes(), ElementsAre("a", "b"));
}

TEST_F(SurveyTest, RightsAreSeenWithTheRolesOwnEyes) {
  admin_->Sql("ALTER TABLE outbox OWNER TO CURRENT_USER; REVOKE ALL ON outbox FROM " + name_);
  config_.snapshot.mode = config::SnapshotMode::kInitial;
  EXPECT_THAT(Troubles(), ElementsAre("publication", "rights"));
  admin_->Sql("ALTER ROLE " + name_ + " NOREPLICATION");
  EXPECT_THAT(Troubles(), ElementsAre("replication_login", "publication", "rights"));
}

TEST_F(SurveyTest, APublicationThatIsMadeAfterTheSlotIsSeen) {
  admin_->Sql("SELECT pg_create_logical_replication_slot('" + name_ + "', 'pgoutput')");
  admin_->Sql("CREATE PUBLICATION survey_pub FOR TABLE outbox WITH (publish = 'insert')");
  EXPECT_THAT(Troubles(), ElementsAre("publication_age"));
  admin_->Sql("SELECT pg_drop_replication_slot('" + name_ + "')");
  admin_->Sql("SELECT pg_create_logical_replication_slot('" + name_ + "', 'pgoutput')");
  EXPECT_THAT(Troubles(), IsEmpty());
}

TEST_F(SurveyTest, SetupMakesPublicationAndSlotOnce) {
  const SetupSteps first = Set();
  EXPECT_EQ(About(first, "publication \"survey_pub\"").kind, Kind::kMade);
  EXPECT_EQ(About(first, "replication slot").kind, Kind::kMade);
  EXPECT_EQ(SlotField("plugin"), "pgoutput");
  const SetupSteps second = Set();
  EXPECT_EQ(About(second, "publication \"survey_pub\"").kind, Kind::kThere);
  EXPECT_EQ(About(second, "replication slot").kind, Kind::kThere);
}

TEST_F(SurveyTest, SetupLeavesTheSlotToAStartThatHasRowsToPublish) {
  config_.snapshot.mode = config::SnapshotMode::kInitial;
  admin_->Sql("INSERT INTO outbox VALUES (1, 'a')");
  EXPECT_EQ(About(Set(), "left to the first start").kind, Kind::kNote);
  EXPECT_EQ(SlotField("count(*)"), "0");
  admin_->Sql("DELETE FROM outbox");
  EXPECT_EQ(About(Set(), "replication slot").kind, Kind::kMade);
}

TEST_F(SurveyTest, SetupMakesNoSlotWhereTheEvidenceShowsAnEarlierStart) {
  record_ = evidence::Record{.system_identifier = admin_->Sql("SELECT system_identifier FROM pg_control_system()"),
                             .timeline = 1,
                             .slot = name_,
                             .lsn = Lsn(0x200)};
  const SetupStep left = About(Set(), "is gone");
  EXPECT_EQ(left.kind, Kind::kToDo);
  EXPECT_EQ(left.fault, Fault::kSlot);
  EXPECT_EQ(SlotField("count(*)"), "0");
}

TEST_F(SurveyTest, WhatIsPrintedCanBeRun) {
  for (const SetupStep& step : Set(/*print=*/true)) {
    EXPECT_NE(step.kind, Kind::kMade) << step.text;
    const bool ours = step.command.starts_with("CREATE") || step.command.starts_with("SELECT pg_create");
    if (ours) admin_->Sql(step.command);
  }
  EXPECT_THAT(Troubles(), IsEmpty());
  EXPECT_EQ(SlotField("count(*)"), "1");
}

TEST_F(SurveyTest, AServerThatIsAwayIsOneFinding) {
  config_.database.port = "1";
  const Survey survey = Look();
  EXPECT_FALSE(survey.reached());
  const Findings findings = survey.Check();
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0].fault, Fault::kDatabaseRefuses);
}

}  // namespace
}  // namespace postrider::postgres
