#include "control/order.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "base/text.h"

namespace postrider::control {
namespace {

using Verb = relay::Order::Verb;
using View = Request::View;

struct Spoken {
  std::string_view text;
  Verb verb;
  View view;
  bool takes_word;
};

constexpr Spoken kVerbs[] = {
    {"list", Verb::kReport, View::kList, false},    {"list-json", Verb::kReport, View::kJson, false},
    {"show", Verb::kReport, View::kShow, true},     {"retry", Verb::kRetry, View::kDone, false},
    {"park", Verb::kPark, View::kDone, true},       {"skip", Verb::kSkip, View::kDone, true},
    {"release", Verb::kRelease, View::kDone, true}, {"pause", Verb::kPause, View::kDone, false},
    {"resume", Verb::kResume, View::kDone, false},
};

std::string TimeOf(int64_t at_us, const relay::Report& report, int64_t wall_ms) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromUnixMillis(wall_ms - (report.now_us - at_us) / 1000),
                          absl::UTCTimeZone());
}

std::string StateLine(const relay::Report& report) {
  return absl::StrCat("state ", postrider::View(relay::StateName(report.state)), report.reason.empty() ? "" : ": ",
                      report.reason, "\n");
}

// One fact a line, for people and for grep.
void AppendHold(const relay::Report& report, int64_t wall_ms, std::string& out) {
  const relay::Hold& hold = *report.hold;
  absl::StrAppendFormat(&out, "  id        %s\n  table     %s\n  topic     %s\n  code      %s\n  reason    %s\n",
                        hold.id, hold.table, hold.topic, hold.code, hold.reason);
  if (hold.place)
    absl::StrAppendFormat(&out, "  row       %d of the transaction that commits at %s\n", hold.place->ordinal,
                          hold.place->commit_lsn.ToString());
  absl::StrAppendFormat(&out, "  attempts  %d, since %s; next in %d s\n", hold.attempts,
                        TimeOf(hold.since_us, report, wall_ms),
                        std::max<int64_t>(hold.next_try_us - report.now_us, 0) / 1'000'000);
}

void AppendUnsendable(const relay::Unsendable& row, std::string& out) {
  absl::StrAppendFormat(&out,
                        "  reason    %s\n  go over it, with the relay stopped, and start once with --accept-gap:\n     "
                        "       %s\n  which loses %s\n",
                        row.reason, row.advance_sql, row.loses);
}

void AppendParked(const relay::ParkedEvent& event, const relay::Report& report, int64_t wall_ms, std::string& out) {
  absl::StrAppendFormat(&out, "  %s  %s  %s -> %s  %s\n", TimeOf(event.at_us, report, wall_ms), event.id, event.table,
                        event.topic.empty() ? "(no topic)" : event.topic, event.code);
}

std::string RenderList(const relay::Report& report, int64_t wall_ms) {
  std::string out = StateLine(report);
  if (report.hold) {
    out += report.hold->place ? "held event\n" : "held topic\n";
    AppendHold(report, wall_ms, out);
  } else if (!report.unsendable) {
    out += "nothing is held\n";
  }
  if (report.unsendable) {
    out += "a row that the server cannot send\n";
    AppendUnsendable(*report.unsendable, out);
  }
  absl::StrAppendFormat(&out, "parked since the start: %d%s\n", report.parked.size(),
                        report.parked.size() == relay::ParkedLog::kEventsMax ? " (the last of them)" : "");
  for (const relay::ParkedEvent& event : report.parked) AppendParked(event, report, wall_ms, out);
  if (report.blocked_keys > 0) absl::StrAppendFormat(&out, "keys blocked by parked events: %d\n", report.blocked_keys);
  return out;
}

