#include "postgres/continuity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace postrider::postgres {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ContinuityTest : public testing::Test {
 protected:
  ContinuityTest() {
    config_.slot.name = "orders";
    evidence_.place = "the file /state/orders.json";
    evidence_.record = evidence::Record{
        .system_identifier = "71", .timeline = 2, .slot = "orders", .lsn = Lsn(0x200), .time_ms = 1'790'000'000'000};
    slot_ = SlotRow{.type = "logical", .plugin = "pgoutput", .confirmed_flush_lsn = Lsn(0x200)};
  }

  absl::StatusOr<std::string> Check() {
    return CheckContinuity(config_, evidence_, {.system_identifier = "71", .timeline = timeline_}, slot_,
                           {.address = "db:5432", .slot = "orders"});
  }
  void ExpectNoGap() {
    const auto gap = Check();
    ASSERT_TRUE(gap.ok()) << gap.status();
    EXPECT_EQ(*gap, "");
  }
  // Refused with this fault; gone over, and said, once it is accepted.
  void ExpectGap(Fault fault, const std::string& words) {
    const auto refused = Check();
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(FaultOf(refused.status()), fault);
    EXPECT_THAT(std::string(refused.status().message()), AllOf(HasSubstr(words), HasSubstr("--accept-gap")));
    config_.slot.accept_gap = true;
    const auto accepted = Check();
    ASSERT_TRUE(accepted.ok()) << accepted.status();
    EXPECT_THAT(*accepted, HasSubstr(words));
  }

  config::Config config_;
  Evidence evidence_;
  std::optional<SlotRow> slot_;
  uint32_t timeline_ = 2;
};

TEST_F(ContinuityTest, ASlotAtOrBehindTheRecordGoesOn) {
  ExpectNoGap();
  slot_->confirmed_flush_lsn = Lsn(0x100);
  ExpectNoGap();
  timeline_ = 3;  // after a failover
  ExpectNoGap();
}

TEST_F(ContinuityTest, WithoutARecordASlotIsTakenOverAndAMissingOneIsAFirstStart) {
  evidence_.record.reset();
  ExpectNoGap();
  slot_.reset();
  ExpectNoGap();
}

TEST_F(ContinuityTest, ASlotThatIsGoneIsRefusedWithTheSqlToRecover) {
  slot_.reset();
  ExpectGap(Fault::kSlot, "SELECT pg_create_logical_replication_slot('orders', 'pgoutput')");
}

TEST_F(ContinuityTest, ASlotAheadOfTheRecordIsRefused) {
  slot_->confirmed_flush_lsn = Lsn(0x201);
  ExpectGap(Fault::kSlot, "stands at 0/201, and the file /state/orders.json shows that it was read up to 0/200");
}

TEST_F(ContinuityTest, ASlotThatWasHandedBackMayBeAheadAndHasToBeThere) {
  evidence_.record->handed_back = true;
  slot_->confirmed_flush_lsn = Lsn(0x300);
  ExpectNoGap();
  slot_.reset();
  ExpectGap(Fault::kSlot, "is gone");
}

TEST_F(ContinuityTest, AnotherClusterIsRefused) {
  evidence_.record->system_identifier = "72";
  ExpectGap(Fault::kContinuity, "another cluster");
}

TEST_F(ContinuityTest, AFormerPrimaryIsRefused) {
  timeline_ = 1;
  ExpectGap(Fault::kContinuity, "former primary");
}

TEST_F(ContinuityTest, WhenNeededAndIfMissingGoOnAndSaySo) {
  slot_.reset();
  config_.snapshot.mode = config::SnapshotMode::kWhenNeeded;
  auto gap = Check();
  ASSERT_TRUE(gap.ok()) << gap.status();
  EXPECT_NE(*gap, "");
  config_.snapshot.mode = config::SnapshotMode::kNoData;
  config_.slot.create = config::SlotCreate::kIfMissing;
  gap = Check();
  ASSERT_TRUE(gap.ok()) << gap.status();
  EXPECT_NE(*gap, "");
  slot_ = SlotRow{.confirmed_flush_lsn = Lsn(0x300)};
  EXPECT_FALSE(Check().ok()) << "if-missing says nothing of a slot that is ahead";
}

TEST_F(ContinuityTest, NeverMakesNone) {
  config_.slot.create = config::SlotCreate::kNever;
  ExpectNoGap();
  slot_.reset();
  evidence_.record.reset();
  EXPECT_EQ(FaultOf(Check().status()), Fault::kSlot);
  EXPECT_THAT(std::string(Check().status().message()), HasSubstr("pg_create_logical_replication_slot('orders'"));
}

}  // namespace
}  // namespace postrider::postgres
