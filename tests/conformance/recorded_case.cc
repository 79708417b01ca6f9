#include "recorded_case.h"

#include <rapidjson/document.h>
#include <zlib.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "absl/strings/escaping.h"

namespace postrider::conformance {
namespace {

constexpr char kTimestampKey[] = "transforms.outbox.table.field.event.timestamp";

[[noreturn]] void Fail(const std::string& path, const char* what) {
  std::fprintf(stderr, "%s: %s\n", path.c_str(), what);
  std::exit(1);
}

rapidjson::Document Parse(const std::string& path, const std::string& text) {
  rapidjson::Document document;
  document.Parse(text.c_str(), text.size());
  if (document.HasParseError() || !document.IsObject()) Fail(path, "is not a JSON object");
  return document;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) Fail(path, "cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string ReadGzip(const std::string& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) Fail(path, "cannot be read");
  std::string text;
  char buffer[64 * 1024];
  int size = 0;
  while ((size = gzread(file, buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<size_t>(size));
  if (gzclose(file) != Z_OK || size < 0) Fail(path, "is no gzip file");
  return text;
}

std::string Text(const rapidjson::Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

std::string Decoded(const rapidjson::Value& base64) {
  std::string bytes;
  if (!absl::Base64Unescape(base64.GetString(), &bytes)) Fail(Text(base64), "is not Base64");
  return bytes;
}

// Text, null, or {"base64": ...}.
Bytes ReadBytes(const rapidjson::Value& value) {
  if (value.IsNull()) return std::nullopt;
  return value.IsObject() ? Decoded(value["base64"]) : Text(value);
}

// What the recordings have in common; addresses are of no account here.
std::map<std::string, std::string> BaseConfig() {
  return {{"connector.class", "io.debezium.connector.postgresql.PostgresConnector"},
          {"plugin.name", "pgoutput"},
          {"topic.prefix", "app"},
          {"database.hostname", "127.0.0.1"},
          {"database.port", "5432"},
          {"database.user", "postgres"},
          {"database.password", "unused"},
          {"database.dbname", "postgres"},
          {"table.include.list", "public.outbox"},
          {"transforms", "outbox"},
          {"transforms.outbox.type", "io.debezium.transforms.outbox.EventRouter"},
          {"slot.name", "oracle"},
          {"slot.drop.on.stop", "false"},
          {"bootstrap.servers", "127.0.0.1:9092"},
          {"key.converter", "org.apache.kafka.connect.storage.StringConverter"},
          {"value.converter", "org.apache.kafka.connect.json.JsonConverter"}};
}

RecordedRecord ReadRecord(const rapidjson::Value& record) {
  RecordedRecord result{
      .topic = Text(record["topic"]), .key = ReadBytes(record["key"]), .value = ReadBytes(record["value"])};
  if (result.key) result.partition = record["partition"].GetInt();
  for (const rapidjson::Value& header : record["headers"].GetArray()) {
    result.headers.emplace_back(Text(header[0]), ReadBytes(header[1]));
  }
  return result;
}

// A time within the recording's own run is the recorder's clock.
void SetTimestamp(const rapidjson::Value& expect, int64_t timestamp_ms, RecordedRecord& record) {
  const auto bound = [&](const char* name) { return expect.HasMember(name) ? expect[name].GetInt64() : 0; };
  if (timestamp_ms < bound("t0") || timestamp_ms > bound("t1")) record.timestamp_ms = timestamp_ms;
}

std::vector<std::string> ReadTexts(const rapidjson::Value& texts) {
  std::vector<std::string> result;
  for (const rapidjson::Value& text : texts.GetArray()) result.push_back(Text(text));
  return result;
}

TypeInfo ReadType(const rapidjson::Value& type) {
  TypeInfo info{.oid = type["oid"].GetUint(),
                .modifier = type["modifier"].GetInt(),
                .schema = Text(type["schema"]),
                .name = Text(type["name"]),
                .kind = *type["kind"].GetString(),
                .enum_labels = ReadTexts(type["enum_labels"])};
  if (type.HasMember("element_oid")) {
    info.element_oid = type["element_oid"].GetUint();
    info.element_schema = Text(type["element_schema"]);
    info.element_name = Text(type["element_name"]);
    info.element_kind = *type["element_kind"].GetString();
  }
  return info;
}

Table ReadTable(const rapidjson::Value& table) {
  Table result{.oid = table["oid"].GetUint(), .schema = Text(table["schema"]), .name = Text(table["name"])};
  for (const rapidjson::Value& column : table["columns"].GetArray()) {
    TableColumn read{.name = Text(column["name"]),
                     .type = ReadType(column["type"]),
                     .not_null = column["not_null"].GetBool(),
                     .generated = column["generated"].GetBool()};
    if (!column["default"].IsNull()) read.default_expression = Text(column["default"]);
    result.columns.push_back(std::move(read));
  }
  return result;
}

std::vector<CapturedMessage> ReadMessages(const rapidjson::Value& messages) {
  std::vector<CapturedMessage> result;
  for (const rapidjson::Value& message : messages.GetArray()) {
    CapturedMessage& read = result.emplace_back();
    read.data = Decoded(message["data"]);
    if (message.HasMember("table") && !message["table"].IsNull()) read.table = ReadTable(message["table"]);
  }
  return result;
}

}  // namespace

RecordedCase LoadCase(const std::string& path) {
  const rapidjson::Document document = Parse(path, ReadFile(path));
  RecordedCase result{.name = Text(document["name"]), .config = BaseConfig()};
  for (const auto& [key, value] : document["config"].GetObject()) {
    if (value.IsNull()) {
      result.config.erase(Text(key));
    } else {
      result.config[Text(key)] = Text(value);
    }
  }
  const rapidjson::Value& expect = document["expect"];
  if (expect.HasMember("records")) {
    for (const rapidjson::Value& record : expect["records"].GetArray()) {
      result.records.push_back(ReadRecord(record));
      if (result.config.contains(kTimestampKey)) {
        SetTimestamp(expect, record["timestamp"].GetInt64(), result.records.back());
      }
    }
  }
  result.stops = expect.HasMember("stops") && expect["stops"].GetBool();
  if (expect.HasMember("says")) result.says = ReadTexts(expect["says"]);
  return result;
}

std::map<std::string, Capture> LoadCaptures(const std::string& path) {
  const rapidjson::Document document = Parse(path, ReadGzip(path));
  std::map<std::string, Capture> captures;
  for (const auto& [name, capture] : document.GetObject()) {
    captures[Text(name)] = {.setup = ReadMessages(capture["setup"]), .sql = ReadMessages(capture["sql"])};
  }
  return captures;
}

}  // namespace postrider::conformance
