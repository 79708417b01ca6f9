#include "postgres/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace postrider::postgres {
namespace {

using testing::HasSubstr;
using Result = Finding::Result;

// A healthy server before the first start; each test breaks one thing.
class ChecksTest : public testing::Test {
 protected:
  ChecksTest() {
    config_.database = {.user = "relay", .dbname = "shop"};
    config_.publication.name = "pub";
    config_.slot.name = "orders";
    config_.tables.table_include_list = "public.outbox";
    facts_.target = {.address = "db:5432", .user = "relay", .dbname = "shop", .slot = "orders", .publication = "pub"};
    facts_.server_version = 150006;
    facts_.version = "15.6";
    facts_.server.wal_level = "logical";
    facts_.slots.slots_max = 10;
    facts_.senders_max = 10;
    facts_.report.slot_limit_bytes = 1 << 30;
    facts_.report.sees_transactions = true;
    facts_.may_create = true;
    facts_.identity = ServerIdentity{.system_identifier = "71", .timeline = 1};
    facts_.tables.tables = {{.oid = 20'000,
                             .schema = "public",
                             .name = "outbox",
                             .identity = true,
                             .root_oid = 20'000,
                             .root_schema = "public",
                             .root_name = "outbox"}};
    facts_.captured = {{.oid = 20'000, .schema = "public", .name = "outbox", .root_oid = 20'000}};
    facts_.access = {{.oid = 20'000,
                      .schema = "public",
                      .name = "outbox",
                      .owned = true,
                      .readable = true,
                      .identity = true,
                      .row_filter = "",
                      .has_rows = false}};
  }

