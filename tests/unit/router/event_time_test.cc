#include "router/event_time.h"

#include <gtest/gtest.h>

#include "connect/pg_type.h"

namespace postrider::router {
namespace {

namespace pg = connect::pg;

TEST(EventTime, TypesThatCanBeATime) {
  for (const uint32_t oid : {pg::kTimestamp, pg::kTimestamptz, pg::kInt8}) EXPECT_TRUE(CanBeEventTime(oid)) << oid;
  for (const uint32_t oid : {pg::kDate, pg::kTime, pg::kTimetz, pg::kInt4, pg::kText, pg::kInterval, pg::kNumeric}) {
    EXPECT_FALSE(CanBeEventTime(oid)) << oid;
  }
}

TEST(EventTime, Timestamps) {
  EXPECT_EQ(EventTimeMs(pg::kTimestamp, "2020-01-02 03:04:05.678901"), 1'577'934'245'678);
  EXPECT_EQ(EventTimeMs(pg::kTimestamp, "1970-01-01 00:00:00"), 0);
  EXPECT_EQ(EventTimeMs(pg::kTimestamptz, "1970-01-01 02:00:00.5+02"), 500);
  EXPECT_EQ(EventTimeMs(pg::kTimestamptz, "1969-12-31 18:30:00-05:30"), 0);
}

TEST(EventTime, MicrosecondsAreCutOffTowardZero) {
  EXPECT_EQ(EventTimeMs(pg::kTimestamp, "1970-01-01 00:00:00.001999"), 1);
  EXPECT_EQ(EventTimeMs(pg::kTimestamp, "1969-12-31 23:59:59.9995"), 0);
  EXPECT_EQ(EventTimeMs(pg::kTimestamp, "1969-12-31 23:59:59.9985"), -1);
}

TEST(EventTime, NumbersAreMilliseconds) {
  EXPECT_EQ(EventTimeMs(pg::kInt8, "1577934245678"), 1'577'934'245'678);
  EXPECT_EQ(EventTimeMs(pg::kInt8, "-5"), -5);
}

TEST(EventTime, Infinities) {
  EXPECT_EQ(EventTimeMs(pg::kTimestamp, "infinity"), 9'223'372'036'825'200);
  EXPECT_LT(EventTimeMs(pg::kTimestamptz, "-infinity"), 0);
}

TEST(EventTime, WhatIsNoTime) {
  for (const char* text : {"", "now", "2020-13-01 00:00:00"}) {
    EXPECT_EQ(EventTimeMs(pg::kTimestamp, text), std::nullopt) << text;
  }
  EXPECT_EQ(EventTimeMs(pg::kInt8, "1.5"), std::nullopt);
  EXPECT_EQ(EventTimeMs(pg::kInt8, "9223372036854775808"), std::nullopt);
}

}  // namespace
}  // namespace postrider::router
