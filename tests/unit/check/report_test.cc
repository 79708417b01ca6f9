#include "check/report.h"

#include <gtest/gtest.h>

namespace postrider::check {
namespace {

Findings Three() {
  return {Pass("server", "PostgreSQL 15"), Warning("wal_limit", "no limit", "ALTER SYSTEM SET x"),
          Failure("slot", Fault::kSlot, "it is \"lost\"", "SELECT 1")};
}

TEST(FormatFindings, OneLineEachInColumnsAndTheRemedyIndentedBelow) {
  EXPECT_EQ(FormatFindings(Three()),
            "pass  server     PostgreSQL 15\n"
            "warn  wal_limit  no limit\n"
            "      ALTER SYSTEM SET x\n"
            "FAIL  slot       it is \"lost\"\n"
            "      SELECT 1\n");
}

TEST(FormatFindings, ALineOfASentenceNeverLooksLikeAFinding) {
  EXPECT_EQ(FormatFindings({Pass("a", "one\npass  two")}), "pass  a  one\n      pass  two\n");
}

TEST(FindingsAsJson, HasNameResultTextAndRemedyOfEach) {
  EXPECT_EQ(FindingsAsJson({Failure("slot", Fault::kSlot, "it is \"lost\"", "SELECT 1")}),
            "[\n  {\n    \"name\": \"slot\",\n    \"result\": \"fail\",\n    \"text\": \"it is \\\"lost\\\"\",\n"
            "    \"remedy\": \"SELECT 1\"\n  }\n]\n");
}

TEST(ExitCodeOf, FirstFailureDecidesAndWarningsDoNotCount) {
  EXPECT_EQ(ExitCodeOf(Three()), 4);
  EXPECT_EQ(ExitCodeOf(Findings{Warning("a", "b")}), 0);
  EXPECT_EQ(ExitCodeOf(Findings{Failure("a", Fault::kPublication, "b"), Failure("c", Fault::kSlot, "d")}), 5);
}

TEST(ExitCodeOf, AStepThatIsLeftCountsOnlyWhereRunCannotDoIt) {
  SetupStep by_run{.kind = SetupStep::Kind::kToDo, .text = "later", .command = ""};
  SetupStep by_others = by_run;
  by_others.fault = Fault::kDatabaseRefuses;
  EXPECT_EQ(ExitCodeOf(SetupSteps{by_run}), 0);
  EXPECT_EQ(ExitCodeOf(SetupSteps{by_run, by_others}), 3);
}

TEST(StepsAsScript, CommentsAreOfTheLanguageAndSqlComesBeforeTheShell) {
  const SetupSteps steps = {
      {.kind = SetupStep::Kind::kToDo, .text = "topic", .command = "kafka-topics.sh x", .shell = true},
      {.kind = SetupStep::Kind::kToDo, .text = "slot\nof ours", .command = "SELECT 1"},
      {.kind = SetupStep::Kind::kThere, .text = "publication", .command = ""}};
  EXPECT_EQ(StepsAsScript(steps), "-- slot\n-- of ours\nSELECT 1;\n-- publication\n# topic\nkafka-topics.sh x\n");
}

}  // namespace
}  // namespace postrider::check
