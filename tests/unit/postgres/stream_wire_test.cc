#include "postgres/stream_wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "base/text.h"

namespace postrider::postgres {
namespace {

using std::string_literals::operator""s;

// Hand-made after the manual's "Streaming Replication Protocol".
const std::string kWal = "w\0\0\0\x16\xB3\x74\xD8\x48\0\0\0\x16\xB3\x74\xD8\x50\0\0\0\0\0\0\0\1"s;
const std::string kAlive = "k\xFF\0\0\0\0\0\0\x2A\0\0\0\0\0\0\0\1"s;

TEST(StreamWire, WalDataGivesPositionAndMessage) {
  const std::string bytes = kWal + "Bxyz";
  const auto message = ParseCopyData(bytes);
  ASSERT_TRUE(message.ok());
  EXPECT_EQ(std::get<WalData>(*message).lsn, Lsn(0x16B374D848));
  EXPECT_EQ(std::get<WalData>(*message).message, "Bxyz");
  EXPECT_EQ(std::get<WalData>(*message).message.data(), bytes.data() + 25) << "a view, not a copy";
}

TEST(StreamWire, KeepaliveGivesTheServersPositionUnsigned) {
  const auto quiet = ParseCopyData(kAlive + "\0"s);
  ASSERT_TRUE(quiet.ok());
  EXPECT_EQ(std::get<Keepalive>(*quiet).end_lsn, Lsn(0xFF0000000000002A));
  EXPECT_FALSE(std::get<Keepalive>(*quiet).reply_requested);
  EXPECT_TRUE(std::get<Keepalive>(*ParseCopyData(kAlive + "\1"s)).reply_requested);
}

TEST(StreamWire, WhatIsShortOrUnknownIsAFaultThatShowsNoContents) {
  for (const std::string& bytes : {""s, kWal.substr(0, 24), kAlive, "h"s + std::string(40, 'S')}) {
    const auto message = ParseCopyData(bytes);
    ASSERT_FALSE(message.ok()) << bytes.size();
    EXPECT_EQ(FaultOf(message.status()), Fault::kInternal);
    EXPECT_THAT(std::string(message.status().message()), testing::Not(testing::HasSubstr("SS")));
  }
}

TEST(StreamWire, StatusHasTheManualsLayout) {
  // 2000-01-01 00:00:00.000002 UTC
  const auto status = EncodeStatus(Lsn(0x16B374D848), Lsn(0x2A), 946'684'800'000'002, true);
  EXPECT_EQ(std::string(status.begin(), status.end()),
            "r\0\0\0\x16\xB3\x74\xD8\x48\0\0\0\0\0\0\0\x2A\0\0\0\0\0\0\0\x2A\0\0\0\0\0\0\0\2\1"s);
  EXPECT_EQ(EncodeStatus(Lsn(), Lsn(), 946'684'800'000'000, false)[33], 0);
}

}  // namespace
}  // namespace postrider::postgres
