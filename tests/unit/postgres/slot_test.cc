#include "postgres/slot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "postgres/connector.h"

namespace postrider::postgres {
namespace {

using testing::HasSubstr;
using testing::Not;

const Target kTarget{
    .address = "db.example:5432", .user = "relay", .dbname = "shop", .slot = "orders", .publication = "outbox_pub"};

SlotRow Good() {
  return {.type = "logical",
          .plugin = "pgoutput",
          .database = "shop",
          .wal_status = "reserved",
          .restart_lsn = Lsn(0x100),
          .confirmed_flush_lsn = Lsn(0x200)};
}

std::string Text(const absl::Status& status) {
  return std::string(status.message());
}

TEST(CheckSlot, AGoodOneIsTaken) {
  EXPECT_TRUE(CheckSlot(kTarget, Good(), false).ok());
}

TEST(CheckSlot, AnotherPluginDatabaseOrKindIsLasting) {
  SlotRow slot = Good();
  slot.plugin = "test_decoding";
  EXPECT_EQ(FaultOf(CheckSlot(kTarget, slot, false)), Fault::kSlot);
  EXPECT_THAT(Text(CheckSlot(kTarget, slot, false)), HasSubstr("test_decoding"));
  slot = Good();
  slot.database = "other";
  EXPECT_EQ(FaultOf(CheckSlot(kTarget, slot, false)), Fault::kSlot);
  EXPECT_THAT(Text(CheckSlot(kTarget, slot, false)), HasSubstr("\"other\""));
  slot = Good();
  slot.type = "physical";
  EXPECT_EQ(FaultOf(CheckSlot(kTarget, slot, false)), Fault::kSlot);
}

TEST(CheckSlot, ALostOneNamesReasonPositionAndSqlInEveryVersion) {
  SlotRow lost13 = Good();
  lost13.wal_status = "lost";
  SlotRow conflicting16 = Good();
  conflicting16.conflicting = true;
  SlotRow idle18 = Good();
  idle18.invalidation_reason = "idle_timeout";
  for (const SlotRow& slot : {lost13, conflicting16, idle18}) {
    const absl::Status status = CheckSlot(kTarget, slot, false);
    EXPECT_EQ(FaultOf(status), Fault::kSlot);
    EXPECT_THAT(Text(status), HasSubstr("pg_drop_replication_slot('orders')"));
    EXPECT_THAT(Text(status), HasSubstr("0/200"));
  }
  EXPECT_THAT(Text(CheckSlot(kTarget, idle18, false)), HasSubstr("idle_replication_slot_timeout"));
  EXPECT_THAT(Text(CheckSlot(kTarget, lost13, false)), HasSubstr("max_slot_wal_keep_size"));
}

TEST(CheckSlot, ASyncedCopyWaitsForThePromotionAndIsReadAfterIt) {
  SlotRow slot = Good();
  slot.synced = true;
  EXPECT_EQ(FaultOf(CheckSlot(kTarget, slot, true)), Fault::kPassing);
  EXPECT_TRUE(CheckSlot(kTarget, slot, false).ok());
}

TEST(CheckSlot, WithoutAPositionItWaits) {
  SlotRow slot = Good();
  slot.confirmed_flush_lsn = Lsn();
  EXPECT_EQ(FaultOf(CheckSlot(kTarget, slot, false)), Fault::kPassing);
}

const SlotHolder kDebezium{.pid = 4711,
                           .present = true,
                           .application_name = "Debezium Streaming",
                           .client_address = "10.0.0.5",
                           .user = "dbz"};

TEST(HeldFault, AnotherProgramIsRefusedByNameAddressAndPid) {
  const absl::Status status = HeldFault(kTarget, kDebezium, config::SlotTakeover::kRefuse);
  EXPECT_EQ(FaultOf(status), Fault::kSlotHeld);
  for (const char* part : {"\"Debezium Streaming\"", "10.0.0.5", "pid 4711", "postrider.slot.takeover=wait"}) {
    EXPECT_THAT(Text(status), HasSubstr(part));
  }
  EXPECT_FALSE(IsStandby(status));
}

TEST(HeldFault, AnUnknownProgramIsAnotherOne) {
  const SlotHolder hidden{.pid = 4711, .present = true, .application_name = "", .client_address = "", .user = ""};
  EXPECT_EQ(FaultOf(HeldFault(kTarget, hidden, config::SlotTakeover::kRefuse)), Fault::kSlotHeld);
}

TEST(HeldFault, OneOfUsIsWaitedFor) {
  SlotHolder ours = kDebezium;
  ours.application_name = "postrider/orders";
  const absl::Status status = HeldFault(kTarget, ours, config::SlotTakeover::kRefuse);
  EXPECT_EQ(FaultOf(status), Fault::kPassing);
  EXPECT_TRUE(IsStandby(status));
  ours.application_name = "postriders";
  EXPECT_EQ(FaultOf(HeldFault(kTarget, ours, config::SlotTakeover::kRefuse)), Fault::kSlotHeld);
}

TEST(HeldFault, AnotherProgramIsWaitedForWhereTheConfigurationSaysSo) {
  const absl::Status status = HeldFault(kTarget, kDebezium, config::SlotTakeover::kWait);
  EXPECT_EQ(FaultOf(status), Fault::kPassing);
  EXPECT_TRUE(IsStandby(status));
}

TEST(HeldFault, ASessionThatJustEndedSaysNothingYet) {
  SlotHolder gone = kDebezium;
  gone.present = false;
  EXPECT_EQ(FaultOf(HeldFault(kTarget, gone, config::SlotTakeover::kRefuse)), Fault::kPassing);
}

TEST(CheckFreeSlots, ASnapshotNeedsTwoAndNamesThoseInUse) {
  SlotUse use{.slots_max = 4, .names = {"a", "b"}};
  EXPECT_TRUE(CheckFreeSlots(use, 2).ok());
  use.names.emplace_back("c");
  EXPECT_TRUE(CheckFreeSlots(use, 1).ok());
  const absl::Status status = CheckFreeSlots(use, 2);
  EXPECT_EQ(FaultOf(status), Fault::kDatabaseRefuses);
  for (const char* part : {"2 free replication slots", "max_replication_slots = 4", "a, b, c",
                           "ALTER SYSTEM SET max_replication_slots = 5"}) {
    EXPECT_THAT(Text(status), HasSubstr(part));
  }
}

TEST(CreateSlotCommand, IsWrittenForEachVersion) {
  EXPECT_EQ(CreateSlotCommand(130022, "s", SlotPurpose::kStream, true),
            "CREATE_REPLICATION_SLOT \"s\" LOGICAL pgoutput NOEXPORT_SNAPSHOT");
  EXPECT_EQ(CreateSlotCommand(140000, "s", SlotPurpose::kSnapshot, false),
            "CREATE_REPLICATION_SLOT \"s\" TEMPORARY LOGICAL pgoutput EXPORT_SNAPSHOT");
  EXPECT_EQ(CreateSlotCommand(150000, "s", SlotPurpose::kStream, true),
            "CREATE_REPLICATION_SLOT \"s\" LOGICAL pgoutput (SNAPSHOT 'nothing')");
  EXPECT_EQ(CreateSlotCommand(170000, "s", SlotPurpose::kStream, true),
            "CREATE_REPLICATION_SLOT \"s\" LOGICAL pgoutput (SNAPSHOT 'nothing', FAILOVER true)");
  // Refused on a temporary slot: set when the lasting one is made.
  EXPECT_EQ(CreateSlotCommand(180000, "s", SlotPurpose::kSnapshot, true),
            "CREATE_REPLICATION_SLOT \"s\" TEMPORARY LOGICAL pgoutput (SNAPSHOT 'export')");
}

TEST(StartCommand, QuotesThePublicationInsideTheLiteral) {
  config::Config config;
  config.slot.name = "orders";
  config.publication.name = "My\"Pub's";
  EXPECT_EQ(StartCommand(config, Lsn()),
            "START_REPLICATION SLOT \"orders\" LOGICAL 0/0 (proto_version '1', publication_names '\"My\"\"Pub''s\"')");
}

TEST(StartCommand, TakesStreamParametersButNoneThatChangesTheProtocol) {
  config::Config config;
  config.slot.name = "orders";
  config.slot.stream_params = {{"origin", "none"},        {"proto_version", "4"}, {"Binary", "true"},
                               {"streaming", "on"},       {"two_phase", "true"},  {"messages", "true"},
                               {"publication_names", "x"}};
  EXPECT_EQ(StartCommand(config, Lsn(0x1600000001)),
            "START_REPLICATION SLOT \"orders\" LOGICAL 16/1 (proto_version '1', publication_names "
            "'\"dbz_publication\"', \"origin\" 'none')");
}

}  // namespace
}  // namespace postrider::postgres
