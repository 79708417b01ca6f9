// Findings and steps as text and JSON. READ THIS FIRST in check/. Pure. Tested by tests/unit/check/report_test.cc.
//
//   pass  server           PostgreSQL 15.6 at db:5432
//   FAIL  wal_level        wal_level is replica, and has to be logical: it takes a restart of the server
//         ALTER SYSTEM SET wal_level = 'logical'
#pragma once

#include <string>

#include "base/finding.h"

namespace postrider::check {

std::string FormatFindings(const Findings& findings);
// [{"name": "wal_level", "result": "fail", "text": "...", "remedy": "..."}, ...]; result: pass, warn, fail.
std::string FindingsAsJson(const Findings& findings);
// 0 where nothing failed, else that of the first failure.
int ExitCodeOf(const Findings& findings);

std::string FormatSteps(const SetupSteps& steps);
// Only what is to be run: SQL, each statement with a semicolon, then the shell's lines; the sentences as comments.
std::string StepsAsScript(const SetupSteps& steps);
// 0 where `run` can begin, else what it would end with.
int ExitCodeOf(const SetupSteps& steps);

}  // namespace postrider::check