std::string RenderShow(std::string_view id, const relay::Report& report, int64_t wall_ms) {
  if (report.hold && report.hold->id == id) {
    std::string out = "held\n";
    AppendHold(report, wall_ms, out);
    return out;
  }
  for (auto event = report.parked.rbegin(); event != report.parked.rend(); ++event) {
    if (event->id != id) continue;
    std::string out = "parked\n";
    AppendParked(*event, report, wall_ms, out);
    absl::StrAppendFormat(&out, "  attempts  %d\n  reason    %s\n", event->attempts, event->reason);
    if (!event->key.empty()) absl::StrAppendFormat(&out, "  key       %s\n", event->key);
    return out;
  }
  return absl::StrCat("no event ", postrider::View(id), " is held, and none was parked by this process\n");
}

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

void Member(Writer& json, const char* name, const std::string& value) {
  json.Key(name);
  json.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

void Member(Writer& json, const char* name, int64_t value) {
  json.Key(name);
  json.Int64(value);
}

// What a held and a parked event have in common.
template <typename Event>
void WriteEvent(Writer& json, const Event& event) {
  Member(json, "id", event.id);
  Member(json, "table", event.table);
  Member(json, "topic", event.topic);
  Member(json, "code", event.code);
  Member(json, "reason", event.reason);
}

void WriteHold(Writer& json, const relay::Report& report, int64_t wall_ms) {
  const relay::Hold& hold = *report.hold;
  json.StartObject();
  WriteEvent(json, hold);
  if (hold.place) {
    Member(json, "commit_lsn", hold.place->commit_lsn.ToString());
    Member(json, "row", hold.place->ordinal);
  }
  Member(json, "attempts", hold.attempts);
  Member(json, "since", TimeOf(hold.since_us, report, wall_ms));
  json.EndObject();
}

void WriteParked(Writer& json, const relay::Report& report, int64_t wall_ms) {
  json.StartArray();
  for (const relay::ParkedEvent& event : report.parked) {
    json.StartObject();
    WriteEvent(json, event);
    Member(json, "attempts", event.attempts);
    Member(json, "at", TimeOf(event.at_us, report, wall_ms));
    json.EndObject();
  }
  json.EndArray();
}

std::string RenderJson(const relay::Report& report, int64_t wall_ms) {
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  json.StartObject();
  Member(json, "state", std::string(relay::StateName(report.state)));
  Member(json, "reason", report.reason);
  json.Key("paused");
  json.Bool(report.paused);
  if (report.hold) {
    json.Key("held");
    WriteHold(json, report, wall_ms);
  }
  if (report.unsendable) {
    json.Key("unsendable");
    json.StartObject();
    Member(json, "reason", report.unsendable->reason);
    Member(json, "advance_sql", report.unsendable->advance_sql);
    Member(json, "loses", report.unsendable->loses);
    json.EndObject();
  }
  json.Key("parked");
  WriteParked(json, report, wall_ms);
  Member(json, "blocked_keys", static_cast<int64_t>(report.blocked_keys));
  json.EndObject();
  return absl::StrCat(buffer.GetString(), "\n");
}

}  // namespace

absl::StatusOr<Request> ParseRequest(std::string_view line) {
  const size_t blank = line.find(' ');
  const std::string_view verb = line.substr(0, blank);
  const std::string_view word = blank == std::string_view::npos ? std::string_view() : line.substr(blank + 1);
  for (const Spoken& spoken : kVerbs) {
    if (spoken.text != verb) continue;
    if (spoken.takes_word == word.empty())
      return absl::InvalidArgumentError(
          absl::StrCat(postrider::View(verb), spoken.takes_word ? " needs an event's id" : " takes no word"));
    return Request{.order = {.verb = spoken.verb, .word = std::string(word)}, .view = spoken.view};
  }
  return absl::InvalidArgumentError("this order is not known");
}

std::string Render(const Request& request, const relay::Report& report, int64_t wall_ms) {
  switch (request.view) {
    case View::kList:
      return RenderList(report, wall_ms);
    case View::kJson:
      return RenderJson(report, wall_ms);
    case View::kShow:
      return RenderShow(request.order.word, report, wall_ms);
    case View::kDone:
      break;
  }
  return StateLine(report);
}

}  // namespace postrider::control
