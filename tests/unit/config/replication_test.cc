// src/config/replication.cc
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scratch.h"

namespace postrider::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(SlotOptions, ReadsAllKeys) {
  const auto loaded = LoadWith(
      "slot.name=out_box1\nslot.drop.on.stop=true\nslot.failover=true\nslot.stream.params=origin=none; x = y=z ;\n"
      "status.update.interval.ms=500\npostrider.slot.takeover=wait\n");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const Slot& slot = loaded->config.slot;
  EXPECT_EQ(slot.name, "out_box1");
  EXPECT_TRUE(slot.drop_on_stop);
  EXPECT_TRUE(slot.failover);
  EXPECT_EQ(slot.takeover, SlotTakeover::kWait);
  EXPECT_THAT(slot.stream_params, ElementsAre(Pair("origin", "none"), Pair("x", "y=z")));
  EXPECT_EQ(slot.status_interval_ms, 500);
}

TEST(SlotOptions, RefusesNamesThatPostgresqlWould) {
  for (const std::string name : {"", " ", "Outbox", "out-box", "out box", "\xC3\xA4", "a.b"})
    EXPECT_THAT(ErrorWith("slot.name=" + name), HasSubstr("slot.name is '")) << name;
  EXPECT_EQ(ErrorWith("slot.name=" + std::string(63, 'a')), "");
  EXPECT_THAT(ErrorWith("slot.name=" + std::string(64, 'a')), HasSubstr("1 to 63"));
}

TEST(SlotOptions, LeavesOutStreamOptionsThatAreOurs) {
  const std::string text = "slot.stream.params=proto_version=4;streaming=on;nonsense;=1;origin=any";
  const auto loaded = LoadWith(text);
  ASSERT_TRUE(loaded.ok());
  EXPECT_THAT(loaded->config.slot.stream_params, ElementsAre(Pair("origin", "any")));
  const std::string warnings = WarningsWith(text);
  for (const std::string_view part : {"proto_version", "streaming", "'nonsense'", "'=1'"})
    EXPECT_THAT(warnings, HasSubstr(std::string(part)));
}

TEST(PublicationOptions, UpdatesArePublishedWhereTheRouterAsksForThem) {
  const auto publishes = [](std::string_view text) {
    const auto loaded = LoadWith(text);
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    return loaded->config.publication.publish_updates;
  };
  EXPECT_FALSE(publishes(""));
  EXPECT_FALSE(publishes("transforms.outbox.table.op.invalid.behavior=warn"));
  EXPECT_TRUE(publishes("transforms.outbox.table.op.invalid.behavior=error"));
  EXPECT_TRUE(publishes("transforms.outbox.table.op.invalid.behavior=FATAL"));
  EXPECT_FALSE(publishes("transforms.outbox.table.op.invalid.behavior=fatal\nskipped.operations=u,t"));
}

TEST(PublicationOptions, ReadsAllKeys) {
  const auto loaded =
      LoadWith("publication.name=Pub\npublication.autocreate.mode=no_tables\npublish.via.partition.root=true\n");
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->config.publication.name, "Pub");
  EXPECT_EQ(loaded->config.publication.autocreate, PublicationAutocreate::kNoTables);
  EXPECT_TRUE(loaded->config.publication.via_partition_root);
  EXPECT_THAT(ErrorWith("publication.name="), HasSubstr("publication.name is ''"));
}

TEST(SnapshotOptions, ReadsModes) {
  const auto mode = [](const std::string& text) {
    const auto loaded = LoadWith("snapshot.mode=" + text);
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    return loaded->config.snapshot.mode;
  };
  EXPECT_EQ(mode("initial"), SnapshotMode::kInitial);
  EXPECT_EQ(mode("initial_only"), SnapshotMode::kInitialOnly);
  EXPECT_EQ(mode("no_data"), SnapshotMode::kNoData);
  EXPECT_EQ(mode("never"), SnapshotMode::kNoData);
  EXPECT_EQ(mode("when_needed"), SnapshotMode::kWhenNeeded);
  EXPECT_EQ(mode("always"), SnapshotMode::kAlways);
  EXPECT_THAT(ErrorWith("snapshot.mode=custom"), HasSubstr("Java classes cannot be loaded"));
}

TEST(SnapshotOptions, EachOverrideHasItsStatement) {
  const auto loaded = LoadWith(
      "snapshot.include.collection.list=public.outbox\nsnapshot.select.statement.overrides=public.outbox, a.b\n"
      "snapshot.select.statement.overrides.public.outbox=SELECT 1\nsnapshot.select.statement.overrides.a.b=SELECT 2\n");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->config.snapshot.include_collection_list, "public.outbox");
  EXPECT_THAT(loaded->config.snapshot.select_overrides,
              ElementsAre(Pair("public.outbox", "SELECT 1"), Pair("a.b", "SELECT 2")));
  EXPECT_THAT(ErrorWith("snapshot.select.statement.overrides=a.b"),
              HasSubstr("names a.b, but snapshot.select.statement.overrides.a.b has no statement"));
}

TEST(TableOptions, IncludeAndExcludeAreNotBothGiven) {
  const auto loaded =
      LoadWith("table.include.list=public.outbox\nschema.exclude.list=x\ncolumn.exclude.list=.*\\\\.secret\n");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->config.tables.table_include_list, "public.outbox");
  EXPECT_EQ(loaded->config.tables.schema_exclude_list, "x");
  EXPECT_EQ(loaded->config.tables.column_exclude_list, ".*\\.secret");
  EXPECT_THAT(ErrorWith("table.include.list=a\ntable.exclude.list=b"),
              HasSubstr("table.exclude.list stands beside table.include.list"));
  EXPECT_THAT(ErrorWith("schema.include.list=a\nschema.exclude.list=b"), HasSubstr("schema.exclude.list"));
  EXPECT_THAT(ErrorWith("column.include.list=a\ncolumn.exclude.list=b"), HasSubstr("column.exclude.list"));
}

}  // namespace
}  // namespace postrider::config
