#include "config/connect_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace postrider::config {
namespace {

using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<Entry> Entries(std::string_view text) {
  absl::StatusOr<std::vector<Entry>> entries = ParseConnectJson(text);
  EXPECT_TRUE(entries.ok()) << entries.status();
  return entries.ok() ? *entries : std::vector<Entry>();
}
std::string Error(std::string_view text) {
  return std::string(ParseConnectJson(text).status().message());
}

TEST(ConnectJson, ReadsTheBodyOfPut) {
  EXPECT_THAT(Entries("{\n  \"slot.name\": \"s\",\n  \"tasks.max\": 1, \"b\": true,\n  \"f\": 1.50,\n  \"n\": null\n}"),
              ElementsAre(FieldsAre("slot.name", "s", 2), FieldsAre("tasks.max", "1", 3), FieldsAre("b", "true", 3),
                          FieldsAre("f", "1.50", 4)));
}

TEST(ConnectJson, ReadsTheBodyOfPost) {
  EXPECT_THAT(Entries("{\"name\": \"outbox\",\n\"config\": {\"a\": \"1\"}}"),
              ElementsAre(FieldsAre("a", "1", 2), FieldsAre("name", "outbox", 1)));
}

TEST(ConnectJson, ReadsTheAnswerOfGet) {
  EXPECT_THAT(
      Entries(
          R"({"name":"outbox","config":{"name":"inner","a":"1"},"tasks":[{"connector":"outbox","task":0,"x":[1,{"y":2}]}],)"
          R"("type":"source","initial_state":"RUNNING"})"),
      ElementsAre(FieldsAre("name", "inner", 1), FieldsAre("a", "1", 1)));
}

TEST(ConnectJson, ResolvesEscapes) {
  EXPECT_THAT(Entries(R"({"a":"\u00e9 \ud83d\ude00 \\ \" \/ \n"})"),
              ElementsAre(FieldsAre("a", "\xC3\xA9 \xF0\x9F\x98\x80 \\ \" / \n", 1)));
}

TEST(ConnectJson, RefusesNestedValues) {
  EXPECT_THAT(Error("{\"a\": [\"x\"]}"), HasSubstr("a is a list"));
  EXPECT_THAT(Error("{\"config\": {\"a\": {\"b\": 1}}}"), HasSubstr("a is an object"));
  EXPECT_THAT(Error("{\"a\": {\"b\": 1}}"), HasSubstr("a is an object"));
  EXPECT_THAT(Error("{\"config\": {\"tasks\": [1]}}"), HasSubstr("tasks is a list"));
}

TEST(ConnectJson, RefusesSettingsBesideConfig) {
  EXPECT_THAT(Error("{\"config\": {\"a\": \"1\"},\n\n\"slot.name\": \"s\"}"),
              HasSubstr("line 3, column 1: slot.name beside \"config\""));
}

TEST(ConnectJson, RefusesWhatIsNoObject) {
  for (const std::string_view text : {"[]", "\"a\"", "1", "null", "true"})
    EXPECT_THAT(Error(text), HasSubstr("a JSON object is expected")) << text;
}

TEST(ConnectJson, NamesLineAndColumnOfASyntaxError) {
  EXPECT_THAT(Error("{\n  \"a\": \"1\",\n  oops\n}"), StartsWith("line 3, column 3: not JSON: "));
  EXPECT_THAT(Error("{\"a\": \"1\"} x"), StartsWith("line 1, column 12: not JSON: "));
  EXPECT_THAT(Error(""), StartsWith("line 1, column 1: not JSON: "));
  EXPECT_THAT(Error("{\"a\": \"\xFF\"}"), HasSubstr("not JSON: Invalid encoding"));
}

TEST(ConnectJson, RefusesNul) {
  EXPECT_THAT(Error("{\"a\": \"x\\u0000y\"}"), HasSubstr("the value of a holds a NUL"));
  EXPECT_THAT(Error("{\"a\\u0000\": \"x\"}"), HasSubstr("a key with a NUL"));
}

TEST(ConnectJson, HasLimits) {
  EXPECT_THAT(Error("{\"a\": \"" + std::string(kLogicalLineBytesMax + 1, 'x') + "\"}"), HasSubstr("a is longer than"));
  std::string many = "{\"a\":1";
  for (size_t i = 0; i < kEntriesMax; ++i) many += ",\"a\":1";
  EXPECT_THAT(Error(many + "}"), HasSubstr("more than 10000 settings"));
  EXPECT_FALSE(ParseConnectJson("{\"tasks\": " + std::string(100'000, '[')).ok());
}

}  // namespace
}  // namespace postrider::config
