// Needs a server; see test_server.h.
#include "postgres/snapshot.h"

#include <gmock/gmock.h>

#include <atomic>
#include <set>

#include "test_server.h"

namespace postrider::postgres {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SnapshotTest : public ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    config_.snapshot.mode = config::SnapshotMode::kInitial;
  }
  // The rows of a whole snapshot; the slot is made.
  std::vector<Row> WholeSnapshot() {
    Connected connected = *Connect();
    EXPECT_TRUE(connected.source->is_snapshot());
    Reader reader(connected.source.get());
    reader.ReadUntil([] { return false; });
    EXPECT_TRUE(reader.ended) << reader.status;
    EXPECT_EQ(reader.transactions, 1);
    const absl::Status finished = FinishSnapshot(std::move(connected.source));
    EXPECT_TRUE(finished.ok()) << finished;
    return reader.rows;
  }
};

std::string Text(const absl::Status& status) {
  return std::string(status.message());
}

TEST_F(SnapshotTest, MeetsTheStreamExactlyWhileRowsAreWritten) {
  admin_->Sql("INSERT INTO outbox SELECT n, repeat('x', 100) FROM generate_series(1, 20000) n");
  std::atomic<bool> enough = false;
  std::atomic<int> last = 20'000;
  Admin writer_session(name_, "");
  std::thread writer([&] {
    while (!enough) writer_session.Sql("INSERT INTO outbox VALUES (" + std::to_string(++last) + ", 'later')");
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));

  // A first attempt that dies in its middle leaves nothing behind.
  {
    Connected connected = *Connect();
    Reader reader(connected.source.get());
    reader.ReadUntil([&] { return reader.rows.size() > 7'000; });
    ASSERT_TRUE(reader.status.ok()) << reader.status;
  }
  EXPECT_TRUE(IsTrueSoon("count(*) = 0 FROM pg_replication_slots WHERE slot_name LIKE '" + name_ + "%'"));

  Connected connected = *Connect();
  Reader snapshot(connected.source.get());
  snapshot.ReadUntil([] { return false; });
  ASSERT_TRUE(snapshot.ended) << snapshot.status;
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const absl::Status finished = FinishSnapshot(std::move(connected.source));
  ASSERT_TRUE(finished.ok()) << finished;
  EXPECT_EQ(SlotField("temporary"), "f");
  EXPECT_EQ(SlotField("confirmed_flush_lsn"), connected.start_lsn.ToString());
  EXPECT_TRUE(IsTrueSoon("count(*) = 1 FROM pg_replication_slots WHERE slot_name LIKE '" + name_ + "%'"));

  Connected streaming = *Connect();
  EXPECT_FALSE(streaming.source->is_snapshot());
  EXPECT_EQ(streaming.start_lsn, connected.start_lsn);
  enough = true;
  writer.join();
  Reader stream(streaming.source.get());
  stream.ReadUntil(
      [&] { return !stream.rows.empty() && stream.rows.back().columns[0] == "t:" + std::to_string(last); });
  std::multiset<std::string> ids;
  for (const std::vector<Row>* rows : {&snapshot.rows, &stream.rows})
    for (const Row& row : *rows) ids.insert(row.columns[0]);
  EXPECT_EQ(ids.size(), static_cast<size_t>(last)) << "no row twice";
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), static_cast<size_t>(last)) << "no row left out";
  EXPECT_GT(snapshot.rows.size(), 20'000) << "rows written before the snapshot";
  EXPECT_GT(stream.rows.size(), 10) << "rows written during the snapshot";
}

TEST_F(SnapshotTest, GivesTheSameBytesAsTheStream) {
  admin_->Sql(
      "CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE DOMAIN email AS varchar(40) NOT NULL; DROP TABLE outbox;"
      "CREATE TABLE outbox (id int, t text, j json, jb jsonb, b bytea, ts timestamptz, d date, i interval, n "
      "numeric(10, 2), r real, m money,"
      " mo mood, mos mood[], em email, v varchar(30), a text[], x xml, u uuid, rc regclass, o bool, g int GENERATED "
      "ALWAYS AS (id * 2) STORED)");
  admin_->Sql("ALTER TABLE outbox OWNER TO " + name_);
  admin_->Sql("ALTER ROLE " + name_ + " SET datestyle = 'German'; ALTER ROLE " + name_ +
              " SET bytea_output = 'escape'");
  const std::string insert =
      "INSERT INTO outbox VALUES (1, E'tab\\there\\nline\\\\N\\r\\b\\f\\v é', '{\"a\":  1}', '{\"b\": [1, "
      "\"x\\\\ny\"]}', '\\x00ff5c0a',"
      " '2026-01-02 03:04:05.678901+02', '0044-03-15 BC', '1 year 2 days 03:04:05.6', 'NaN', 'Infinity', 1234.5,"
      " 'ok', '{sad,ok}', 'a@b.c', '\\N', E'{\"a\\tb\",NULL,\"\"}', '<a>&lt;</a>', "
      "'00000000-0000-4000-8000-000000000001', 'outbox', true)";
  admin_->Sql(insert);
  Connected connected = *Connect();
  Reader snapshot(connected.source.get());
  snapshot.ReadUntil([] { return false; });
  ASSERT_TRUE(FinishSnapshot(std::move(connected.source)).ok());
  admin_->Sql(insert);
  const Connected streaming = *Connect();
  Reader stream(streaming.source.get());
  stream.ReadRows(1);
  ASSERT_EQ(snapshot.rows.size(), 1);
  EXPECT_EQ(snapshot.rows[0].columns, stream.rows.at(0).columns);
  EXPECT_EQ(snapshot.rows[0].columns.size(), 20) << "without the generated column";
  EXPECT_EQ(snapshot.relations, stream.relations);
}

TEST_F(SnapshotTest, OfAnEmptyTableEndsAndMakesTheSlot) {
  EXPECT_TRUE(WholeSnapshot().empty());
  EXPECT_EQ(SlotField("plugin"), "pgoutput");
  EXPECT_FALSE(Connect()->source->is_snapshot());
}

TEST_F(SnapshotTest, IsNotTakenWhereASlotIsThere) {
  admin_->Sql("CREATE PUBLICATION dbz_publication FOR TABLE outbox WITH (publish = 'insert')");
  admin_->Sql("SELECT pg_create_logical_replication_slot('" + name_ + "', 'pgoutput')");
  admin_->Sql("INSERT INTO outbox VALUES (1, 'written after the slot')");
  const Connected connected = *Connect();
  EXPECT_FALSE(connected.source->is_snapshot());
  EXPECT_THAT(connected.slot_note, HasSubstr("took over"));
  Reader reader(connected.source.get());
  reader.ReadRows(1);
  EXPECT_THAT(reader.rows.at(0).columns, ElementsAre("t:1", "t:written after the slot"));
}

TEST_F(SnapshotTest, AnOverridesStatementIsReadInsteadOfTheTable) {
  admin_->Sql("INSERT INTO outbox SELECT n, 'p' || n FROM generate_series(1, 5) n");
  config_.snapshot.select_overrides = {
      {"public.outbox", "SELECT 'new' AS payload, id FROM outbox WHERE id > 2 ORDER BY id DESC; -- newest first"}};
  config_.snapshot.select_overrides[0].second =
      "SELECT 'new' AS payload, id FROM outbox WHERE id > 2 ORDER BY id DESC;";
  const std::vector<Row> rows = WholeSnapshot();
  ASSERT_EQ(rows.size(), 3);
  EXPECT_THAT(rows[0].columns, ElementsAre("t:5", "t:new"));
  EXPECT_THAT(rows[2].columns, ElementsAre("t:3", "t:new"));
}

TEST_F(SnapshotTest, AnOverrideThatIsNoStatementIsTheConfigurations) {
  config_.snapshot.select_overrides = {{"public.outbox", "SELECT nonsense FROM outbox"}};
  const absl::Status status = ConnectFails();
  EXPECT_EQ(FaultOf(status), Fault::kConfiguration) << status;
  EXPECT_THAT(Text(status), HasSubstr("snapshot.select.statement.overrides.public.outbox"));
  EXPECT_TRUE(IsTrueSoon("count(*) = 0 FROM pg_replication_slots WHERE slot_name LIKE '" + name_ + "%'"));
}

TEST_F(SnapshotTest, APartitionedTableIsReadOnceUnderTheNameThatTheStreamUses) {
  admin_->Sql(
      "DROP TABLE outbox; CREATE TABLE outbox (id int, payload text) PARTITION BY RANGE (id);"
      "CREATE TABLE outbox_p1 PARTITION OF outbox FOR VALUES FROM (0) TO (10); CREATE TABLE outbox_p2 PARTITION OF "
      "outbox FOR VALUES FROM (10) TO (20)");
  for (const char* table : {"outbox", "outbox_p1", "outbox_p2"})
    admin_->Sql(std::string("ALTER TABLE ") + table + " OWNER TO " + name_);
  admin_->Sql("INSERT INTO outbox VALUES (1, 'a'), (11, 'b')");
  const std::vector<Row> rows = WholeSnapshot();
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].table, "outbox");
  admin_->Sql("INSERT INTO outbox VALUES (2, 'c')");
  const Connected streaming = *Connect();
  Reader stream(streaming.source.get());
  stream.ReadRows(1);
  EXPECT_EQ(stream.rows.at(0).table, "outbox");
}

