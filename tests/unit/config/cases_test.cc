// The configurations of the recorded conformance cases: which are accepted, and which are refused before any server is
// asked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "config/load.h"
#include "config/source_file.h"
#include "rapidjson/document.h"
#include "scratch.h"

namespace postrider::config {
namespace {

// What every case has beneath its own keys.
const std::map<std::string, std::string>& Base() {
  static const auto* const base =
      new std::map<std::string, std::string>{{"connector.class", "io.debezium.connector.postgresql.PostgresConnector"},
                                             {"plugin.name", "pgoutput"},
                                             {"topic.prefix", "app"},
                                             {"database.hostname", "127.0.0.1"},
                                             {"database.port", "5432"},
                                             {"database.user", "postgres"},
                                             {"database.password", "x"},
                                             {"database.dbname", "postgres"},
                                             {"table.include.list", "public.outbox"},
                                             {"transforms", "outbox"},
                                             {"transforms.outbox.type", "io.debezium.transforms.outbox.EventRouter"},
                                             {"slot.name", "oracle"},
                                             {"poll.interval.ms", "20"},
                                             {"slot.drop.on.stop", "false"},
                                             {"bootstrap.servers", "127.0.0.1:9092"},
                                             {"key.converter", "org.apache.kafka.connect.storage.StringConverter"},
                                             {"value.converter", "org.apache.kafka.connect.json.JsonConverter"}};
  return *base;
}

// As the runner of the cases writes it.
std::string FileOf(const rapidjson::Value& config) {
  std::map<std::string, std::string> keys = Base();
  for (const auto& member : config.GetObject()) {
    keys.erase(member.name.GetString());
    if (member.value.IsString()) keys[member.name.GetString()] = member.value.GetString();
  }
  std::string text;
  for (const auto& [key, value] : keys) {
    text += key + "=";
    for (const char c : value) text += c == '\\' ? "\\\\" : std::string(1, c);
    text += "\n";
  }
  return text;
}

TEST(Cases, EachIsAcceptedOrRefusedAsItShouldBe) {
  const absl::StatusOr<std::string> text = ReadSmallFile(POSTRIDER_TEST_DATA "/../../data/config-cases.json");
  ASSERT_TRUE(text.ok()) << text.status();
  rapidjson::Document cases;
  ASSERT_FALSE(cases.Parse(text->c_str()).HasParseError());
  ASSERT_GT(cases.Size(), 150U);
  const Scratch scratch;
  for (const auto& entry : cases.GetArray()) {
    SCOPED_TRACE(entry["name"].GetString());
    const auto loaded = Load(
        {.files = {scratch.Write("case.properties", FileOf(entry["config"]))}, .overrides = {}, .environment = {}});
    if (entry.HasMember("refused")) {
      ASSERT_FALSE(loaded.ok());
      EXPECT_THAT(std::string(loaded.status().message()), ::testing::HasSubstr(entry["refused"].GetString()));
    } else {
      EXPECT_TRUE(loaded.ok()) << loaded.status();
    }
  }
}

}  // namespace
}  // namespace postrider::config
