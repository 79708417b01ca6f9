// src/control/order.cc
#include "control/order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

namespace postrider::control {
namespace {

using testing::HasSubstr;
using testing::Not;
using Verb = relay::Order::Verb;

constexpr int64_t kWallMs = 1'767'225'600'000;  // 2026-01-01T00:00:00Z

relay::Report Sample() {
  relay::Report report{.state = relay::State::kHeld, .reason = "it is too large", .now_us = 100'000'000};
  report.hold = relay::Hold{.code = "record_too_large",
                            .reason = "it is too large",
                            .id = "id-1",
                            .table = "public.outbox",
                            .topic = "outbox.event.Order",
                            .place = relay::Tracker::RowPlace{Lsn(0x1000), 3},
                            .attempts = 5,
                            .refusals = 5,
                            .since_us = 40'000'000,
                            .next_try_us = 102'500'000};
  report.parked.push_back({.id = "id-0",
                           .table = "public.outbox",
                           .topic = "",
                           .code = "unroutable",
                           .reason = "no \"route\"",
                           .attempts = 3,
                           .key = "",
                           .at_us = 90'000'000});
  return report;
}

std::string Told(std::string_view line, const relay::Report& report) {
  const auto request = ParseRequest(line);
  EXPECT_TRUE(request.ok()) << request.status();
  return request.ok() ? Render(*request, report, kWallMs) : "";
}

TEST(ParseRequest, ReadsVerbAndWord) {
  EXPECT_EQ(ParseRequest("pause")->order.verb, Verb::kPause);
  EXPECT_EQ(ParseRequest("skip id-1")->order.verb, Verb::kSkip);
  EXPECT_EQ(ParseRequest("skip id-1")->order.word, "id-1");
  EXPECT_EQ(ParseRequest("park an id with blanks")->order.word, "an id with blanks");
}

TEST(ParseRequest, RefusesWhatItDoesNotKnow) {
  for (const char* line : {"", "halt", "skip", "park ", "pause now", "list-json x"})
    EXPECT_FALSE(ParseRequest(line).ok()) << line;
}

TEST(Render, TheListNamesWhatIsHeldAndParked) {
  const std::string text = Told("list", Sample());
  EXPECT_THAT(text, HasSubstr("state held: it is too large\n"));
  EXPECT_THAT(text, HasSubstr("id        id-1\n"));
  EXPECT_THAT(text, HasSubstr("attempts  5, since 2025-12-31T23:59:00Z; next in 2 s\n"));
  EXPECT_THAT(text, HasSubstr("row       3 of the transaction that commits at 0/1000\n"));
  EXPECT_THAT(text, HasSubstr("parked since the start: 1\n"));
  EXPECT_THAT(text, HasSubstr("2025-12-31T23:59:50Z  id-0  public.outbox -> (no topic)  unroutable\n"));
}

TEST(Render, SaysSoWhereNothingIsHeld) {
  EXPECT_THAT(Told("list", relay::Report{.state = relay::State::kStreaming}), HasSubstr("nothing is held"));
  EXPECT_THAT(Told("show id-9", Sample()), HasSubstr("no event id-9"));
}

TEST(Render, ShowsOneEvent) {
  EXPECT_THAT(Told("show id-1", Sample()), HasSubstr("held\n"));
  EXPECT_THAT(Told("show id-1", Sample()), Not(HasSubstr("id-0")));
  EXPECT_THAT(Told("show id-0", Sample()), HasSubstr("reason    no \"route\"\n"));
}

TEST(Render, WritesJsonThatIsJson) {
  rapidjson::Document json;
  ASSERT_FALSE(json.Parse(Told("list-json", Sample()).c_str()).HasParseError());
  EXPECT_STREQ(json["state"].GetString(), "held");
  EXPECT_STREQ(json["held"]["id"].GetString(), "id-1");
  EXPECT_STREQ(json["parked"][0]["reason"].GetString(), "no \"route\"");
}

TEST(Render, ARowThatTheServerCannotSendComesWithTheSqlAndWhatItLoses) {
  relay::Report report{.state = relay::State::kHeld};
  report.unsendable = relay::Unsendable{.reason = "bytes", .advance_sql = "SELECT 1", .loses = "a transaction"};
  const std::string text = Told("list", report);
  EXPECT_THAT(text, HasSubstr("SELECT 1\n"));
  EXPECT_THAT(text, HasSubstr("which loses a transaction\n"));
}

}  // namespace
}  // namespace postrider::control
