// Needs a server; see test_server.h.
#include "postgres/slot_report.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "test_server.h"

namespace postrider::postgres {
namespace {

using testing::HasSubstr;

class SlotReportTest : public ServerTest {
 protected:
  SlotReport Read() {
    if (!reporter_) {
      auto made = SlotReporter::Open(config_, &stop_);
      EXPECT_TRUE(made.ok()) << made.status();
      reporter_ = *std::move(made);
    }
    auto report = reporter_->Read();
    EXPECT_TRUE(report.ok()) << report.status();
    return report.value_or(SlotReport{});
  }
  void MakeSlot() { admin_->Sql("SELECT pg_create_logical_replication_slot('" + name_ + "', 'pgoutput')"); }
  void Write(int bytes) {
    admin_->Sql("SELECT pg_logical_emit_message(true, 'filler', repeat('x', " + std::to_string(bytes) + "))");
  }
  void GrantStatistics() { admin_->Sql("GRANT pg_monitor TO " + name_); }

  Wakeup stop_;
  std::unique_ptr<SlotReporter> reporter_;
};

TEST_F(SlotReportTest, AMissingSlotIsAbsentAndTheServerIsDescribed) {
  const SlotReport report = Read();
  EXPECT_FALSE(report.slot.has_value());
  EXPECT_EQ(report.server_version, admin_->version());
  EXPECT_FALSE(report.in_recovery);
  EXPECT_EQ(report.timeline, 1u);
  EXPECT_TRUE(report.current_lsn.valid());
  EXPECT_EQ(report.segment_bytes, 16 * 1024 * 1024);
  EXPECT_GT(report.slots_max, 0);
  EXPECT_NEAR(static_cast<double>(report.server_us), std::stod(admin_->Sql("SELECT extract(epoch FROM now())")) * 1e6,
              5e6);
}

TEST_F(SlotReportTest, TheLagGrowsByWhatIsWritten) {
  MakeSlot();
  const SlotReport before = Read();
  ASSERT_TRUE(before.slot.has_value());
  EXPECT_EQ(before.slot->name, name_);
  EXPECT_EQ(before.slot->plugin, "pgoutput");
  EXPECT_EQ(before.slot->database, name_);
  EXPECT_FALSE(before.slot->active);
  EXPECT_EQ(before.slot->wal_status, "reserved");
  EXPECT_FALSE(before.slot->lost());
  Write(300'000);
  const SlotReport after = Read();
  ASSERT_TRUE(after.slot && after.slot->retained_bytes && after.slot->unconfirmed_bytes);
  EXPECT_GE(*after.slot->retained_bytes, *before.slot->retained_bytes + 300'000);
  EXPECT_GE(*after.slot->unconfirmed_bytes, *before.slot->unconfirmed_bytes + 300'000);
  EXPECT_GE(*after.slot->retained_bytes, *after.slot->unconfirmed_bytes);
  EXPECT_EQ(after.slot->confirmed_flush_lsn, before.slot->confirmed_flush_lsn);
  EXPECT_GT(after.current_lsn, before.current_lsn);
}

TEST_F(SlotReportTest, AReaderIsSeenWithItsName) {
  config_.publication.autocreate = config::PublicationAutocreate::kFiltered;
  auto connected = Connect();
  ASSERT_TRUE(connected.ok()) << connected.status();
  const SlotReport report = Read();
  ASSERT_TRUE(report.slot.has_value());
  EXPECT_TRUE(report.slot->active);
  EXPECT_GT(report.slot->active_pid, 0);
  EXPECT_EQ(report.slot->application_name, "postrider/" + name_);
  EXPECT_FALSE(report.slot->inactive_since_us.has_value() && report.server_version < 170000);
}

TEST_F(SlotReportTest, FromVersion17OnASlotWithoutReaderTellsSinceWhen) {
  if (admin_->version() < 170000) GTEST_SKIP() << "the server is older";
  MakeSlot();
  const SlotReport report = Read();
  ASSERT_TRUE(report.slot && report.slot->inactive_since_us);
  EXPECT_LT(report.server_us - *report.slot->inactive_since_us, 60'000'000);
}

TEST_F(SlotReportTest, OtherSlotsAreListedBesideOurs) {
  MakeSlot();
  admin_->Sql("SELECT pg_create_physical_replication_slot('" + name_ + "_other', true)");
  const SlotReport report = Read();
  ASSERT_TRUE(report.slot.has_value());
  const auto other = std::find_if(report.others.begin(), report.others.end(),
                                  [&](const SlotReading& slot) { return slot.name == name_ + "_other"; });
  ASSERT_NE(other, report.others.end());
  EXPECT_EQ(other->plugin, "");
  EXPECT_FALSE(other->active);
}

TEST_F(SlotReportTest, ARoleWithoutRightsSeesTheSlotAndSaysWhatItDoesNotSee) {
  MakeSlot();
  Admin writer(name_, "");
  writer.Sql("BEGIN");
  writer.Sql("INSERT INTO outbox VALUES (1)");
  const SlotReport report = Read();
  EXPECT_TRUE(report.slot.has_value());
  EXPECT_FALSE(report.sees_transactions);
  EXPECT_FALSE(report.oldest.has_value()) << "one that is seen may not be the oldest";
  EXPECT_THAT(report.blind_for, HasSubstr("GRANT pg_monitor TO"));
  writer.Sql("ROLLBACK");
}

TEST_F(SlotReportTest, TheOldestWritingTransactionIsNamedAndAReadingOneIsNot) {
  GrantStatistics();
  Admin reader(name_, "");
  reader.Sql("BEGIN ISOLATION LEVEL REPEATABLE READ");
  reader.Sql("SELECT count(*) FROM outbox");
  Admin writer(name_, "");
  writer.Sql("BEGIN");
  writer.Sql("INSERT INTO outbox VALUES (1)");
  const SlotReport report = Read();
  EXPECT_TRUE(report.sees_transactions);
  EXPECT_EQ(report.blind_for, "");
  ASSERT_TRUE(report.oldest.has_value());
  EXPECT_EQ(report.oldest->pid, writer.pid());
  EXPECT_EQ(report.oldest->database, name_);
  EXPECT_GE(report.oldest->age_us, 0);
  writer.Sql("ROLLBACK");
  reader.Sql("ROLLBACK");
}

TEST_F(SlotReportTest, APreparedTransactionIsNamedByItsGid) {
  if (admin_->Sql("SHOW max_prepared_transactions") == "0") GTEST_SKIP() << "the server allows none";
  GrantStatistics();
  admin_->Sql("BEGIN");
  admin_->Sql("INSERT INTO outbox VALUES (1)");
  admin_->Sql("PREPARE TRANSACTION '" + name_ + "'");
  const SlotReport report = Read();
  admin_->Sql("ROLLBACK PREPARED '" + name_ + "'");
  ASSERT_TRUE(report.oldest.has_value());
  EXPECT_EQ(report.oldest->gid, name_);
  EXPECT_EQ(report.oldest->pid, 0);
}

TEST_F(SlotReportTest, FromVersion14OnDecodingIsCounted) {
  if (admin_->version() < 140000) GTEST_SKIP() << "the server is older";
  MakeSlot();
  EXPECT_TRUE(Read().decoding.has_value());
}

TEST_F(SlotReportTest, ASessionThatTheServerEndedIsAnErrorAndNoOldReading) {
  Read();
  admin_->Sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + name_ + "'");
  EXPECT_FALSE(reporter_->Read().ok());
}

}  // namespace
}  // namespace postrider::postgres
