#include "decoder/lsn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace postrider {
namespace {

TEST(Lsn, PrintsAsPostgreSqlUpTo18Does) {
  EXPECT_EQ(Lsn().ToString(), "0/0");
  EXPECT_EQ(Lsn(0x16B374D848).ToString(), "16/B374D848");
  EXPECT_EQ(Lsn(0x100000001).ToString(), "1/1");
  EXPECT_EQ(Lsn(UINT64_MAX).ToString(), "FFFFFFFF/FFFFFFFF");
}

TEST(Lsn, ParsesWithAndWithoutLeadingZerosInEitherCase) {
  EXPECT_EQ(Lsn::Parse("16/B374D848").value(), Lsn(0x16B374D848));
  EXPECT_EQ(Lsn::Parse("16/b374d848").value(), Lsn(0x16B374D848));
  EXPECT_EQ(Lsn::Parse("0/0").value(), Lsn());
  EXPECT_EQ(Lsn::Parse("0/000000A1").value(), Lsn(0xA1));
  EXPECT_EQ(Lsn::Parse("FFFFFFFF/FFFFFFFF").value(), Lsn(UINT64_MAX));
}

TEST(Lsn, RefusesWhatIsNone) {
  for (const char* text : {"", "/", "1", "1/", "/1", "1/2/3", "0x1/2", "+1/2", "1/-2", "1/2 ", " 1/2", "123456789/0",
                           "0/123456789", "g/0"}) {
    EXPECT_EQ(Lsn::Parse(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_THAT(std::string(Lsn::Parse("a\nb").status().message()), testing::HasSubstr("'a\\nb'"));
}

TEST(Lsn, ComparesAsAnUnsignedNumberNotAsText) {
  EXPECT_LT(Lsn::Parse("9/0").value(), Lsn::Parse("10/0").value());
  EXPECT_LT(Lsn::Parse("0/9").value(), Lsn::Parse("0/10").value());
  EXPECT_LT(Lsn(1), Lsn(0x8000000000000000));
}

TEST(Lsn, ZeroIsNoPosition) {
  EXPECT_FALSE(Lsn().valid());
  EXPECT_TRUE(Lsn(1).valid());
}

}  // namespace
}  // namespace postrider
