#include "check/report.h"

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace postrider::check {
namespace {

constexpr char kIndent[] = "      ";

std::string_view Word(Finding::Result result) {
  switch (result) {
    case Finding::Result::kPass:
      return "pass";
    case Finding::Result::kWarning:
      return "warn";
    case Finding::Result::kFail:
      return "FAIL";
  }
  return "FAIL";
}

std::string_view Word(SetupStep::Kind kind) {
  switch (kind) {
    case SetupStep::Kind::kThere:
      return "there";
    case SetupStep::Kind::kMade:
      return "made";
    case SetupStep::Kind::kToDo:
      return "TO DO";
    case SetupStep::Kind::kNote:
      return "note";
  }
  return "note";
}

std::string Padded(std::string_view word, size_t width) {
  return absl::StrCat(View(word), std::string(width - std::min(width, word.size()), ' '), "  ");
}

// A sentence, or a command, of several lines stays under its head.
std::string Indented(const std::string& text, std::string_view indent) {
  return absl::StrReplaceAll(text, {{"\n", absl::StrCat("\n", View(indent))}});
}

}  // namespace

std::string FormatFindings(const Findings& findings) {
  size_t width = 0;
  for (const Finding& finding : findings) width = std::max(width, finding.name.size());
  std::string text;
  for (const Finding& finding : findings) {
    absl::StrAppend(&text, Padded(Word(finding.result), 4), Padded(finding.name, width),
                    Indented(finding.text, kIndent), "\n");
    if (!finding.remedy.empty()) absl::StrAppend(&text, kIndent, Indented(finding.remedy, kIndent), "\n");
  }
  return text;
}

std::string FindingsAsJson(const Findings& findings) {
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
  writer.SetIndent(' ', 2);
  const auto write = [&writer](const char* key, std::string_view value) {
    writer.Key(key);
    writer.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
  };
  writer.StartArray();
  for (const Finding& finding : findings) {
    writer.StartObject();
    write("name", finding.name);
    write("result", finding.result == Finding::Result::kFail ? "fail" : Word(finding.result));
    write("text", finding.text);
    write("remedy", finding.remedy);
    writer.EndObject();
  }
  writer.EndArray();
  return absl::StrCat(buffer.GetString(), "\n");
}

int ExitCodeOf(const Findings& findings) {
  for (const Finding& finding : findings)
    if (finding.result == Finding::Result::kFail) return postrider::ExitCodeOf(finding.fault);
  return 0;
}

std::string FormatSteps(const SetupSteps& steps) {
  std::string text;
  for (const SetupStep& step : steps) {
    absl::StrAppend(&text, Padded(Word(step.kind), 5), step.text, "\n");
    if (!step.command.empty()) absl::StrAppend(&text, "       ", Indented(step.command, "       "), "\n");
  }
  return text;
}

std::string StepsAsScript(const SetupSteps& steps) {
  std::string sql, shell;
  for (const SetupStep& step : steps) {
    std::string& script = step.shell ? shell : sql;
    absl::StrAppend(&script, step.shell ? "# " : "-- ", Indented(step.text, step.shell ? "# " : "-- "), "\n");
    if (!step.command.empty()) absl::StrAppend(&script, step.command, step.shell ? "\n" : ";\n");
  }
  return sql + shell;
}

int ExitCodeOf(const SetupSteps& steps) {
  for (const SetupStep& step : steps)
    if (step.kind == SetupStep::Kind::kToDo && step.fault != Fault::kPassing) return postrider::ExitCodeOf(step.fault);
  return 0;
}

}  // namespace postrider::check
