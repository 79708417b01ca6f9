// src/evidence/record.cc
#include "evidence/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace postrider::evidence {
namespace {

using testing::HasSubstr;

const Record kRecord{.system_identifier = "7340000000000000001",
                     .timeline = 3,
                     .slot = "orders",
                     .lsn = Lsn(0x1'0000'00AB),
                     .time_ms = 1'790'000'000'123};
constexpr char kText[] =
    R"({"format":1,"system_identifier":"7340000000000000001","timeline":3,"slot":"orders","lsn":"1/AB",)"
    R"("time":"2026-09-21T14:13:20.123Z"})";

TEST(EvidenceRecord, IsWrittenAndReadBack) {
  EXPECT_EQ(FormatRecord(kRecord), kText);
  const auto record = ParseRecord(kText);
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(*record, kRecord);
}

TEST(EvidenceRecord, AHandbackIsKept) {
  Record record = kRecord;
  record.handed_back = true;
  const auto kept = ParseRecord(FormatRecord(record));
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_EQ(*kept, record);
  std::string text = FormatRecord(record);
  text.replace(text.find("true"), 4, "1");
  EXPECT_FALSE(ParseRecord(text).ok());
}

TEST(EvidenceRecord, BlanksAroundItDoNotMatter) {
  const auto record = ParseRecord(" \n" + std::string(kText) + std::string(200, ' ') + "\n");
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(*record, kRecord);
}

TEST(EvidenceRecord, EachMemberIsWanted) {
  for (const std::string member : {"format", "system_identifier", "timeline", "slot", "lsn", "time"}) {
    std::string text = kText;
    text.replace(text.find('"' + member + '"'), member.size() + 2, "\"other\"");
    EXPECT_THAT(std::string(ParseRecord(text).status().message()), HasSubstr(member));
  }
}

TEST(EvidenceRecord, WrongTypesAndTornTextsAreRefused) {
  for (const char* text : {"", "{", "[]", "null", "{}", "\0\0\0\0"}) EXPECT_FALSE(ParseRecord(text).ok()) << text;
  for (size_t size = 0; size + 1 < sizeof(kText); ++size) EXPECT_FALSE(ParseRecord({kText, size}).ok()) << size;
  std::string text = kText;
  text.replace(text.find("1/AB"), 4, "lost");
  EXPECT_FALSE(ParseRecord(text).ok());
}

TEST(EvidenceRecord, ALaterFormatIsNamed) {
  std::string text = kText;
  text.replace(text.find(":1,"), 3, ":2,");
  EXPECT_THAT(std::string(ParseRecord(text).status().message()), HasSubstr("format is 2"));
}

}  // namespace
}  // namespace postrider::evidence
