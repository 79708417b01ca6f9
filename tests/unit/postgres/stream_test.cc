// Needs a server; see test_server.h.
#include "postgres/stream.h"

#include <gmock/gmock.h>

#include <set>

#include "test_server.h"

namespace postrider::postgres {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class StreamTest : public ServerTest {};

std::string Text(const absl::Status& status) {
  return std::string(status.message());
}

TEST_F(StreamTest, DeliversCommittedInsertsAndConfirmsTheirEnd) {
  const Connected connected = *Connect();
  EXPECT_FALSE(connected.source->is_snapshot());
  admin_->Sql("INSERT INTO outbox VALUES (1, 'a')");
  admin_->Sql("BEGIN; INSERT INTO outbox VALUES (2, 'gone'); ROLLBACK");
  admin_->Sql("INSERT INTO outbox VALUES (3, NULL), (4, '')");
  Reader reader(connected.source.get());
  reader.ReadRows(3);
  ASSERT_EQ(reader.rows.size(), 3);
  EXPECT_THAT(reader.rows[0].columns, ElementsAre("t:1", "t:a"));
  EXPECT_THAT(reader.rows[1].columns, ElementsAre("t:3", "n:"));
  EXPECT_THAT(reader.rows[2].columns, ElementsAre("t:4", "t:"));
  EXPECT_EQ(SlotField("confirmed_flush_lsn"), connected.start_lsn.ToString()) << "nothing was confirmed yet";
  ASSERT_TRUE(connected.source->SendStatus(reader.commit_end, reader.commit_end, false).ok());
  EXPECT_TRUE(IsTrueSoon("(SELECT confirmed_flush_lsn = '" + reader.commit_end.ToString() +
                         "' FROM pg_replication_slots WHERE slot_name = '" + name_ + "')"));
}

TEST_F(StreamTest, AnswersAQuestionForThePositionWithAKeepalive) {
  const Connected connected = *Connect();
  Reader reader(connected.source.get());
  admin_->Sql("CREATE TABLE other (a int); INSERT INTO other SELECT generate_series(1, 1000)");
  const std::string before = admin_->Sql("SELECT pg_current_wal_lsn()");
  reader.ReadUntil([&] {
    EXPECT_TRUE(connected.source->SendStatus(connected.start_lsn, connected.start_lsn, true).ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return reader.keepalive_end >= Lsn::Parse(before).value();
  });
  EXPECT_GE(reader.keepalive_end, Lsn::Parse(before).value());
  EXPECT_TRUE(reader.rows.empty());
}

TEST_F(StreamTest, AReconnectResumesAtThePositionOfTheSameServerAlone) {
  Connected connected = *Connect();
  admin_->Sql("INSERT INTO outbox VALUES (1, 'a')");
  Reader first(connected.source.get());
  first.ReadRows(1);
  admin_->Sql("INSERT INTO outbox VALUES (2, 'b')");
  connected.source.reset();
  ASSERT_TRUE(IsTrueSoon("NOT (SELECT active FROM pg_replication_slots WHERE slot_name = '" + name_ + "')"));

  // Nothing was confirmed: the slot still stands before row 1.
  Connected again = *Connect({.resume_lsn = first.commit_end, .expected = connected.identity, .first = false});
  EXPECT_TRUE(again.resumed);
  EXPECT_EQ(again.start_lsn, first.commit_end);
  Reader resumed(again.source.get());
  resumed.ReadRows(1);
  EXPECT_THAT(resumed.rows.at(0).columns, ElementsAre("t:2", "t:b"));
  again.source.reset();
  ASSERT_TRUE(IsTrueSoon("NOT (SELECT active FROM pg_replication_slots WHERE slot_name = '" + name_ + "')"));

  ServerIdentity restarted = connected.identity;
  --restarted.started_at_us;
  const Connected anew = *Connect({.resume_lsn = first.commit_end, .expected = restarted, .first = false});
  EXPECT_FALSE(anew.resumed);
  Reader repeated(anew.source.get());
  repeated.ReadRows(2);
  EXPECT_THAT(repeated.rows.at(0).columns, ElementsAre("t:1", "t:a"));
}

TEST_F(StreamTest, AnotherClusterIsRefused) {
  ServerIdentity other = Connect()->identity;
  other.system_identifier += "0";
  connector_.reset();
  const absl::Status status = ConnectFails({.resume_lsn = Lsn(1), .expected = other, .first = false});
  EXPECT_TRUE(FaultOf(status) == Fault::kContinuity || IsStandby(status)) << status;
  if (IsStandby(status)) {
    ASSERT_TRUE(IsTrueSoon("NOT (SELECT active FROM pg_replication_slots WHERE slot_name = '" + name_ + "')"));
    EXPECT_EQ(FaultOf(ConnectFails({.resume_lsn = Lsn(1), .expected = other, .first = false})), Fault::kContinuity);
  }
}

TEST_F(StreamTest, SettingsOfRoleAndDatabaseDoNotChangeTheBytes) {
  admin_->Sql("ALTER ROLE " + name_ + " SET bytea_output = 'escape'; ALTER ROLE " + name_ +
              " SET datestyle = 'German'; ALTER ROLE " + name_ + " SET timezone = 'Asia/Kolkata'; ALTER ROLE " + name_ +
              " SET extra_float_digits = 0; ALTER ROLE " + name_ + " SET intervalstyle = 'iso_8601'; ALTER ROLE " +
              name_ + " SET client_encoding = 'LATIN1'; ALTER ROLE " + name_ + " SET xmlbinary = 'hex'; ALTER ROLE " +
              name_ + " SET client_min_messages = 'error'; ALTER DATABASE " + name_ +
              " SET statement_timeout = '1ms'; ALTER ROLE " + name_ + " SET default_transaction_read_only = on");
  admin_->Sql("ALTER TABLE outbox ADD b bytea, ADD t timestamptz, ADD f float4, ADD i interval");
  const Connected connected = *Connect();
  admin_->Sql("INSERT INTO outbox VALUES (1, 'é', '\\x00ff', '2026-01-02 03:04:05.678901+02', 0.1, '1 day 2 hours')");
  Reader reader(connected.source.get());
  reader.ReadRows(1);
  EXPECT_THAT(reader.rows.at(0).columns,
              ElementsAre("t:1", "t:é", "t:\\x00ff", "t:2026-01-02 01:04:05.678901+00", "t:0.1", "t:1 day 02:00:00"));
}

TEST_F(StreamTest, ATransactionTimeoutOfTheRoleDoesNotCutTheStream) {
  if (admin_->version() < 170000) GTEST_SKIP() << "transaction_timeout came with 17";
  admin_->Sql("ALTER ROLE " + name_ + " SET transaction_timeout = '50ms'");
  const Connected connected = *Connect();
  admin_->Sql("INSERT INTO outbox SELECT n, repeat('x', 1000) FROM generate_series(1, 50000) n");
  Reader reader(connected.source.get());
  reader.ReadRows(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  reader.ReadRows(50'000);
  EXPECT_TRUE(reader.status.ok()) << reader.status;
}

TEST_F(StreamTest, ARowOfManyMegabytesComesWhole) {
  const Connected connected = *Connect();
  admin_->Sql("INSERT INTO outbox VALUES (1, repeat('0123456789', 3000000))");
  Reader reader(connected.source.get());
  reader.ReadRows(1);
  EXPECT_EQ(reader.rows.at(0).columns.at(1).size(), 30'000'002);
}

TEST_F(StreamTest, TellsHowMuchWaitsInTheSocket) {
  const Connected connected = *Connect();
  admin_->Sql("INSERT INTO outbox SELECT n, repeat('x', 100) FROM generate_series(1, 20000) n");
  for (int attempt = 0; attempt < 100 && connected.source->WaitingBytes() < 100'000; ++attempt)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GE(connected.source->WaitingBytes(), 100'000);
  Reader reader(connected.source.get());
  reader.ReadRows(20'000);
  EXPECT_LT(connected.source->WaitingBytes(), 1'000) << "a keepalive at the most";
}

TEST_F(StreamTest, ATerminatedSessionIsAPassingFault) {
  const Connected connected = *Connect();
  Reader reader(connected.source.get());
  admin_->Sql("SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = '" + name_ + "'");
  reader.ReadUntil([] { return false; });
  EXPECT_EQ(FaultOf(reader.status), Fault::kPassing) << reader.status;
  EXPECT_THAT(Text(reader.status), HasSubstr("57P01"));
}

// What pgoutput does then: an error up to 17, rows skipped with a warning from 18 on.
TEST_F(StreamTest, APublicationYoungerThanTheSlotEndsTheStreamForGood) {
  // The warning has to come through whatever the role says.
  admin_->Sql("ALTER ROLE " + name_ + " SET client_min_messages = 'error'");
  admin_->Sql("SELECT pg_create_logical_replication_slot('" + name_ + "', 'pgoutput')");
  admin_->Sql("INSERT INTO outbox VALUES (1, 'before the publication')");
  const Connected connected = *Connect();
  Reader reader(connected.source.get());
  admin_->Sql("INSERT INTO outbox VALUES (2, 'after')");
  reader.ReadUntil([] { return false; });
  EXPECT_EQ(FaultOf(reader.status), Fault::kPublication) << reader.status;
  EXPECT_THAT(Text(reader.status), HasSubstr("dbz_publication"));
  EXPECT_THAT(Text(reader.status), HasSubstr("pg_replication_slot_advance('" + name_ + "'"));
  EXPECT_TRUE(reader.rows.empty());
}

TEST_F(StreamTest, AnOptionThatTheServerDoesNotKnowIsTheConfigurations) {
  config_.slot.stream_params = {{"nonsense", "1"}};
  const absl::Status status = ConnectFails();
  EXPECT_EQ(FaultOf(status), Fault::kConfiguration) << status;
  EXPECT_THAT(Text(status), HasSubstr("slot.stream.params"));
}

TEST_F(StreamTest, TheServersTimeoutIsReportedAndNeverOff) {
  EXPECT_EQ(Connect()->wal_sender_timeout_ms, 60'000);
  connector_.reset();
  ASSERT_TRUE(IsTrueSoon("NOT (SELECT active FROM pg_replication_slots WHERE slot_name = '" + name_ + "')"));
  admin_->Sql("ALTER ROLE " + name_ + " SET wal_sender_timeout = '5s'");
  EXPECT_EQ(Connect()->wal_sender_timeout_ms, 5'000);
  connector_.reset();
  ASSERT_TRUE(IsTrueSoon("NOT (SELECT active FROM pg_replication_slots WHERE slot_name = '" + name_ + "')"));
  admin_->Sql("ALTER ROLE " + name_ + " SET wal_sender_timeout = 0");
  EXPECT_EQ(Connect()->wal_sender_timeout_ms, 60'000);
}

}  // namespace
}  // namespace postrider::postgres
