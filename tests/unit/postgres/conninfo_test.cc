#include "postgres/conninfo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/fault.h"

namespace postrider::postgres {
namespace {

using testing::HasSubstr;
using testing::Not;

config::Config Configured() {
  config::Config config;
  config.database.hostname = "db.example";
  config.database.user = "relay";
  config.database.dbname = "shop";
  config.database.password = config::Secret::Plain("geheim");
  config.slot.name = "orders";
  return config;
}

std::map<std::string, std::string> Parameters(const config::Config& config, ConnectionKind kind,
                                              bool only_primary = false) {
  const auto list = ConnectionParameters(config, {"db.example", "5432"}, kind, only_primary);
  return {list.begin(), list.end()};
}

std::vector<std::string> HostList(const std::string& hostname, const std::string& port) {
  config::Database database;
  database.hostname = hostname;
  database.port = port;
  std::vector<std::string> hosts;
  const std::vector<Host> list = Hosts(database).value();
  for (const Host& host : list) hosts.push_back(host.name + "|" + host.port);
  return hosts;
}

TEST(Conninfo, HostsTakeOnePortForAllOrOneForEach) {
  EXPECT_THAT(HostList("a", "5432"), testing::ElementsAre("a|5432"));
  EXPECT_THAT(HostList("a, b", "5432"), testing::ElementsAre("a|5432", "b|5432"));
  EXPECT_THAT(HostList("a,b", "1,2"), testing::ElementsAre("a|1", "b|2"));
  EXPECT_THAT(HostList("[::1]", "5432"), testing::ElementsAre("::1|5432"));
  EXPECT_THAT(HostList("/run/postgresql", "5432"), testing::ElementsAre("/run/postgresql|5432"));
}

TEST(Conninfo, PortsThatDoNotFitTheHostsAreRefused) {
  config::Database database;
  database.hostname = "a,b,c";
  database.port = "1,2";
  const absl::Status status = Hosts(database).status();
  EXPECT_EQ(FaultOf(status), Fault::kConfiguration);
  EXPECT_THAT(std::string(status.message()), HasSubstr("database.port"));
}

TEST(Conninfo, NamesItselfAndPinsTheEncoding) {
  const auto parameters = Parameters(Configured(), ConnectionKind::kReplication);
  EXPECT_EQ(parameters.at("application_name"), "postrider/orders");
  EXPECT_EQ(parameters.at("client_encoding"), "UTF8");
  EXPECT_EQ(parameters.at("replication"), "database");
  EXPECT_EQ(parameters.at("dbname"), "shop");
  EXPECT_EQ(Parameters(Configured(), ConnectionKind::kQuery).count("replication"), 0);
}

TEST(Conninfo, NoSecretIsAmongTheParameters) {
  for (const auto& [keyword, value] : Parameters(Configured(), ConnectionKind::kQuery)) {
    EXPECT_NE(keyword, "password");
    EXPECT_THAT(value, Not(HasSubstr("geheim")));
  }
}

TEST(Conninfo, TlsAndKeepalivesAreTheConfigurations) {
  config::Config config = Configured();
  EXPECT_EQ(Parameters(config, ConnectionKind::kQuery).count("sslrootcert"), 0) << "empty would mean: no file";
  config.database.sslmode = "verify-full";
  config.database.sslrootcert = "/ca.pem";
  config.database.sslcert = "/cert.pem";
  config.database.sslkey = "/key.pem";
  config.database.tcp_keepalive = false;
  const auto parameters = Parameters(config, ConnectionKind::kQuery);
  EXPECT_EQ(parameters.at("sslmode"), "verify-full");
  EXPECT_EQ(parameters.at("sslrootcert"), "/ca.pem");
  EXPECT_EQ(parameters.at("sslcert"), "/cert.pem");
  EXPECT_EQ(parameters.at("sslkey"), "/key.pem");
  EXPECT_EQ(parameters.at("keepalives"), "0");
}

TEST(Conninfo, OfSeveralHostsOnlyThePrimaryWillDo) {
  EXPECT_EQ(Parameters(Configured(), ConnectionKind::kQuery, true).at("target_session_attrs"), "primary");
  EXPECT_EQ(Parameters(Configured(), ConnectionKind::kQuery, false).count("target_session_attrs"), 0);
}

TEST(Conninfo, OutputSettingsAreInTheStartupPacketOfBothKinds) {
  for (const ConnectionKind kind : {ConnectionKind::kQuery, ConnectionKind::kReplication}) {
    const std::string options = Parameters(Configured(), kind).at("options");
    for (const char* setting :
         {"datestyle=ISO", "intervalstyle=postgres", "timezone=UTC", "extra_float_digits=3", "bytea_output=hex",
          "lc_monetary=C", "xmlbinary=base64", "statement_timeout=0", "idle_in_transaction_session_timeout=0"}) {
      EXPECT_THAT(options, HasSubstr(std::string("-c ") + setting + " "));
    }
  }
}

TEST(Conninfo, SettingsThatAnOlderServerDoesNotKnowAreNotInTheStartupPacket) {
  for (const ConnectionKind kind : {ConnectionKind::kQuery, ConnectionKind::kReplication}) {
    const std::string options = Parameters(Configured(), kind).at("options");
    EXPECT_THAT(options, Not(HasSubstr("idle_session_timeout")));
    EXPECT_THAT(options, Not(HasSubstr("-c transaction_timeout")));
  }
  EXPECT_EQ(VersionSettingsSql(130022), "");
  EXPECT_EQ(VersionSettingsSql(140000), "SET idle_session_timeout = 0;");
  EXPECT_THAT(VersionSettingsSql(180003), HasSubstr("SET transaction_timeout = 0;"));
}

TEST(Conninfo, TheStreamSeesWarningsAndTheSnapshotFailsOnRowSecurity) {
  EXPECT_THAT(PinnedSettingsSql(ConnectionKind::kReplication), HasSubstr("SET client_min_messages = 'warning';"));
  EXPECT_THAT(PinnedSettingsSql(ConnectionKind::kReplication), HasSubstr("SET search_path = '';"));
  EXPECT_THAT(PinnedSettingsSql(ConnectionKind::kQuery), HasSubstr("SET row_security = 'off';"));
  EXPECT_THAT(PinnedSettingsSql(ConnectionKind::kQuery), Not(HasSubstr("search_path")))
      << "the user's statements need theirs";
}

}  // namespace
}  // namespace postrider::postgres
