#include "postgres/attach.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace postrider::postgres {
namespace {

using testing::HasSubstr;

const Target kTarget{
    .address = "db.example:5432", .user = "relay", .dbname = "shop", .slot = "orders", .publication = "outbox_pub"};

ServerState Logical() {
  ServerState state;
  state.wal_level = "logical";
  return state;
}

std::string Text(const absl::Status& status) {
  return std::string(status.message());
}

TEST(CheckServer, TakesAPrimaryFrom13On) {
  EXPECT_TRUE(CheckServer(130000, Logical(), kTarget).ok());
  EXPECT_EQ(FaultOf(CheckServer(120022, Logical(), kTarget)), Fault::kDatabaseRefuses);
}

TEST(CheckServer, AnotherWalLevelIsLastingAndSaysWhatToRun) {
  ServerState state = Logical();
  state.wal_level = "replica";
  const absl::Status status = CheckServer(150000, state, kTarget);
  EXPECT_EQ(FaultOf(status), Fault::kDatabaseRefuses);
  EXPECT_THAT(Text(status), HasSubstr("wal_level is replica"));
  EXPECT_THAT(Text(status), HasSubstr("ALTER SYSTEM SET wal_level = 'logical'"));
}

TEST(CheckServer, AStandbyIsWaitedForUnlessItHasASlotOfItsOwn) {
  ServerState state = Logical();
  state.in_recovery = true;
  EXPECT_EQ(FaultOf(CheckServer(170000, state, kTarget)), Fault::kPassing);
  state.slot.emplace();
  EXPECT_TRUE(CheckServer(170000, state, kTarget).ok());
  EXPECT_EQ(FaultOf(CheckServer(150000, state, kTarget)), Fault::kPassing);
  state.slot->synced = true;
  EXPECT_EQ(FaultOf(CheckServer(170000, state, kTarget)), Fault::kPassing);
}

}  // namespace
}  // namespace postrider::postgres