TEST_F(SnapshotTest, HoldsBackWhatThePublicationHoldsBack) {
  if (admin_->version() < 150000) GTEST_SKIP() << "row filters and column lists came with 15";
  admin_->Sql("ALTER TABLE outbox ADD hidden text");
  admin_->Sql(
      "CREATE PUBLICATION dbz_publication FOR TABLE outbox (id, payload) WHERE (id > 1) WITH (publish = 'insert')");
  admin_->Sql("INSERT INTO outbox VALUES (1, 'a', 'h'), (2, 'b', 'h')");
  const std::vector<Row> rows = WholeSnapshot();
  ASSERT_EQ(rows.size(), 1);
  EXPECT_THAT(rows[0].columns, ElementsAre("t:2", "t:b"));
}

TEST_F(SnapshotTest, WithoutTheRightToReadNamesTheGrants) {
  admin_->Sql("ALTER TABLE outbox OWNER TO CURRENT_USER; REVOKE ALL ON outbox FROM " + name_);
  admin_->Sql("CREATE PUBLICATION dbz_publication FOR TABLE outbox WITH (publish = 'insert')");
  Connected connected = *Connect();
  Reader reader(connected.source.get());
  reader.ReadUntil([] { return false; });
  EXPECT_EQ(FaultOf(reader.status), Fault::kDatabaseRefuses) << reader.status;
  EXPECT_THAT(Text(reader.status), HasSubstr("GRANT SELECT ON \"public\".\"outbox\" TO \"" + name_ + "\""));
}

