// Needs a server; see test_server.h.
#include "postgres/connection.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>

#include "test_server.h"

namespace postrider::postgres {
namespace {

using testing::HasSubstr;

class ConnectionTest : public ServerTest {
 protected:
  Connection Open(ConnectionKind kind = ConnectionKind::kQuery) {
    absl::StatusOr<Connection> connection = Connection::Open(config_, kind, &stop_);
    EXPECT_TRUE(connection.ok()) << connection.status();
    return *std::move(connection);
  }
  const Wakeup stop_;
};

TEST_F(ConnectionTest, GivesAResultForEachStatement) {
  Connection connection = Open();
  const auto results = connection.Execute(
      "SELECT 1, NULL, '16/B374D848'; SET lock_timeout = 5; SELECT true WHERE false", {.doing = "trying"});
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_EQ(results->size(), 3);
  EXPECT_EQ((*results)[0].Integer(0, 0), 1);
  EXPECT_TRUE((*results)[0].IsNull(0, 1));
  EXPECT_EQ((*results)[0].LsnAt(0, 2), Lsn(0x16B374D848));
  EXPECT_FALSE((*results)[0].LsnAt(0, 1).valid());
  EXPECT_EQ((*results)[2].rows(), 0);
}

TEST_F(ConnectionTest, AnErrorCarriesItsCodeAndLeavesTheConnectionUsable) {
  Connection connection = Open();
  const auto failed = connection.Execute("SELECT 1; SELECT nonsense", {.doing = "trying"});
  EXPECT_EQ(SqlstateOf(failed.status()), "42703");
  EXPECT_THAT(std::string(failed.status().message()), HasSubstr("trying failed"));
  EXPECT_TRUE(connection.Execute("SELECT 1", {.doing = "trying"}).ok());
}

TEST_F(ConnectionTest, EveryPinnedSettingIsKnownToTheServerAndInForce) {
  for (const ConnectionKind kind : {ConnectionKind::kQuery, ConnectionKind::kReplication}) {
    Connection connection = Open(kind);
    for (const auto& [name, value] : PinnedSettings(kind)) {
      const auto shown = connection.Execute(
          std::string("SELECT setting, source FROM pg_settings WHERE lower(name) = lower('") + name + "')",
          {.doing = "trying"});
      ASSERT_TRUE(shown.ok()) << name << shown.status();
      ASSERT_EQ(shown->at(0).rows(), 1) << name;
      EXPECT_EQ(shown->at(0).Text(0, 1), "client") << name;
    }
    EXPECT_TRUE(connection.Execute(PinnedSettingsSql(kind), {.doing = "trying"}).ok());
  }
}

TEST_F(ConnectionTest, TimeoutsOfRoleAndDatabaseAreOff) {
  admin_->Sql("ALTER ROLE " + name_ + " SET statement_timeout = '10ms'; ALTER ROLE " + name_ +
              " SET lock_timeout = '10ms'");
  if (admin_->version() >= 140000) admin_->Sql("ALTER ROLE " + name_ + " SET idle_session_timeout = '10ms'");
  Connection connection = Open();
  EXPECT_TRUE(connection.Execute("SELECT pg_sleep(0.05)", {.doing = "trying"}).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(connection.Execute("SELECT 1", {.doing = "trying"}).ok());
}

TEST_F(ConnectionTest, AStopCancelsOnTheServerAtOnce) {
  Connection connection = Open();
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop_.Ring();
  });
  const auto begin = std::chrono::steady_clock::now();
  const auto result = connection.Execute("SELECT pg_sleep(30)", {.doing = "sleeping"});
  stopper.join();
  EXPECT_TRUE(absl::IsCancelled(result.status())) << result.status();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
  EXPECT_TRUE(
      IsTrueSoon("count(*) = 0 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND state = 'active' AND pid <> "
                 "pg_backend_pid()"));
}

TEST_F(ConnectionTest, ADeadlineCancelsOnTheServerAndPasses) {
  Connection connection = Open();
  const auto result = connection.Execute("SELECT pg_sleep(30)", {.doing = "sleeping", .timeout_ms = 100});
  EXPECT_EQ(FaultOf(result.status()), Fault::kPassing);
  EXPECT_THAT(std::string(result.status().message()), HasSubstr("sleeping took too long"));
  EXPECT_TRUE(
      IsTrueSoon("count(*) = 0 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND state = 'active' AND pid <> "
                 "pg_backend_pid()"));
}

TEST_F(ConnectionTest, TellsOnceThatItWaits) {
  Connection connection = Open();
  int told = 0;
  EXPECT_TRUE(connection.Execute("SELECT pg_sleep(2.5)", {.doing = "sleeping", .when_waiting = [&] { ++told; }}).ok());
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(connection.Execute("SELECT 1", {.doing = "trying", .when_waiting = [&] { ++told; }}).ok());
  EXPECT_EQ(told, 1);
}

TEST_F(ConnectionTest, ACopyWhereNoneIsExpectedIsRefused) {
  Connection connection = Open();
  EXPECT_EQ(FaultOf(connection.Execute("COPY outbox TO STDOUT", {.doing = "trying"}).status()), Fault::kConfiguration);
}

TEST_F(ConnectionTest, AServerThatNeverAnswersIsGivenUpAtOnceWhenStopped) {
  // A socket that listens, and nobody behind it.
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  config_.database.hostname = "127.0.0.1";
  config_.database.port = std::to_string(ntohs(address.sin_port));
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop_.Ring();
  });
  const absl::Status status = Connection::Open(config_, ConnectionKind::kQuery, &stop_).status();
  stopper.join();
  close(listener);
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
}

}  // namespace
}  // namespace postrider::postgres
