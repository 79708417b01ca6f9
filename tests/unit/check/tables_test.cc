#include "check/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "connect/pg_type.h"

namespace postrider::check {
namespace {

using testing::HasSubstr;

config::Config Configured() {
  config::Config config;
  config.topic_prefix = "app";
  config.router.alias = "outbox";
  config.tables.table_include_list = "public.outbox";
  return config;
}

Table Outbox() {
  Table table{.oid = 20'000, .schema = "public", .name = "outbox", .root_oid = 20'000};
  for (const auto& [name, oid] : {std::pair("id", connect::pg::kUuid), std::pair("aggregatetype", connect::pg::kText),
                                  std::pair("aggregateid", connect::pg::kText), std::pair("type", connect::pg::kText),
                                  std::pair("payload", connect::pg::kText)}) {
    table.columns.push_back({.name = name, .type = *connect::pg::BuiltIn(oid, -1), .default_expression = std::nullopt});
  }
  return table;
}

TEST(CheckTables, ATableWithEveryColumnPasses) {
  const Findings findings = CheckTables(Configured(), {Outbox()});
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0].result, Finding::Result::kPass);
}

TEST(CheckTables, AMissingColumnFailsWithTheKeyAndTheNearestName) {
  Table table = Outbox();
  table.columns.back().name = "payloads";
  const Findings findings = CheckTables(Configured(), {table});
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0].result, Finding::Result::kFail);
  EXPECT_EQ(findings[0].fault, Fault::kConfiguration);
  EXPECT_EQ(findings[0].remedy, "transforms.outbox.table.field.event.payload=payloads");
}

TEST(CheckTables, ATypeThatDoesNotFitFails) {
  Table table = Outbox();
  table.columns[1].type = *connect::pg::BuiltIn(connect::pg::kInt4, -1);
  const Findings findings = CheckTables(Configured(), {table});
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0].result, Finding::Result::kFail);
  EXPECT_THAT(findings[0].text, HasSubstr("route.by.field"));
}

TEST(CheckTables, ATableThatAPredicateKeepsFromTheRouterIsAWarning) {
  config::Config config = Configured();
  config.router.predicate = config::Predicate{.pattern = "other.*", .header = ""};
  const Findings findings = CheckTables(config, {Outbox()});
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0].name, "table_not_routed");
  EXPECT_EQ(findings[0].result, Finding::Result::kWarning);
}

TEST(CheckTables, AnExpressionThatCannotBeUsedFailsOnce) {
  config::Config config = Configured();
  config.router.route_topic_regex = "(";
  const Findings findings = CheckTables(config, {Outbox(), Outbox()});
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0].result, Finding::Result::kFail);
}

}  // namespace
}  // namespace postrider::check
