// Needs a server; see test_server.h.
#include "postgres/action.h"

#include <gmock/gmock.h>

#include "test_server.h"

namespace postrider::postgres {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ActionTest : public ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    if (IsSkipped()) return;
    admin_->Sql("CREATE TABLE beat (n int); INSERT INTO beat VALUES (0); ALTER TABLE beat OWNER TO " + name_);
    config_.heartbeat = {.interval_ms = 1'000, .action_query = "UPDATE beat SET n = n + 1", .topic = ""};
  }
  absl::Status Run() {
    if (!action_) action_.emplace(config_, &wakeup_);
    action_->Start();
    return Await<absl::Status>([&] { return action_->Take(); });
  }
  std::string Beats() { return admin_->Sql("SELECT n FROM beat"); }
  std::string Sessions() {
    return admin_->Sql("SELECT pid FROM pg_stat_activity WHERE usename = '" + name_ + "' ORDER BY pid");
  }

  std::optional<Action> action_;
};

TEST_F(ActionTest, RunsTheQueryOnceAStartOnAConnectionThatIsKept) {
  action_.emplace(config_, &wakeup_);
  EXPECT_EQ(Sessions(), "") << "no connection before it is needed";
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(Beats(), "1");
  const std::string session = Sessions();
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(Beats(), "2");
  EXPECT_EQ(Sessions(), session);
  EXPECT_EQ(action_->Take(), std::nullopt);
  action_.reset();
  EXPECT_TRUE(IsTrueSoon("NOT EXISTS (SELECT FROM pg_stat_activity WHERE usename = '" + name_ + "')"));
}

TEST_F(ActionTest, InitialStatementsComeBeforeIt) {
  admin_->Sql("CREATE SCHEMA beats; ALTER TABLE beat SET SCHEMA beats; GRANT USAGE ON SCHEMA beats TO " + name_);
  config_.database.initial_statements = {"SET search_path = beats"};
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(admin_->Sql("SELECT n FROM beats.beat"), "1");
}

TEST_F(ActionTest, AFailureNamesTheQuerysKeyAndNotItsDataAndTheNextRunStartsClean) {
  config_.heartbeat.action_query = "BEGIN; UPDATE beat SET n = n + 1; INSERT INTO outbox VALUES (7, 'secret'); COMMIT";
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(std::string(Run().message()),
              AllOf(HasSubstr("heartbeat.action.query"), HasSubstr("23505"), Not(HasSubstr("secret"))));
  admin_->Sql("DELETE FROM outbox");
  EXPECT_TRUE(Run().ok()) << "no aborted transaction is carried on";
  EXPECT_EQ(Beats(), "2");
}

TEST_F(ActionTest, AConnectionThatTheServerEndedIsMadeAnewBeforeTheNextRun) {
  ASSERT_TRUE(Run().ok());
  admin_->Sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + name_ + "'");
  ASSERT_TRUE(IsTrueSoon("NOT EXISTS (SELECT FROM pg_stat_activity WHERE usename = '" + name_ + "')"));
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(Beats(), "2");
}

TEST_F(ActionTest, AQueryThatTakesTooLongIsCancelled) {
  config_.heartbeat.action_query = "SELECT pg_sleep(60)";
  config_.database.query_timeout_ms = 200;
  EXPECT_THAT(std::string(Run().message()), HasSubstr("heartbeat.action.query took too long"));
  EXPECT_TRUE(IsTrueSoon("NOT EXISTS (SELECT FROM pg_stat_activity WHERE query LIKE '%pg_sleep%' AND usename = '" +
                         name_ + "')"));
}

TEST_F(ActionTest, TheEndDoesNotWaitForIt) {
  config_.heartbeat.action_query = "SELECT pg_sleep(60)";
  action_.emplace(config_, &wakeup_);
  action_->Start();
  ASSERT_TRUE(
      IsTrueSoon("EXISTS (SELECT FROM pg_stat_activity WHERE query LIKE '%pg_sleep%' AND state = 'active' AND "
                 "usename = '" +
                 name_ + "')"));
  const auto begin = std::chrono::steady_clock::now();
  action_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(1500));
}

TEST_F(ActionTest, TheConnectorRunsItBesideItsOwnQuestions) {
  config_.heartbeat.action_query = "LOCK TABLE beat; UPDATE beat SET n = n + 1";
  ASSERT_TRUE(Connect().ok());
  EXPECT_EQ(connector_->TakeAction(), std::nullopt);
  Admin blocker(name_, "");
  blocker.Sql("BEGIN");
  blocker.Sql("LOCK TABLE beat");
  connector_->StartAction();
  ASSERT_TRUE(IsTrueSoon("EXISTS (SELECT FROM pg_locks WHERE relation = 'beat'::regclass AND NOT granted)"));
  connector_->StartLookup(static_cast<uint32_t>(std::stoul(admin_->Sql("SELECT 'outbox'::regclass::oid"))));
  EXPECT_TRUE(Await<absl::StatusOr<Table>>([&] { return connector_->TakeTable(); }).ok());
  EXPECT_EQ(connector_->TakeAction(), std::nullopt);
  blocker.Sql("COMMIT");
  EXPECT_TRUE(Await<absl::Status>([&] { return connector_->TakeAction(); }).ok());
  EXPECT_EQ(Beats(), "1");
}

}  // namespace
}  // namespace postrider::postgres
