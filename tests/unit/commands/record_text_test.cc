// src/commands/record_text.cc
#include "commands/record_text.h"

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <vector>

namespace postrider::commands {
namespace {

TEST(RecordAsText, ShowsWhatAConsumerSees) {
  const std::vector<Header> headers = {{"id", "e1"}, {"none", std::nullopt}};
  const Record record{.topic = "outbox.event.order",
                      .key = "42",
                      .value = "{\"a\":\"ü\"}",
                      .headers = headers,
                      .timestamp_ms = 1'767'225'600'123,
                      .partition = 3};
  EXPECT_EQ(RecordAsText(record),
            "outbox.event.order  key=42  partition=3  2026-01-01T00:00:00.123Z\n"
            "  id: e1\n  none: null\n  {\"a\":\"ü\"}\n");
}

TEST(RecordAsText, NeverSendsATerminalWhatItWouldObey) {
  EXPECT_EQ(RecordAsText(Record{.topic = "t", .key = "\x1b[2J", .value = "\xff"}),
            "t  key=base64:G1sySg==  1970-01-01T00:00:00.000Z\n  base64:/w==\n");
}

TEST(RecordAsJson, IsJsonWithBytesAndNullsToldApart) {
  const std::vector<Header> headers = {{"id", "e1"}, {"raw", std::string_view("\xff\x00", 2)}};
  const Record record{.topic = "t", .value = "say \"hi\"", .headers = headers, .timestamp_ms = 5};
  rapidjson::Document json;
  const std::string text = RecordAsJson(record);
  EXPECT_EQ(text.back(), '\n');
  ASSERT_FALSE(json.Parse(text.c_str()).HasParseError());
  EXPECT_TRUE(json["key"].IsNull());
  EXPECT_STREQ(json["value"].GetString(), "say \"hi\"");
  EXPECT_STREQ(json["headers"][1]["value"]["base64"].GetString(), "/wA=");
  EXPECT_EQ(json["timestamp_ms"].GetInt64(), 5);
  EXPECT_FALSE(json.HasMember("partition"));
}

}  // namespace
}  // namespace postrider::commands
