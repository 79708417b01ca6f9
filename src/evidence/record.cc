#include "evidence/record.h"

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace postrider::evidence {
namespace {

constexpr int kFormat = 1;
constexpr char kTimeFormat[] = "%Y-%m-%dT%H:%M:%E3SZ";

absl::Status Wrong(std::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("its member ", absl::string_view(what.data(), what.size()), " is missing or wrong"));
}

// The text of a member; empty where it is no text.
std::string_view TextOf(const rapidjson::Document& document, const char* name) {
  const auto member = document.FindMember(name);
  if (member == document.MemberEnd() || !member->value.IsString()) return {};
  return {member->value.GetString(), member->value.GetStringLength()};
}

}  // namespace

std::string FormatRecord(const Record& record) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  const auto text = [&](const char* name, const std::string& value) {
    writer.Key(name);
    writer.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
  };
  writer.StartObject();
  writer.Key("format");
  writer.Int(kFormat);
  text("system_identifier", record.system_identifier);
  writer.Key("timeline");
  writer.Uint(record.timeline);
  text("slot", record.slot);
  text("lsn", record.lsn.ToString());
  text("time", absl::FormatTime(kTimeFormat, absl::FromUnixMillis(record.time_ms), absl::UTCTimeZone()));
  if (record.handed_back) {
    writer.Key("handed_back");
    writer.Bool(true);
  }
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

absl::StatusOr<Record> ParseRecord(std::string_view text) {
  rapidjson::Document document;
  document.Parse(text.data(), text.size());
  if (document.HasParseError() || !document.IsObject()) return absl::InvalidArgumentError("it is no JSON object");
  const auto format = document.FindMember("format");
  if (format == document.MemberEnd() || !format->value.IsInt()) return Wrong("format");
  if (format->value.GetInt() != kFormat) {
    return absl::InvalidArgumentError(
        absl::StrCat("its format is ", format->value.GetInt(), ", and this version knows ", kFormat));
  }
  Record record;
  record.system_identifier = TextOf(document, "system_identifier");
  if (record.system_identifier.empty()) return Wrong("system_identifier");
  const auto timeline = document.FindMember("timeline");
  if (timeline == document.MemberEnd() || !timeline->value.IsUint()) return Wrong("timeline");
  record.timeline = timeline->value.GetUint();
  record.slot = TextOf(document, "slot");
  if (record.slot.empty()) return Wrong("slot");
  const absl::StatusOr<Lsn> lsn = Lsn::Parse(TextOf(document, "lsn"));
  if (!lsn.ok()) return Wrong("lsn");
  record.lsn = *lsn;
  absl::Time time;
  std::string error;
  const std::string_view written = TextOf(document, "time");
  if (!absl::ParseTime(kTimeFormat, absl::string_view(written.data(), written.size()), &time, &error))
    return Wrong("time");
  record.time_ms = absl::ToUnixMillis(time);
  const auto handed_back = document.FindMember("handed_back");
  if (handed_back != document.MemberEnd() && !handed_back->value.IsBool()) return Wrong("handed_back");
  record.handed_back = handed_back != document.MemberEnd() && handed_back->value.GetBool();
  return record;
}

}  // namespace postrider::evidence
