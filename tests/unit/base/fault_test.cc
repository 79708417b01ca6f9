#include "base/fault.h"

#include <gtest/gtest.h>

namespace postrider {
namespace {

TEST(Fault, TravelsWithTheStatusAndItsCopies) {
  for (const Fault fault :
       {Fault::kPassing, Fault::kInternal, Fault::kConfiguration, Fault::kDatabaseRefuses, Fault::kSlot,
        Fault::kPublication, Fault::kContinuity, Fault::kKafkaRefuses, Fault::kStoppedEarly, Fault::kSlotHeld}) {
    const absl::Status status = MakeFault(fault, "why");
    const absl::Status copy = status;
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(status.message(), "why");
    EXPECT_EQ(FaultOf(copy), fault);
  }
}

TEST(Fault, AStatusWithoutOneIsInternal) {
  EXPECT_EQ(FaultOf(absl::InvalidArgumentError("x")), Fault::kInternal);
  EXPECT_EQ(FaultOf(absl::UnavailableError("x")), Fault::kInternal);
}

TEST(Fault, ExitCodesAreThoseThatOperatorsRelyOn) {
  EXPECT_EQ(ExitCodeOf(Fault::kInternal), 1);
  EXPECT_EQ(ExitCodeOf(Fault::kConfiguration), 2);
  EXPECT_EQ(ExitCodeOf(Fault::kDatabaseRefuses), 3);
  EXPECT_EQ(ExitCodeOf(Fault::kSlot), 4);
  EXPECT_EQ(ExitCodeOf(Fault::kPublication), 5);
  EXPECT_EQ(ExitCodeOf(Fault::kContinuity), 6);
  EXPECT_EQ(ExitCodeOf(Fault::kKafkaRefuses), 7);
  EXPECT_EQ(ExitCodeOf(Fault::kStoppedEarly), 8);
  EXPECT_EQ(ExitCodeOf(Fault::kSlotHeld), 9);
}

TEST(FaultDeathTest, AnOkStatusHasNoClass) {
  EXPECT_DEATH(FaultOf(absl::OkStatus()), "broken invariant");
}

}  // namespace
}  // namespace postrider
