#include "commands/record_text.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/text.h"
#include "base/utf8.h"

namespace postrider::commands {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

// Shown as it is: UTF-8 without control characters that a terminal would obey.
bool IsText(std::string_view bytes) {
  for (size_t position = 0; position < bytes.size();) {
    const auto point = NextCodePoint(bytes, position);
    if (!point || (*point < 0x20 && *point != '\n' && *point != '\t') || *point == 0x7F) return false;
  }
  return true;
}

std::string Shown(const std::optional<std::string_view>& bytes) {
  if (!bytes) return "null";
  if (IsText(*bytes)) return std::string(*bytes);
  return absl::StrCat("base64:", absl::Base64Escape(View(*bytes)));
}

void WriteBytes(Writer& json, const std::optional<std::string_view>& bytes) {
  if (!bytes) {
    json.Null();
  } else if (IsText(*bytes)) {
    json.String(bytes->data(), static_cast<rapidjson::SizeType>(bytes->size()));
  } else {
    const std::string encoded = absl::Base64Escape(View(*bytes));
    json.StartObject();
    json.Key("base64");
    json.String(encoded.c_str());
    json.EndObject();
  }
}

}  // namespace

std::string RecordAsText(const Record& record) {
  std::string text = absl::StrCat(View(record.topic), "  key=", Shown(record.key));
  if (record.partition) absl::StrAppend(&text, "  partition=", *record.partition);
  absl::StrAppend(
      &text, "  ",
      absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::FromUnixMillis(record.timestamp_ms), absl::UTCTimeZone()), "\n");
  for (const Header& header : record.headers)
    absl::StrAppend(&text, "  ", View(header.key), ": ", Shown(header.value), "\n");
  return absl::StrCat(text, "  ", Shown(record.value), "\n");
}

std::string RecordAsJson(const Record& record) {
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  json.StartObject();
  json.Key("topic");
  WriteBytes(json, record.topic);
  json.Key("key");
  WriteBytes(json, record.key);
  json.Key("value");
  WriteBytes(json, record.value);
  json.Key("headers");
  json.StartArray();
  for (const Header& header : record.headers) {
    json.StartObject();
    json.Key("key");
    WriteBytes(json, header.key);
    json.Key("value");
    WriteBytes(json, header.value);
    json.EndObject();
  }
  json.EndArray();
  json.Key("timestamp_ms");
  json.Int64(record.timestamp_ms);
  if (record.partition) {
    json.Key("partition");
    json.Int(*record.partition);
  }
  json.EndObject();
  return absl::StrCat(buffer.GetString(), "\n");
}

}  // namespace postrider::commands
