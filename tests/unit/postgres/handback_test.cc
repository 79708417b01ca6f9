#include "postgres/handback.h"

#include <gtest/gtest.h>

namespace postrider::postgres {
namespace {

TEST(OffsetsBody, IsConnectsBodyWithThePositionBehindWhichDebeziumGoesOn) {
  EXPECT_EQ(OffsetsBody("app", {.restart_lsn = Lsn(0x100), .confirmed_lsn = Lsn(0x200)}, 1'790'000'000'000'000),
            R"({"offsets":[{"partition":{"server":"app"},"offset":{"lsn":511,"lsn_proc":511,"lsn_commit":512,)"
            R"("messageType":"COMMIT","ts_usec":1790000000000000}}]})");
}

TEST(OffsetsBody, IsNeverBehindTheRestartPosition) {
  EXPECT_EQ(OffsetsBody("a\"b", {.restart_lsn = Lsn(0x200), .confirmed_lsn = Lsn(0x200)}, 7),
            R"({"offsets":[{"partition":{"server":"a\"b"},"offset":{"lsn":512,"lsn_proc":512,"lsn_commit":512,)"
            R"("messageType":"COMMIT","ts_usec":7}}]})");
}

}  // namespace
}  // namespace postrider::postgres