  void Publish() {
    facts_.tables.publication = PublicationRow{.inserts = true};
    facts_.tables.published = {20'000};
  }
  SlotRow& MakeSlot() {
    return facts_.server.slot.emplace(SlotRow{.type = "logical",
                                              .plugin = "pgoutput",
                                              .database = "shop",
                                              .wal_status = "reserved",
                                              .confirmed_flush_lsn = Lsn(0x100)});
  }
  TableFilter Filter() const {
    return TableFilter::Make(config_.tables.table_include_list, config_.tables.table_exclude_list, "", "").value();
  }
  Findings Publication() const { return CheckPublication(config_, Filter(), facts_); }
  Findings Tables() const { return CheckTableKinds(config_, Filter(), facts_); }

  static Finding Named(const Findings& findings, std::string_view name) {
    for (const Finding& finding : findings)
      if (finding.name == name) return finding;
    ADD_FAILURE() << "no finding " << name;
    return {};
  }
  static void ExpectFailure(const Finding& finding, Fault fault, std::string_view remedy) {
    EXPECT_EQ(finding.result, Result::kFail) << finding.text;
    EXPECT_EQ(finding.fault, fault) << finding.text;
    EXPECT_EQ(finding.remedy, remedy) << finding.text;
  }
  static void ExpectWarning(const Finding& finding, std::string_view remedy) {
    EXPECT_EQ(finding.result, Result::kWarning) << finding.text;
    EXPECT_EQ(finding.remedy, remedy) << finding.text;
  }

  config::Config config_;
  DatabaseFacts facts_;
};

TEST_F(ChecksTest, AHealthyServerPassesEverything) {
  for (const Findings& findings :
       {CheckConnections(config_, facts_), CheckSettings(facts_), CheckOwnSlot(config_, facts_),
        CheckCapacity(config_, facts_), Publication(), Tables(), CheckRights(config_, facts_),
        CheckEvidence(config_, facts_, std::optional<evidence::Record>(), "the file x")}) {
    for (const Finding& finding : findings)
      EXPECT_EQ(finding.result, Result::kPass) << finding.name << ": " << finding.text;
  }
}

// ---- connections ----------------------------------------------------------------------------------------------------

TEST_F(ChecksTest, ALoginThatFailsIsTheOnlyFinding) {
  facts_.login = FaultWithState(Fault::kDatabaseRefuses, {.sqlstate = "28P01"}, "no login");
  const Findings findings = CheckConnections(config_, facts_);
  ASSERT_EQ(findings.size(), 1);
  ExpectFailure(findings[0], Fault::kDatabaseRefuses, "database.password=PASSWORD");
}

TEST_F(ChecksTest, AServerThatIsAwayFailsAlthoughRunWouldWait) {
  facts_.login = MakeFault(Fault::kPassing, "no answer");
  ExpectFailure(CheckConnections(config_, facts_)[0], Fault::kDatabaseRefuses, "");
}

TEST_F(ChecksTest, TheRightToReplicateIsGrantedInTheProvidersOwnWay) {
  facts_.replication_login = FaultWithState(Fault::kDatabaseRefuses, {.sqlstate = "42501"}, "may not replicate");
  ExpectFailure(Named(CheckConnections(config_, facts_), "replication_login"), Fault::kDatabaseRefuses,
                "ALTER ROLE \"relay\" REPLICATION");
  facts_.provider = Provider::kAmazon;
  EXPECT_EQ(Named(CheckConnections(config_, facts_), "replication_login").remedy, "GRANT rds_replication TO \"relay\"");
}

TEST_F(ChecksTest, APgHbaLineIsGivenWhereTheAddressIsNotLetIn) {
  facts_.replication_login = FaultWithState(Fault::kDatabaseRefuses, {.sqlstate = "28000"}, "no pg_hba.conf entry");
  EXPECT_EQ(Named(CheckConnections(config_, facts_), "replication_login").remedy,
            "pg_hba.conf: host shop relay ADDRESS/32 scram-sha-256");
}

// ---- the server -----------------------------------------------------------------------------------------------------

TEST_F(ChecksTest, WalLevelHasTheProvidersOwnParameter) {
  facts_.server.wal_level = "replica";
  const auto remedy = [this](Provider provider) {
    facts_.provider = provider;
    return Named(CheckSettings(facts_), "wal_level").remedy;
  };
  ExpectFailure(Named(CheckSettings(facts_), "wal_level"), Fault::kDatabaseRefuses,
                "ALTER SYSTEM SET wal_level = 'logical'");
  EXPECT_THAT(remedy(Provider::kAmazon), HasSubstr("rds.logical_replication"));
  EXPECT_THAT(remedy(Provider::kGoogle), HasSubstr("cloudsql.logical_decoding"));
  EXPECT_THAT(remedy(Provider::kAzure), HasSubstr("azure.replication_support"));
  EXPECT_EQ(Named(CheckSettings(facts_), "server").result, Result::kPass) << "one fault, one failure";
}

TEST_F(ChecksTest, AnOldServerAndAStandbyFail) {
  facts_.server_version = 120000;
  EXPECT_EQ(Named(CheckSettings(facts_), "server").result, Result::kFail);
  facts_.server_version = 150000;
  facts_.server.in_recovery = true;
  EXPECT_EQ(Named(CheckSettings(facts_), "server").fault, Fault::kDatabaseRefuses);
}

TEST_F(ChecksTest, UnlimitedWalIsAWarningWithTheStatement) {
  facts_.report.slot_limit_bytes.reset();
  ExpectWarning(Named(CheckSettings(facts_), "wal_limit"),
                "ALTER SYSTEM SET max_slot_wal_keep_size = '20480'; SELECT pg_reload_conf()");
}

TEST_F(ChecksTest, ASnapshotNeedsASecondSlotForAWhile) {
  facts_.slots = {.slots_max = 2, .names = {"a"}};
  facts_.provider = Provider::kAmazon;
  EXPECT_EQ(Named(CheckCapacity(config_, facts_), "free_slots").remedy,
            "max_replication_slots=3 in the instance's parameter group");
  facts_.provider = Provider::kNone;
  ExpectFailure(Named(CheckCapacity(config_, facts_), "free_slots"), Fault::kDatabaseRefuses,
                "ALTER SYSTEM SET max_replication_slots = '3'");
  config_.snapshot.mode = config::SnapshotMode::kNoData;
  EXPECT_EQ(Named(CheckCapacity(config_, facts_), "free_slots").result, Result::kPass);
}

TEST_F(ChecksTest, FullServersDoNotMatterToASlotThatIsThereAndRead) {
  MakeSlot().holder = SlotHolder{.pid = 5, .present = true, .application_name = "postrider/orders"};
  facts_.slots = {.slots_max = 1, .names = {"orders"}};
  facts_.senders_used = facts_.senders_max;
  for (const Finding& finding : CheckCapacity(config_, facts_))
    EXPECT_EQ(finding.result, Result::kPass) << finding.text;
}

TEST_F(ChecksTest, NoFreeSenderFails) {
  facts_.senders_used = facts_.senders_max;
  ExpectFailure(Named(CheckCapacity(config_, facts_), "free_senders"), Fault::kDatabaseRefuses,
                "ALTER SYSTEM SET max_wal_senders = '20'");
}

TEST_F(ChecksTest, OnlyOtherSlotsThatNobodyReadsAreWarnedOf) {
  facts_.report.others = {{.name = "read", .active = true}, {.name = "old's", .retained_bytes = 5}};
  const Findings findings = CheckCapacity(config_, facts_);
  ExpectWarning(Named(findings, "other_slots"), "SELECT pg_drop_replication_slot('old''s')");
  EXPECT_EQ(findings.size(), 3);
}

// ---- publication and tables -----------------------------------------------------------------------------------------

TEST_F(ChecksTest, AMissingPublicationPassesOnlyWhereItCanBeMade) {
  constexpr char kSql[] = "CREATE PUBLICATION \"pub\" FOR TABLE \"public\".\"outbox\" WITH (publish = 'insert')";
  EXPECT_THAT(Publication()[0].text, HasSubstr(kSql));
  facts_.access[0].owned = false;
  ExpectFailure(Publication()[0], Fault::kDatabaseRefuses, kSql);
  config_.publication.autocreate = config::PublicationAutocreate::kDisabled;
  ExpectFailure(Publication()[0], Fault::kPublication, kSql);
}

TEST_F(ChecksTest, AMistypedListHasTheNearestTable) {
  config_.tables.table_include_list = "public.outbocks";
  ExpectFailure(Publication()[0], Fault::kConfiguration, "table.include.list=public.outbox");
}

TEST_F(ChecksTest, AnUnloggedTableFailsAloneAndIsAWarningBesideAnother) {
  facts_.tables.tables[0].persistence = 'u';
  ExpectFailure(Publication()[0], Fault::kConfiguration, "ALTER TABLE \"public\".\"outbox\" SET LOGGED");
  ExpectWarning(Named(Tables(), "table_unlogged"), "ALTER TABLE \"public\".\"outbox\" SET LOGGED");
}

TEST_F(ChecksTest, APublicationWithoutTheTableOrWithoutInsertsFails) {
  Publish();
  facts_.tables.published.clear();
  ExpectFailure(Publication()[0], Fault::kPublication, "ALTER PUBLICATION \"pub\" ADD TABLE \"public\".\"outbox\"");
  Publish();
  facts_.tables.publication->inserts = false;
  ExpectFailure(Publication()[0], Fault::kPublication, "ALTER PUBLICATION \"pub\" SET (publish = 'insert')");
}

TEST_F(ChecksTest, APartitionUnderItsOwnNameIsMendedByTheRoot) {
  Publish();
  CandidateTable leaf = facts_.tables.tables[0];
  leaf.oid = 20'001;
  leaf.name = "outbox_1";
  facts_.tables.tables[0].kind = 'p';
  facts_.tables.tables.push_back(leaf);
  facts_.tables.published = {20'001};
  ExpectFailure(Publication()[0], Fault::kPublication,
                "ALTER PUBLICATION \"pub\" SET (publish_via_partition_root = true)");
}

TEST_F(ChecksTest, AllTablesAndFiltersAreSaid) {
  Publish();
  facts_.tables.publication->all_tables = true;
  facts_.access[0].row_filter = "(id > 5)";
  const Findings findings = Publication();
  EXPECT_THAT(findings[0].text, HasSubstr("row filter"));
  EXPECT_THAT(findings[0].text, testing::Not(HasSubstr("id > 5")));
  EXPECT_EQ(Named(findings, "publication_all_tables").result, Result::kWarning);
}

TEST_F(ChecksTest, APublicationYoungerThanTheSlotIsAWarningWhileNobodyReadsIt) {
  Publish();
  MakeSlot();
  facts_.publication_may_be_younger = true;
  ExpectWarning(Named(Publication(), "publication_age"), "");
  facts_.server.slot->holder = SlotHolder{.pid = 5, .present = true};
  EXPECT_EQ(Named(Publication(), "publication_age").result, Result::kPass);
}

TEST_F(ChecksTest, UpdatesWithoutAReplicaIdentityAreAWarning) {
  Publish();
  facts_.publishes_deletes = true;
  EXPECT_TRUE(Tables().empty());
  facts_.access[0].identity = false;
  ExpectWarning(Named(Tables(), "replica_identity"), "ALTER PUBLICATION \"pub\" SET (publish = 'insert')");
  config_.publication.publish_updates = true;
  EXPECT_EQ(Named(Tables(), "replica_identity").remedy, "ALTER TABLE \"public\".\"outbox\" REPLICA IDENTITY FULL");
}

TEST_F(ChecksTest, TablesThatThePublicationLeavesOutAreNamed) {
  Publish();
  config_.tables.table_include_list = "public.outbox,public.more";
  CandidateTable more = facts_.tables.tables[0];
  more.oid = more.root_oid = 20'002;
  more.name = more.root_name = "more";
  facts_.tables.tables.push_back(more);
  ExpectWarning(Named(Tables(), "table_unpublished"), "ALTER PUBLICATION \"pub\" ADD TABLE \"public\".\"more\"");
}

TEST_F(ChecksTest, ReadingIsNeededForAFirstSnapshotAlone) {
  facts_.access[0].readable = false;
  ExpectFailure(Named(CheckRights(config_, facts_), "rights"), Fault::kDatabaseRefuses,
                "GRANT USAGE ON SCHEMA \"public\" TO \"relay\"; GRANT SELECT ON \"public\".\"outbox\" TO \"relay\"");
  MakeSlot();
  EXPECT_EQ(Named(CheckRights(config_, facts_), "rights").result, Result::kPass);
}

TEST_F(ChecksTest, HiddenRowsAndHiddenTransactionsAreFound) {
  facts_.access[0].row_security = true;
  facts_.report.sees_transactions = false;
  const Findings findings = CheckRights(config_, facts_);
  ExpectFailure(Named(findings, "rights"), Fault::kDatabaseRefuses, "ALTER ROLE \"relay\" BYPASSRLS");
  ExpectWarning(Named(findings, "pg_monitor"), "GRANT pg_monitor TO \"relay\"");
}

// ---- slot and evidence ----------------------------------------------------------------------------------------------

TEST_F(ChecksTest, ASlotThatCannotBeReadFailsWithTheWayOut) {
  MakeSlot().plugin = "test_decoding";
  ExpectFailure(CheckOwnSlot(config_, facts_)[0], Fault::kSlot, "slot.name=orders_2");
  MakeSlot().database = "other";
  ExpectFailure(CheckOwnSlot(config_, facts_)[0], Fault::kSlot, "slot.name=orders_2");
  MakeSlot().wal_status = "lost";
  ExpectFailure(CheckOwnSlot(config_, facts_)[0], Fault::kSlot, "SELECT pg_drop_replication_slot('orders')");
  config_.snapshot.mode = config::SnapshotMode::kWhenNeeded;
  EXPECT_EQ(CheckOwnSlot(config_, facts_)[0].result, Result::kWarning);
}

TEST_F(ChecksTest, ASlotInAnothersHandsFailsUnlessWeWaitForIt) {
  MakeSlot().holder = SlotHolder{.pid = 5, .present = true, .application_name = "debezium"};
  ExpectFailure(CheckOwnSlot(config_, facts_)[0], Fault::kSlotHeld, "postrider.slot.takeover=wait");
  config_.slot.takeover = config::SlotTakeover::kWait;
  EXPECT_EQ(CheckOwnSlot(config_, facts_)[0].result, Result::kWarning);
  facts_.server.slot->holder->application_name = "postrider/orders";
  EXPECT_EQ(CheckOwnSlot(config_, facts_)[0].result, Result::kPass);
}

TEST_F(ChecksTest, AMissingSlotFailsOnlyWhereNoneMayBeMade) {
  EXPECT_THAT(CheckOwnSlot(config_, facts_)[0].text, HasSubstr("publishes the rows"));
  config_.slot.create = config::SlotCreate::kNever;
  ExpectFailure(CheckOwnSlot(config_, facts_)[0], Fault::kSlot,
                "SELECT pg_create_logical_replication_slot('orders', 'pgoutput')");
}

TEST_F(ChecksTest, ASlotThatIsAboutToBeLostIsAWarning) {
  MakeSlot().wal_status = "unreserved";
  const Findings findings = CheckOwnSlot(config_, facts_);
  ASSERT_EQ(findings.size(), 2);
  ExpectWarning(findings[1], "ALTER SYSTEM SET max_slot_wal_keep_size = -1; SELECT pg_reload_conf()");
}

TEST_F(ChecksTest, TheEvidenceRecordTellsALostSlotFromAFirstStart) {
  const std::optional<evidence::Record> record = evidence::Record{
      .system_identifier = "71", .timeline = 1, .slot = "orders", .lsn = Lsn(0x200), .time_ms = 1'790'000'000'000};
  ExpectFailure(CheckEvidence(config_, facts_, record, "the file x")[0], Fault::kSlot,
                "postrider run --accept-gap FILE...");
  MakeSlot();
  EXPECT_EQ(CheckEvidence(config_, facts_, record, "the file x")[0].result, Result::kPass);
  facts_.identity->system_identifier = "72";
  EXPECT_EQ(CheckEvidence(config_, facts_, record, "the file x")[0].fault, Fault::kContinuity);
}

TEST_F(ChecksTest, ARecordThatCannotBeReadFailsAndOneThatIsAwayWarns) {
  EXPECT_EQ(CheckEvidence(config_, facts_, absl::InvalidArgumentError("torn"), "the file x")[0].fault,
            Fault::kContinuity);
  EXPECT_EQ(CheckEvidence(config_, facts_, absl::UnavailableError("away"), "the topic x")[0].result, Result::kWarning);
}

}  // namespace
}  // namespace postrider::postgres
