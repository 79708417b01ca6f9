// Needs a server; see test_server.h.
#include "postgres/connector.h"

#include <gmock/gmock.h>

#include "base/text.h"
#include "test_server.h"

namespace postrider::postgres {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class ConnectorTest : public ServerTest {
 protected:
  absl::StatusOr<Table> Lookup(uint32_t oid) {
    connector_->StartLookup(oid);
    return Await<absl::StatusOr<Table>>([&] { return connector_->TakeTable(); });
  }
  uint32_t OidOf(const std::string& table) {
    return static_cast<uint32_t>(std::stoul(admin_->Sql("SELECT '" + table + "'::regclass::oid")));
  }
  void AwaitSlotFree() {
    ASSERT_TRUE(IsTrueSoon("NOT (SELECT active FROM pg_replication_slots WHERE slot_name = '" + name_ + "')"));
  }
};

std::string Text(const absl::Status& status) {
  return std::string(status.message());
}

double SecondsOf(const std::function<void()>& action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST_F(ConnectorTest, TheFirstConnectionMakesPublicationAndSlotAndSaysWhere) {
  const absl::StatusOr<Connected> connected = Connect();
  ASSERT_TRUE(connected.ok()) << connected.status();
  EXPECT_EQ(SlotField("plugin"), "pgoutput");
  EXPECT_EQ(SlotField("confirmed_flush_lsn"), connected->start_lsn.ToString());
  EXPECT_THAT(connected->slot_note, HasSubstr("made replication slot"));
  EXPECT_EQ(admin_->Sql(
                "SELECT puballtables::text || pubinsert || pubupdate || pubdelete || pubtruncate FROM pg_publication"),
            "falsetruefalsefalsefalse");
  EXPECT_EQ(admin_->Sql("SELECT tablename FROM pg_publication_tables"), "outbox");
  EXPECT_EQ(admin_->Sql("SELECT application_name FROM pg_stat_replication WHERE pid = (SELECT active_pid FROM "
                        "pg_replication_slots WHERE slot_name = '" +
                        name_ + "')"),
            "postrider/" + name_);
  EXPECT_FALSE(connected->identity.system_identifier.empty());
  EXPECT_EQ(connected->identity.timeline, 1);
  EXPECT_EQ(std::to_string(connected->identity.started_at_us),
            admin_->Sql("SELECT (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint"));
  ASSERT_EQ(connected->tables.size(), 1);
  EXPECT_EQ(connected->tables[0].name, "outbox");
}

TEST_F(ConnectorTest, StreamsFastAfterTheStart) {
  Connect()->source.reset();
  connector_.reset();
  AwaitSlotFree();
  double best = 1;
  for (int attempt = 0; attempt < 5; ++attempt) {
    best = std::min(best, SecondsOf([&] { ASSERT_TRUE(Connect().ok()); }));
    connector_.reset();
    AwaitSlotFree();
  }
  RecordProperty("milliseconds", std::to_string(best * 1000));
  std::printf("connected and streaming in %.1f ms\n", best * 1000);
  EXPECT_LT(best, 0.5) << "on loopback it is a twentieth of this";
}

TEST_F(ConnectorTest, ASlotThatAnotherProgramHoldsIsRefusedAtOnceByItsName) {
  Connect()->source.reset();
  connector_.reset();
  AwaitSlotFree();
  Admin debezium(name_, "replication=database application_name='Debezium Streaming'");
  debezium.Sql("START_REPLICATION SLOT \"" + name_ +
               "\" LOGICAL 0/0 (proto_version '1', publication_names 'dbz_publication')");
  absl::Status status;
  EXPECT_LT(SecondsOf([&] { status = ConnectFails(); }), 5);
  EXPECT_EQ(FaultOf(status), Fault::kSlotHeld) << status;
  EXPECT_THAT(Text(status), HasSubstr("\"Debezium Streaming\""));
  EXPECT_THAT(Text(status), HasSubstr("pid " + std::to_string(debezium.pid())));
  config_.slot.takeover = config::SlotTakeover::kWait;
  connector_.reset();
  status = ConnectFails();
  EXPECT_EQ(FaultOf(status), Fault::kPassing);
  EXPECT_TRUE(IsStandby(status));
}

TEST_F(ConnectorTest, ASecondRelayStandsByAndTakesOver) {
  Connected first = *Connect();
  std::unique_ptr<Connector> leader = std::move(connector_);
  const absl::Status status = ConnectFails();
  EXPECT_EQ(FaultOf(status), Fault::kPassing);
  EXPECT_TRUE(IsStandby(status)) << status;
  first.source.reset();
  leader.reset();
  AwaitSlotFree();
  EXPECT_TRUE(Connect().ok());
}

TEST_F(ConnectorTest, ASlotOfAnotherDatabaseIsRefused) {
  Admin("postgres", "").Sql("CREATE DATABASE " + name_ + "_other TEMPLATE template0");
  Admin(name_ + "_other", "").Sql("SELECT pg_create_logical_replication_slot('" + name_ + "', 'pgoutput')");
  const absl::Status status = ConnectFails();
  EXPECT_EQ(FaultOf(status), Fault::kSlot) << status;
  EXPECT_THAT(Text(status), HasSubstr(name_ + "_other"));
  admin_->Sql("SELECT 1");
  Admin(name_ + "_other", "").Sql("SELECT pg_drop_replication_slot('" + name_ + "')");
}

TEST_F(ConnectorTest, ASlotOfAnotherPluginIsRefused) {
  Admin session(name_, "");
  session.Try("SELECT pg_create_logical_replication_slot('" + name_ + "', 'test_decoding')");
  if (SlotField("plugin") != "test_decoding") GTEST_SKIP() << "the server has no test_decoding";
  const absl::Status status = ConnectFails();
  EXPECT_EQ(FaultOf(status), Fault::kSlot) << status;
  EXPECT_THAT(Text(status), HasSubstr("test_decoding"));
}

TEST_F(ConnectorTest, ASlotThatWasThereAndIsGoneIsLasting) {
  Connect()->source.reset();
  AwaitSlotFree();
  admin_->Sql("SELECT pg_drop_replication_slot('" + name_ + "')");
  const absl::Status status = ConnectFails({.first = false});
  EXPECT_EQ(FaultOf(status), Fault::kSlot) << status;
  EXPECT_EQ(SlotField("count(*)"), "0") << "and none is made";
  // But where none was ever seen, the process may have failed before its first: it is made.
  connector_.reset();
  EXPECT_TRUE(Connect({.first = false}).ok());
}

TEST_F(ConnectorTest, ALostSlotIsLastingAndMadeGoodOnlyWhereNeeded) {
  if (Environment("POSTRIDER_TEST_EXCLUSIVE", "").empty()) {
    GTEST_SKIP() << "loses every idle slot of the server: set POSTRIDER_TEST_EXCLUSIVE=1 where no other test runs";
  }
  Connect()->source.reset();
  connector_.reset();
  AwaitSlotFree();
  admin_->Sql("INSERT INTO outbox VALUES (1, 'lost')");
  admin_->Sql("ALTER SYSTEM SET max_slot_wal_keep_size = '1MB'");
  admin_->Sql("SELECT pg_reload_conf()");
  for (int i = 0; i < 5; ++i) {
    admin_->Sql("SELECT pg_logical_emit_message(false, 'x', repeat('x', 100000))");
    admin_->Sql("SELECT pg_switch_wal()");
    admin_->Sql("CHECKPOINT");
  }
  admin_->Sql("ALTER SYSTEM RESET max_slot_wal_keep_size");
  admin_->Sql("SELECT pg_reload_conf()");
  ASSERT_EQ(SlotField("wal_status"), "lost");
  const absl::Status status = ConnectFails();
  EXPECT_EQ(FaultOf(status), Fault::kSlot) << status;
  EXPECT_THAT(Text(status), HasSubstr("pg_drop_replication_slot('" + name_ + "')"));
  config_.snapshot.mode = config::SnapshotMode::kWhenNeeded;
  connector_.reset();
  EXPECT_TRUE(Connect().value().source->is_snapshot());
}

TEST_F(ConnectorTest, AStreamIsResumedWhereTheSlotStandsWhenAnotherRelayHasReadOn) {
  absl::StatusOr<Connected> before = Connect();
  ASSERT_TRUE(before.ok()) << before.status();
  before->source.reset();
  AwaitSlotFree();
  admin_->Sql("INSERT INTO outbox VALUES (1, 'a')");
  admin_->Sql("SELECT pg_replication_slot_advance('" + name_ + "', pg_current_wal_lsn())");
  const Lsn moved = Lsn::Parse(SlotField("confirmed_flush_lsn")).value();
  ASSERT_GT(moved, before->start_lsn);
  const absl::StatusOr<Connected> again =
      Connect({.resume_lsn = before->start_lsn, .expected = before->identity, .first = false});
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again->resumed);
  EXPECT_EQ(again->start_lsn, moved) << "the evidence record would begin behind the slot";
}

TEST_F(ConnectorTest, AServerOfAnOlderTimelineIsNotRead) {
  absl::StatusOr<Connected> connected = Connect();
  ASSERT_TRUE(connected.ok()) << connected.status();
  connected->source.reset();
  AwaitSlotFree();
  ServerIdentity promoted = connected->identity;
  ++promoted.timeline;
  const absl::Status status = ConnectFails({.expected = promoted, .first = false});
  EXPECT_EQ(FaultOf(status), Fault::kPassing) << status;
  EXPECT_THAT(Text(status), HasSubstr("a former primary"));
}

TEST_F(ConnectorTest, AMissingPublicationThatMustNotBeMadeComesWithItsSql) {
  config_.publication.autocreate = config::PublicationAutocreate::kDisabled;
  const absl::Status status = ConnectFails();
  EXPECT_EQ(FaultOf(status), Fault::kPublication) << status;
  EXPECT_THAT(
      Text(status),
      HasSubstr("CREATE PUBLICATION \"dbz_publication\" FOR TABLE \"public\".\"outbox\" WITH (publish = 'insert')"));
  EXPECT_EQ(SlotField("count(*)"), "0");
}

TEST_F(ConnectorTest, WithoutTheRightToPublishTheOwnersSqlIsNamed) {
  admin_->Sql("ALTER TABLE outbox OWNER TO CURRENT_USER");
  const absl::Status status = ConnectFails();
  EXPECT_EQ(FaultOf(status), Fault::kDatabaseRefuses) << status;
  EXPECT_THAT(Text(status), HasSubstr("CREATE PUBLICATION \"dbz_publication\" FOR TABLE \"public\".\"outbox\""));
}

TEST_F(ConnectorTest, AnExistingPublicationIsNeverAltered) {
  admin_->Sql("CREATE TABLE other (a int PRIMARY KEY); CREATE PUBLICATION dbz_publication FOR TABLE outbox, other");
  ASSERT_TRUE(Connect().ok());
  EXPECT_EQ(admin_->Sql("SELECT pubdelete::text || (SELECT count(*) FROM pg_publication_tables) FROM pg_publication"),
            "true2");
}

TEST_F(ConnectorTest, APublicationDroppedWhileRunningIsNotMadeAnew) {
  Connect()->source.reset();
  AwaitSlotFree();
  admin_->Sql("DROP PUBLICATION dbz_publication");
  EXPECT_EQ(FaultOf(ConnectFails({.first = false})), Fault::kPublication);
  EXPECT_EQ(admin_->Sql("SELECT count(*) FROM pg_publication"), "0");
}

TEST_F(ConnectorTest, AnUnknownTableIsNamedWithItsNeighbour) {
  config_.tables.table_include_list = "public.outbux";
  const absl::Status status = ConnectFails();
  EXPECT_EQ(FaultOf(status), Fault::kConfiguration) << status;
  EXPECT_THAT(Text(status), HasSubstr("did you mean public.outbox?"));
}

TEST_F(ConnectorTest, ARoleThatOnlyMayReplicateStreamsFromWhatWasMadeForIt) {
  admin_->Sql("ALTER TABLE outbox OWNER TO CURRENT_USER; REVOKE ALL ON SCHEMA public FROM PUBLIC, " + name_ +
              "; REVOKE CREATE ON DATABASE " + name_ + " FROM " + name_);
  admin_->Sql("CREATE PUBLICATION dbz_publication FOR TABLE outbox WITH (publish = 'insert')");
  const absl::StatusOr<Connected> connected = Connect();
  ASSERT_TRUE(connected.ok()) << connected.status();
  admin_->Sql("INSERT INTO outbox VALUES (1, 'a')");
  Reader reader(connected->source.get());
  reader.ReadRows(1);
  EXPECT_EQ(reader.rows.size(), 1);
}

TEST_F(ConnectorTest, WithoutTheRightToReplicateTheSqlIsNamed) {
  admin_->Sql("ALTER ROLE " + name_ + " NOREPLICATION");
  const absl::Status status = ConnectFails();
  EXPECT_EQ(FaultOf(status), Fault::kDatabaseRefuses) << status;
  EXPECT_THAT(Text(status), HasSubstr("ALTER ROLE \"" + name_ + "\" REPLICATION"));
  // Once the process has streamed, a right that is missing is one that is being given back.
  EXPECT_EQ(FaultOf(ConnectFails({.first = false})), Fault::kPassing);
}

TEST_F(ConnectorTest, AWrongPasswordIsLastingAtTheStartAndARotatedOneIsReadAnew) {
  std::string password = "wrong";
  config_.database.password =
      config::Secret("${file:x}", [&](const std::string&) -> absl::StatusOr<std::string> { return password; });
  const absl::Status status = ConnectFails();
  EXPECT_EQ(FaultOf(status), Fault::kDatabaseRefuses) << status;
  EXPECT_THAT(Text(status), HasSubstr("check database.user and database.password"));
  EXPECT_THAT(Text(status), Not(HasSubstr("wrong")));
  password = "first";
  Connect()->source.reset();
  AwaitSlotFree();
  admin_->Sql("ALTER ROLE " + name_ + " PASSWORD 'second'");
  EXPECT_EQ(FaultOf(ConnectFails({.first = false})), Fault::kPassing);
  password = "second";
  EXPECT_TRUE(Connect({.first = false}).ok());
}

TEST_F(ConnectorTest, AServerThatIsNotThereIsAPassingFaultThatNamesTheAddress) {
  config_.database.port = "1";
  const absl::Status status = ConnectFails();
  EXPECT_EQ(FaultOf(status), Fault::kPassing);
  EXPECT_THAT(Text(status), HasSubstr(":1"));
  EXPECT_THAT(Text(status), HasSubstr("Connection refused"));
}

TEST_F(ConnectorTest, OfSeveralHostsTheFirstPrimaryIsTaken) {
  config_.database.hostname = "127.0.0.1," + config_.database.hostname;
  config_.database.port = "1," + config_.database.port;
  EXPECT_TRUE(Connect().ok());
}

TEST_F(ConnectorTest, InitialStatementsRunAndCannotChangeTheBytes) {
  config_.database.initial_statements = {"CREATE TABLE made_by_statement (a int)", "SET datestyle = 'German'"};
  EXPECT_TRUE(Connect().ok());
  EXPECT_EQ(admin_->Sql("SELECT count(*) FROM made_by_statement"), "0");
}

TEST_F(ConnectorTest, AnotherSnapshotAtEachStartIsRefused) {
  config_.snapshot.mode = config::SnapshotMode::kAlways;
  EXPECT_EQ(FaultOf(ConnectFails()), Fault::kConfiguration);
}

// A slot waits for every transaction that was writing before it.
TEST_F(ConnectorTest, StoppingWhileASlotIsMadeLeavesNothing) {
  Admin open(name_, "");
  open.Sql("BEGIN");
  open.Sql("INSERT INTO outbox VALUES (1, 'open')");
  connector_ = MakeConnector(config_, &wakeup_);
  // Only then, so that the publication's own transaction is not in question.
  connector_->StartConnect({});
  const std::string walsender =
      "pg_stat_activity WHERE application_name = 'postrider/" + name_ + "' AND backend_type = 'walsender'";
  ASSERT_TRUE(IsTrueSoon("count(*) = 1 FROM " + walsender + " AND wait_event_type = 'Lock'"));
  EXPECT_EQ(admin_->Sql("SELECT count(*) FROM pg_replication_slots WHERE slot_name = '" + name_ + "'"), "1")
      << "half made";
  EXPECT_LT(SecondsOf([&] { connector_.reset(); }), 1.0);
  EXPECT_TRUE(IsTrueSoon("count(*) = 0 FROM " + walsender));
  EXPECT_TRUE(IsTrueSoon("count(*) = 0 FROM pg_replication_slots WHERE slot_name = '" + name_ + "'"));
  open.Sql("ROLLBACK");
}

TEST_F(ConnectorTest, ALookupGivesTheCataloguesFacts) {
  admin_->Sql(
      "CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE DOMAIN email AS varchar(40) NOT NULL; CREATE SCHEMA shop;"
      "CREATE TABLE shop.facts (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), kind mood DEFAULT 'ok', kinds mood[], "
      "mail email,"
      " total numeric(10, 2) DEFAULT 0, doubled numeric GENERATED ALWAYS AS (total * 2) STORED, gone int, text text);"
      "ALTER TABLE shop.facts DROP COLUMN gone;"
      "CREATE TABLE parts (id int) PARTITION BY RANGE (id); CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM "
      "(0) TO (9)");
  ASSERT_TRUE(Connect().ok());
  const Table table = Lookup(OidOf("shop.facts")).value();
  EXPECT_EQ(table.schema, "shop");
  EXPECT_EQ(table.name, "facts");
  EXPECT_EQ(table.kind, 'r');
  EXPECT_EQ(table.persistence, 'p');
  EXPECT_EQ(table.root_oid, table.oid);
  std::vector<std::string> names;
  for (const TableColumn& column : table.columns) names.push_back(column.name);
  EXPECT_THAT(names, ElementsAre("id", "kind", "kinds", "mail", "total", "doubled", "text"));
  const TableColumn& id = table.columns[0];
  EXPECT_TRUE(id.not_null);
  EXPECT_EQ(id.default_expression, "gen_random_uuid()");
  EXPECT_EQ(id.type.name, "uuid");
  EXPECT_EQ(table.columns[1].default_expression, "'ok'::mood");
  EXPECT_THAT(table.columns[1].type.enum_labels, ElementsAre("sad", "ok"));
  EXPECT_EQ(table.columns[2].type.element_name, "mood");
  EXPECT_EQ(table.columns[2].type.element_kind, 'e');
  EXPECT_EQ(table.columns[3].type.name, "varchar");
  EXPECT_EQ(table.columns[3].type.modifier, 44);
  EXPECT_TRUE(table.columns[3].not_null);
  EXPECT_EQ(table.columns[4].type.modifier, (10 << 16 | 2) + 4);
  EXPECT_TRUE(table.columns[5].generated);
  EXPECT_FALSE(table.columns[5].default_expression.has_value());
  const Table leaf = Lookup(OidOf("parts_1")).value();
  EXPECT_EQ(leaf.root_name, "parts");
  EXPECT_EQ(leaf.root_oid, OidOf("parts"));
  EXPECT_TRUE(absl::IsNotFound(Lookup(4'000'000'000).status()));
}

TEST_F(ConnectorTest, ASessionEndedByHandIsNoServerThatStops) {
  ASSERT_TRUE(Connect().ok());
  admin_->Sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'postrider/" + name_ +
              "' AND backend_type = 'client backend'");
  EXPECT_TRUE(IsTrueSoon("count(*) = 1 FROM pg_stat_activity WHERE application_name = 'postrider/" + name_ +
                         "' AND backend_type = 'client backend'"))
      << "another one is kept";
  EXPECT_FALSE(connector_->server_stopping());
  EXPECT_TRUE(Lookup(OidOf("outbox")).ok());
}

TEST_F(ConnectorTest, DropsItsSlot) {
  Connect()->source.reset();
  EXPECT_TRUE(connector_->DropSlot().ok());
  EXPECT_EQ(SlotField("count(*)"), "0");
  EXPECT_TRUE(connector_->DropSlot().ok()) << "and one that is gone is fine";
}

}  // namespace
}  // namespace postrider::postgres
