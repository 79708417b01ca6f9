#include "base/log_line.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "base/utf8.h"
#include "rapidjson/stringbuffer.h"
#include "rapidjson/writer.h"

namespace postrider {
namespace {

constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";  // U+FFFD

std::string_view NameOf(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "DEBUG";
    case LogLevel::kInfo:
      return "INFO";
    case LogLevel::kWarning:
      return "WARN";
    case LogLevel::kError:
      return "ERROR";
  }
  return "";
}

std::string FormatTime(std::chrono::system_clock::time_point time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::FromChrono(time), absl::UTCTimeZone());
}

// Well-formed UTF-8 of at most kLogValueBytesMax bytes and a mark where something was cut off.
std::string Clean(std::string_view value) {
  std::string clean;
  clean.reserve(std::min(value.size(), kLogValueBytesMax));
  for (size_t position = 0; position < value.size();) {
    if (clean.size() >= kLogValueBytesMax) return clean.append("...");
    const size_t begin = position;
    if (NextCodePoint(value, position)) {
      clean.append(value, begin, position - begin);
    } else {
      clean.append(kReplacementCharacter);
    }
  }
  return clean;
}

bool IsWord(std::string_view value) {
  const auto plain = [](unsigned char byte) {
    return byte > ' ' && byte != 0x7f && byte != '"' && byte != '\\' && byte != '=';
  };
  return !value.empty() && std::all_of(value.begin(), value.end(), plain);
}

void AppendQuoted(std::string_view value, std::string& out) {
  out.push_back('"');
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.append({'\\', c});
    } else if (c == '\n') {
      out.append("\\n");
    } else if (c == '\r') {
      out.append("\\r");
    } else if (c == '\t') {
      out.append("\\t");
    } else if (byte < ' ' || byte == 0x7f) {
      absl::StrAppendFormat(&out, "\\u%04x", byte);
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

void WriteString(std::string_view value, Writer& writer) {
  writer.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

void WriteMember(std::string_view key, std::string_view value, Writer& writer) {
  writer.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
  WriteString(Clean(value), writer);
}

}  // namespace

std::string FormatText(const LogLine& line) {
  std::string out = FormatTime(line.time);
  absl::StrAppendFormat(&out, " %-5s %s", NameOf(line.level), line.event);
  for (const LogField& field : line.fields) {
    out.append(" ").append(field.key).append("=");
    const std::string value = Clean(field.value);
    if (IsWord(value)) {
      out.append(value);
    } else {
      AppendQuoted(value, out);
    }
  }
  if (line.repeated > 0) absl::StrAppendFormat(&out, " repeated=%d", line.repeated);
  out.push_back(' ');
  AppendQuoted(Clean(line.text), out);
  return out;
}

std::string FormatJson(const LogLine& line) {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  writer.StartObject();
  WriteMember("ts", FormatTime(line.time), writer);
  WriteMember("level", NameOf(line.level), writer);
  WriteMember("event", line.event, writer);
  for (const LogField& field : line.fields) WriteMember(field.key, field.value, writer);
  if (line.repeated > 0) {
    writer.Key("repeated");
    writer.Uint64(line.repeated);
  }
  WriteMember("text", line.text, writer);
  writer.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize());
}

}  // namespace postrider
