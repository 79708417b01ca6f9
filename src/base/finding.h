// What one check of `postrider check` found, and what one step of `postrider setup` did. Plain data, any thread.
//
// Sentences as of base/fault.h: what is wrong and what to do, no payload, no secret. Printed by check/report.h.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/fault.h"
#include "base/text.h"

namespace postrider {

struct Finding {
  enum class Result { kPass, kWarning, kFail };
  std::string name;  // stable: "wal_level", "topic"
  Result result = Result::kPass;
  std::string text;    // one sentence
  std::string remedy;  // SQL, a key=value or a shell command, ready to be run; empty: none is known, or needed
  Fault fault = Fault::kPassing;  // of kFail: what `run` would end with, or the nearest to it where `run` would wait
};
using Findings = std::vector<Finding>;

inline Finding Pass(std::string_view name, std::string_view text) {
  return {.name = std::string(name), .result = Finding::Result::kPass, .text = std::string(text), .remedy = ""};
}
inline Finding Warning(std::string_view name, std::string_view text, std::string_view remedy = "") {
  return {.name = std::string(name),
          .result = Finding::Result::kWarning,
          .text = std::string(text),
          .remedy = std::string(remedy)};
}
inline Finding Failure(std::string_view name, Fault fault, std::string_view text, std::string_view remedy = "") {
  return {.name = std::string(name),
          .result = Finding::Result::kFail,
          .text = std::string(text),
          .remedy = std::string(remedy),
          .fault = fault};
}
// A fault as `run` would tell it. What passes for `run`, which waits, counts as `when_passing` here.
inline Finding Failure(std::string_view name, const absl::Status& status, Fault when_passing,
                       std::string_view remedy = "") {
  const Fault fault = FaultOf(status);
  return Failure(name, fault == Fault::kPassing ? when_passing : fault, MessageOf(status), remedy);
}

inline void Append(Findings& findings, Findings more) {
  for (Finding& finding : more) findings.push_back(std::move(finding));
}

// One step of `postrider setup`.
struct SetupStep {
  enum class Kind {
    kThere,  // nothing to do
    kMade,   // done now
    kToDo,   // left, with the command for somebody who may
    kNote,   // for the reader
  };
  Kind kind = Kind::kThere;
  std::string text;               // one sentence
  std::string command;            // SQL or a shell command; empty: none
  Fault fault = Fault::kPassing;  // of kToDo: what `run` would end with; kPassing where it would do it itself
  bool shell = false;             // `command` is for a shell
};
using SetupSteps = std::vector<SetupStep>;

}  // namespace postrider
