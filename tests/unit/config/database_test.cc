// src/config/database.cc
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "scratch.h"

namespace postrider::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(DatabaseOptions, ReadsAllKeys) {
  const auto loaded = LoadWith(
      "database.hostname=a,b\ndatabase.port=5433,5434\ndatabase.user=u\ndatabase.password=\\ p w \ndatabase.dbname=d\n"
      "database.sslmode=Verify-Full\ndatabase.sslcert=/c\ndatabase.sslkey=/k\ndatabase.sslrootcert=/"
      "r\ndatabase.sslpassword=sp\n"
      "database.tcpKeepAlive=false\ndatabase.query.timeout.ms=5\n");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const Database& database = loaded->config.database;
  EXPECT_EQ(database.hostname, "a,b");
  EXPECT_EQ(database.port, "5433,5434");
  EXPECT_EQ(database.user, "u");
  EXPECT_EQ(*database.password.Read(), " p w ");
  EXPECT_EQ(database.dbname, "d");
  EXPECT_EQ(database.sslmode, "verify-full");
  EXPECT_EQ(database.sslcert + database.sslkey + database.sslrootcert, "/c/k/r");
  EXPECT_EQ(*database.sslpassword.Read(), "sp");
  EXPECT_FALSE(database.tcp_keepalive);
  EXPECT_EQ(database.query_timeout_ms, 5);
}

TEST(DatabaseOptions, SplitsInitialStatements) {
  const auto loaded = LoadWith("database.initial.statements=SET a = 'x;;y'; SET b = 1 ;;; SET c = 2;");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(loaded->config.database.initial_statements, ElementsAre("SET a = 'x;y'", "SET b = 1 ;", "SET c = 2"));
}

TEST(DatabaseOptions, RequiresHostUserAndDatabase) {
  const absl::StatusOr<Loaded> loaded =
      Load({.files = {}, .overrides = {{"connector.class", "Postgres"}}, .environment = {}});
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(FaultOf(loaded.status()), Fault::kConfiguration);
  EXPECT_THAT(std::string(loaded.status().message()),
              HasSubstr("database.hostname is missing: set it to the host of the PostgreSQL server"));
  const Inspection inspection = Inspect({});
  EXPECT_THAT(inspection.problems, ::testing::Contains(HasSubstr("database.user is missing")));
  EXPECT_THAT(inspection.problems, ::testing::Contains(HasSubstr("database.dbname is missing")));
  EXPECT_THAT(ErrorWith("database.user= "), HasSubstr("more.properties:1: database.user is empty"));
}

TEST(DatabaseOptions, ChecksPorts) {
  for (const std::string port : {"0", "65536", "x", "5432,99999"})
    EXPECT_THAT(ErrorWith("database.hostname=a,b\ndatabase.port=" + port),
                HasSubstr("allowed is a whole number from 1 to 65535"))
        << port;
  EXPECT_THAT(ErrorWith("database.hostname=a,b,c\ndatabase.port=1,2"), HasSubstr("as many as database.hostname has"));
}

TEST(DatabaseOptions, PasswordFileIsReadAnewAndComesFirst) {
  const Scratch scratch;
  const std::string path = scratch.Write("pw", "one\n");
  const auto loaded = LoadWith("database.password=written\npostrider.database.password.file=" + path);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(*loaded->config.database.password.Read(), "one");
  scratch.Write("pw", "two\n");
  EXPECT_EQ(*loaded->config.database.password.Read(), "two");
  EXPECT_EQ(FindReport(loaded->keys, "database.password")->outcome, KeyOutcome::kMeaningless);
  EXPECT_THAT(ErrorWith("postrider.database.password.file=/no/such"),
              HasSubstr("postrider.database.password.file cannot be read: /no/such does not exist"));
}

TEST(DatabaseOptions, PasswordCommandIsRunAtEachReadAndComesFirst) {
  const Scratch scratch;
  const std::string path = scratch.Write("token", "one\n");
  const auto loaded = LoadWith("database.password=written\npostrider.database.password.file=" + path +
                               "\npostrider.database.password.command=echo run >> " + scratch.Path("runs") +
                               "; printf 't-'; cat " + path);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_FALSE(std::filesystem::exists(scratch.Path("runs"))) << "not before a connection wants it";
  EXPECT_EQ(*loaded->config.database.password.Read(), "t-one");
  scratch.Write("token", "two\n");
  EXPECT_EQ(*loaded->config.database.password.Read(), "t-two");
  EXPECT_EQ(FindReport(loaded->keys, "database.password")->outcome, KeyOutcome::kMeaningless);
  EXPECT_EQ(FindReport(loaded->keys, "postrider.database.password.file")->outcome, KeyOutcome::kMeaningless);
  EXPECT_EQ(FindReport(loaded->keys, "postrider.database.password.command")->value, "***") << "it may hold a secret";
}

TEST(DatabaseOptions, PasswordCommandThatFailsNamesTheKeyAndNoPartOfIt) {
  const auto loaded = LoadWith("postrider.database.password.command=echo geheim; echo geheim >&2; exit 3");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(std::string(loaded->config.database.password.Read().status().message()),
            "postrider.database.password.command ended with exit status 3");
}

TEST(DatabaseOptions, PasswordPlaceholderIsResolvedAnew) {
  const Scratch scratch;
  const std::string path = scratch.Write("s.properties", "pw=one");
  const auto loaded = LoadWith("database.password=${file:" + path + ":pw}");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(*loaded->config.database.password.Read(), "one");
  scratch.Write("s.properties", "pw=two");
  EXPECT_EQ(*loaded->config.database.password.Read(), "two");
}

TEST(DatabaseOptions, AnUnresolvablePlaceholderNamesFileLineAndKey) {
  EXPECT_THAT(ErrorWith("\ndatabase.password=${env:PGPASS}"),
              HasSubstr("more.properties:2: database.password cannot be resolved: ${env:PGPASS}: the environment has "
                        "no variable PGPASS"));
}

}  // namespace
}  // namespace postrider::config
