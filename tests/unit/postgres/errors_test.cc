#include "postgres/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace postrider::postgres {
namespace {

using testing::HasSubstr;
using testing::Not;

const Target kTarget{
    .address = "db.example:5432", .user = "relay", .dbname = "shop", .slot = "orders", .publication = "outbox_pub"};

std::string Text(const absl::Status& status) {
  return std::string(status.message());
}

absl::Status Refused(const std::string& text, ConnectionKind kind = ConnectionKind::kQuery) {
  return ConnectFault(kTarget, kind, "connection to server at \"db.example\" (10.0.0.1), port 5432 failed: " + text);
}

TEST(ConnectFault, AWrongPasswordIsLastingAndNamesTheKeys) {
  const absl::Status status =
      Refused("FATAL:  28P01: password authentication failed for user \"relay\"\nLOCATION:  auth_failed, auth.c:338\n");
  EXPECT_EQ(FaultOf(status), Fault::kDatabaseRefuses);
  EXPECT_EQ(SqlstateOf(status), "28P01");
  EXPECT_THAT(Text(status), HasSubstr("check database.user and database.password"));
  EXPECT_THAT(Text(status), Not(HasSubstr("LOCATION")));
  EXPECT_THAT(Text(status), Not(HasSubstr("\n")));
}

TEST(ConnectFault, AMissingLineOfPgHbaIsNamed) {
  const absl::Status status =
      Refused("FATAL:  28000: no pg_hba.conf entry for host \"10.0.0.9\", user \"relay\", no encryption\n");
  EXPECT_EQ(FaultOf(status), Fault::kDatabaseRefuses);
  EXPECT_THAT(Text(status), HasSubstr("pg_hba.conf needs a line"));
}

TEST(ConnectFault, AnUnknownDatabaseIsLasting) {
  const absl::Status status = Refused("FATAL:  3D000: database \"shop\" does not exist\n");
  EXPECT_EQ(FaultOf(status), Fault::kDatabaseRefuses);
  EXPECT_THAT(Text(status), HasSubstr("database.dbname"));
}

TEST(ConnectFault, TheRightToReplicateComesWithItsSql) {
  const absl::Status status = Refused("FATAL:  42501: must be superuser or replication role to start walsender\n",
                                      ConnectionKind::kReplication);
  EXPECT_EQ(FaultOf(status), Fault::kDatabaseRefuses);
  EXPECT_THAT(Text(status), HasSubstr("ALTER ROLE \"relay\" REPLICATION"));
  EXPECT_THAT(Text(Refused("FATAL:  42501: permission denied for database \"shop\"\n")),
              HasSubstr("GRANT CONNECT ON DATABASE \"shop\" TO \"relay\""));
}

TEST(ConnectFault, TranslatedServersAreReadByTheirCode) {
  const absl::Status status = Refused(
      "FATAL:  28P01: Passwort-Authentifizierung für Benutzer »relay« fehlgeschlagen\nORT:  auth_failed, auth.c:338\n");
  EXPECT_EQ(FaultOf(status), Fault::kDatabaseRefuses);
}

TEST(ConnectFault, AServerThatIsDownStartsOrIsFullPasses) {
  for (const char* text :
       {"Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?\n",
        "FATAL:  57P03: the database system is starting up\n", "FATAL:  53300: sorry, too many clients already\n",
        "server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally\n",
        "server is in hot standby mode\n", "SSL SYSCALL error: EOF detected\n",
        "SSL error: unexpected eof while reading\n", "Connection timed out\n"}) {
    const absl::Status status = Refused(text);
    EXPECT_EQ(FaultOf(status), Fault::kPassing) << text;
    EXPECT_THAT(Text(status), HasSubstr("10.0.0.1")) << "the address is named";
  }
  EXPECT_EQ(SqlstateOf(Refused("FATAL:  57P03: the database system is shutting down\n")), "57P03");
  EXPECT_EQ(
      FaultOf(ConnectFault(kTarget, ConnectionKind::kQuery,
                           "could not translate host name \"db.example\" to address: Name or service not known\n")),
      Fault::kPassing);
}

TEST(ConnectFault, AnIpv6HostWithoutARouteIsExplained) {
  const absl::Status status =
      ConnectFault(kTarget, ConnectionKind::kQuery,
                   "connection to server at \"db.example\" (2600:1f16::1), port 5432 failed: Network is unreachable\n");
  EXPECT_EQ(FaultOf(status), Fault::kPassing);
  EXPECT_THAT(Text(status), HasSubstr("IPv6"));
  EXPECT_THAT(Text(status), HasSubstr("2600:1f16::1"));
}

TEST(ConnectFault, TlsThatDoesNotFitIsLastingAndNeverDowngrades) {
  for (const char* text :
       {"SSL error: certificate verify failed\n", "server does not support SSL, but SSL was required\n",
        "root certificate file \"/ca.pem\" does not exist\n",
        "server certificate for \"other\" does not match host name \"db.example\"\n",
        "private key file \"/key.pem\" has group or world access\n"}) {
    const absl::Status status = Refused(text);
    EXPECT_EQ(FaultOf(status), Fault::kDatabaseRefuses) << text;
    EXPECT_THAT(Text(status), HasSubstr("database.ssl")) << text;
  }
  EXPECT_THAT(Text(Refused("could not load private key file \"/key.der\": no start line\n")),
              HasSubstr("openssl pkcs8"));
}

TEST(ConnectFault, APoolerIsRecognised) {
  for (const char* text : {"FATAL:  08P01: unsupported startup parameter: replication\n",
                           "FATAL:  08P01: unsupported startup parameter in options: jit\n",
                           "FATAL:  XX000: Tenant or user not found\n", "ERROR:  08P01: bouncer config error\n"}) {
    const absl::Status status = Refused(text, ConnectionKind::kReplication);
    EXPECT_EQ(FaultOf(status), Fault::kDatabaseRefuses) << text;
    EXPECT_THAT(Text(status), HasSubstr("direct address")) << text;
  }
}

TEST(ConnectFault, AHostNamedPoolerThatIsDownIsOnlyDown) {
  EXPECT_EQ(FaultOf(ConnectFault(
                kTarget, ConnectionKind::kQuery,
                "connection to server at \"eu.pooler.example\" (10.0.0.1), port 6543 failed: Connection refused\n")),
            Fault::kPassing);
}

TEST(ConnectFault, AValueThatLibpqRefusesIsTheConfigurations) {
  EXPECT_EQ(FaultOf(ConnectFault(kTarget, ConnectionKind::kQuery, "invalid sslmode value: \"nonsense\"\n")),
            Fault::kConfiguration);
  EXPECT_EQ(FaultOf(ConnectFault(kTarget, ConnectionKind::kQuery, "invalid port number: \"x\"\n")),
            Fault::kConfiguration);
}

TEST(ConnectFault, ASettingThatTheServerDoesNotTakeIsLasting) {
  EXPECT_EQ(FaultOf(Refused("FATAL:  42704: unrecognized configuration parameter \"jit\"\n")), Fault::kDatabaseRefuses);
}

TEST(ConnectFault, TheSameAnswerTwiceIsSaidOnce) {
  const std::string once = "connection to server at \"x\" (1.2.3.4), port 1 failed: FATAL:  28P01: refused\n";
  EXPECT_EQ(Text(ConnectFault(kTarget, ConnectionKind::kQuery, once + once)),
            Text(ConnectFault(kTarget, ConnectionKind::kQuery, once)));
}

TEST(ConnectFault, NoPasswordAtAllNamesTheKey) {
  const absl::Status status = Refused("fe_sendauth: no password supplied\n");
  EXPECT_EQ(FaultOf(status), Fault::kDatabaseRefuses);
  EXPECT_THAT(Text(status), HasSubstr("set database.password"));
}

TEST(CommandFault, RightsAreLastingAllElsePasses) {
  EXPECT_EQ(FaultOf(CommandFault(kTarget, {"42501", "permission denied", ""}, "reading")), Fault::kDatabaseRefuses);
  for (const char* state : {"57P01", "57014", "53200", "40001", "42P01", "55006", ""}) {
    EXPECT_EQ(FaultOf(CommandFault(kTarget, {state, "x", ""}, "reading")), Fault::kPassing) << state;
  }
  EXPECT_EQ(Text(CommandFault(kTarget, {"57P01", "terminating", ""}, "reading")),
            "reading failed in database \"shop\" at db.example:5432: terminating (SQLSTATE 57P01)");
}

TEST(CommandFault, WhatMayQuoteDataIsLeftOut) {
  for (const char* state : {"22P02", "22021", "23505", "P0001"}) {
    EXPECT_THAT(Text(CommandFault(kTarget, {state, "invalid: \"card 4711\"", ""}, "reading")), Not(HasSubstr("4711")))
        << state;
  }
}

TEST(StartFault, OptionsThatTheServerDoesNotKnowAreTheConfigurations) {
  const absl::Status status = StartFault(kTarget, {"XX000", "unrecognized pgoutput option: origin", ""});
  EXPECT_EQ(FaultOf(status), Fault::kConfiguration);
  EXPECT_THAT(Text(status), HasSubstr("slot.stream.params"));
}

TEST(StartFault, RemovedWalIsALostSlot) {
  const absl::Status status = StartFault(kTarget, {"58P01", "requested WAL segment has already been removed", ""});
  EXPECT_EQ(FaultOf(status), Fault::kSlot);
  EXPECT_THAT(Text(status), HasSubstr("pg_drop_replication_slot('orders')"));
}

TEST(StartFault, ABusySlotPassesHereAndIsLookedAtByTheCaller) {
  EXPECT_EQ(FaultOf(StartFault(kTarget, {"55006", "replication slot is active", ""})), Fault::kPassing);
}

TEST(StreamFault, AMissingPublicationNamesBothObjectsPositionAndChoices) {
  const absl::Status status = StreamFault(kTarget, {"42704", "publication \"outbox_pub\" does not exist",
                                                    "slot \"orders\", output plugin \"pgoutput\", in the change "
                                                    "callback, associated LSN 0/15D68A0\nSTATEMENT: x/y"});
  EXPECT_EQ(FaultOf(status), Fault::kPublication);
  for (const char* part : {"\"outbox_pub\"", "\"orders\"", "0/15D68A0", "pg_drop_replication_slot('orders')",
                           "pg_replication_slot_advance('orders'"}) {
    EXPECT_THAT(Text(status), HasSubstr(part));
  }
}

TEST(StreamFault, TheServersEndPasses) {
  EXPECT_EQ(FaultOf(StreamFault(kTarget, {"57P01", "terminating connection due to administrator command", ""})),
            Fault::kPassing);
  const absl::Status broken = StreamFault(kTarget, {"", "server closed the connection unexpectedly\n", ""});
  EXPECT_EQ(FaultOf(broken), Fault::kPassing);
  EXPECT_THAT(Text(broken), Not(HasSubstr("\n")));
}

TEST(StreamFault, ARowThatCannotBeSentNamesItsPositionOnly) {
  const absl::Status status = StreamFault(
      kTarget, {"22P05", "character \"4711\" has no equivalent", "slot \"orders\", associated LSN 16/B374D848"});
  EXPECT_EQ(SqlstateOf(status), "22P05");
  EXPECT_THAT(Text(status), HasSubstr("16/B374D848"));
  EXPECT_THAT(Text(status), Not(HasSubstr("4711")));
}

}  // namespace
}  // namespace postrider::postgres