TEST_F(SnapshotTest, ThatRowSecurityWouldThinOutFails) {
  admin_->Sql(
      "INSERT INTO outbox VALUES (1, 'a'), (2, 'b'); ALTER TABLE outbox ENABLE ROW LEVEL SECURITY; ALTER TABLE outbox "
      "OWNER TO CURRENT_USER;"
      "GRANT SELECT ON outbox TO " +
      name_ + "; CREATE POLICY one ON outbox USING (id = 1)");
  admin_->Sql("CREATE PUBLICATION dbz_publication FOR TABLE outbox WITH (publish = 'insert')");
  Connected connected = *Connect();
  Reader reader(connected.source.get());
  reader.ReadUntil([] { return false; });
  EXPECT_EQ(FaultOf(reader.status), Fault::kDatabaseRefuses) << reader.status;
  EXPECT_THAT(Text(reader.status), HasSubstr("BYPASSRLS"));
  EXPECT_TRUE(reader.rows.empty());
}

TEST_F(SnapshotTest, OfTwoRelaysOneReadsAndTheOtherStandsBy) {
  Connected connected = *Connect();
  std::unique_ptr<Connector> first = std::move(connector_);
  const absl::Status status = ConnectFails();
  EXPECT_TRUE(IsStandby(status)) << status;
  connector_ = std::move(first);
  Reader reader(connected.source.get());
  reader.ReadUntil([] { return false; });
  EXPECT_TRUE(FinishSnapshot(std::move(connected.source)).ok());
}

TEST_F(SnapshotTest, IsRepeatedWhereTheConnectionOfItsSlotBreaks) {
  admin_->Sql("INSERT INTO outbox VALUES (1, 'a')");
  Connected connected = *Connect();
  Reader reader(connected.source.get());
  reader.ReadUntil([] { return false; });
  admin_->Sql("SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name LIKE '" + name_ +
              "%'");
  ASSERT_TRUE(IsTrueSoon("count(*) = 0 FROM pg_replication_slots WHERE slot_name LIKE '" + name_ + "%'"));
  const absl::Status finished = FinishSnapshot(std::move(connected.source));
  EXPECT_EQ(FaultOf(finished), Fault::kPassing) << finished;
  EXPECT_EQ(WholeSnapshot().size(), 1);
}

TEST_F(SnapshotTest, CarriesFailoverOverWhereAsked) {
  if (admin_->version() < 170000) GTEST_SKIP() << "failover slots came with 17";
  config_.slot.failover = true;
  WholeSnapshot();
  EXPECT_EQ(SlotField("failover"), "t");
}

}  // namespace
}  // namespace postrider::postgres
