#include "config/key_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "scratch.h"

namespace postrider::config {
namespace {

using ::testing::Contains;
using ::testing::Not;

KeyIndex IndexOf(std::initializer_list<std::pair<std::string, std::string>> pairs) {
  return KeyIndex(SettingsOf(pairs));
}

KeyIndex WithRouter() {
  return IndexOf({{"transforms", "a.b, other"},
                  {"transforms.a.b.type", "io.debezium.transforms.outbox.EventRouter"},
                  {"transforms.other.type", "com.example.Reroute"},
                  {"predicates", "p, q"},
                  {"predicates.p.type", "TopicNameMatches"},
                  {"predicates.q.type", "com.example.Maybe"},
                  {"topic.creation.groups", "big"},
                  {"config.providers", "vars"}});
}

std::string Documented(const KeyIndex& index, std::string_view key) {
  const KeySpec* spec = index.Find(key).spec;
  return spec == nullptr ? "(unknown)" : DocumentedKey(*spec);
}

TEST(KeyIndex, FindsTopKeys) {
  const KeyIndex index = IndexOf({});
  EXPECT_EQ(Documented(index, "slot.name"), "slot.name");
  EXPECT_EQ(Documented(index, "topic.creation.enable"), "topic.creation.enable");
  EXPECT_EQ(Documented(index, "slot.nam"), "(unknown)");
  EXPECT_EQ(Documented(index, "offset.storage.topic"), "offset.storage.*");
  EXPECT_EQ(Documented(index, "snapshot.select.statement.overrides.public.outbox"),
            "snapshot.select.statement.overrides.*");
}

TEST(KeyIndex, TransformKeysDependOnTheTransformsClass) {
  const KeyIndex index = WithRouter();
  EXPECT_EQ(Documented(index, "transforms.a.b.route.by.field"), "transforms.<alias>.route.by.field");
  EXPECT_EQ(Documented(index, "transforms.a.b.type"), "transforms.<alias>.type");
  EXPECT_EQ(Documented(index, "transforms.a.b.regex"), "(unknown)");
  EXPECT_EQ(Documented(index, "transforms.gone.route.by.field"), "(unknown)");
  const KeySpec* foreign = index.Find("transforms.other.regex").spec;
  ASSERT_NE(foreign, nullptr);
  EXPECT_EQ(foreign->outcome, KeyOutcome::kMeaningless);
}

TEST(KeyIndex, EachOfKafkasTransformsHasItsKeys) {
  const KeyIndex index = IndexOf({{"transforms", "r, i, d, f"},
                                  {"transforms.r.type", "org.apache.kafka.connect.transforms.RegexRouter"},
                                  {"transforms.i.type", "org.apache.kafka.connect.transforms.InsertHeader"},
                                  {"transforms.d.type", "org.apache.kafka.connect.transforms.DropHeaders"},
                                  {"transforms.f.type", "org.apache.kafka.connect.transforms.Filter"},
                                  {"predicates", "t, h, n"},
                                  {"predicates.t.type", "TopicNameMatches"},
                                  {"predicates.h.type", "HasHeaderKey"},
                                  {"predicates.n.type", "RecordIsTombstone"}});
  EXPECT_EQ(Documented(index, "transforms.r.replacement"), "transforms.<alias>.replacement");
  EXPECT_EQ(Documented(index, "transforms.i.value.literal"), "transforms.<alias>.value.literal");
  EXPECT_EQ(Documented(index, "transforms.d.headers"), "transforms.<alias>.headers");
  EXPECT_EQ(Documented(index, "transforms.f.predicate"), "transforms.<alias>.predicate");
  EXPECT_EQ(Documented(index, "transforms.r.headers"), "(unknown)");
  EXPECT_EQ(Documented(index, "transforms.f.regex"), "(unknown)");
  EXPECT_EQ(Documented(index, "predicates.t.pattern"), "predicates.<alias>.pattern");
  EXPECT_EQ(Documented(index, "predicates.h.name"), "predicates.<alias>.name");
  EXPECT_EQ(Documented(index, "predicates.t.name"), "(unknown)");
  EXPECT_EQ(Documented(index, "predicates.n.pattern"), "(unknown)");
}

TEST(KeyIndex, ProducerKeysHaveTwoPrefixes) {
  const KeyIndex index = IndexOf({});
  EXPECT_EQ(index.Find("producer.override.linger.ms").prefix, "producer.override.");
  EXPECT_EQ(index.Find("producer.linger.ms").spec, index.Find("producer.override.linger.ms").spec);
  EXPECT_EQ(Documented(index, "ssl.truststore.location"), "producer.override.ssl.truststore.location");
  EXPECT_EQ(Documented(index, "linger.ms"), "(unknown)");
}

TEST(KeyIndex, KeysBehindOtherAliases) {
  const KeyIndex index = WithRouter();
  EXPECT_EQ(Documented(index, "predicates.p.pattern"), "predicates.<alias>.pattern");
  EXPECT_EQ(index.Find("predicates.q.pattern").spec->outcome, KeyOutcome::kMeaningless);
  EXPECT_EQ(Documented(index, "topic.creation.big.partitions"), "topic.creation.<group>.partitions");
  EXPECT_EQ(Documented(index, "topic.creation.big.cleanup.policy"), "topic.creation.<group>.*");
  EXPECT_EQ(Documented(index, "topic.creation.small.partitions"), "(unknown)");
  EXPECT_EQ(Documented(index, "config.providers.vars.class"), "config.providers.<alias>.class");
  EXPECT_EQ(Documented(index, "header.converter.schemas.enable"), "<key|value|header>.converter.schemas.enable");
}

TEST(KeyIndex, SuggestsTheNearestInTheSamePlace) {
  const KeyIndex index = WithRouter();
  EXPECT_EQ(index.Suggest("transforms.a.b.route.topic.replacment"), "transforms.a.b.route.topic.replacement");
  EXPECT_EQ(index.Suggest("database.hostnmae"), "database.hostname");
  EXPECT_EQ(index.Suggest("producer.override.lingerms"), "producer.override.linger.ms");
  EXPECT_EQ(index.Suggest("completely.different.thing"), std::nullopt);
}

TEST(KeyIndex, SuggestsTheRightPlace) {
  EXPECT_EQ(WithRouter().Suggest("route.by.field"), "transforms.a.b.route.by.field");
  EXPECT_EQ(IndexOf({}).Suggest("linger.ms"), "producer.override.linger.ms");
}

TEST(KeyIndex, ListsWhatCouldBeWritten) {
  const std::vector<std::string> keys = WithRouter().ConcreteKeys();
  EXPECT_THAT(keys, Contains("slot.name"));
  EXPECT_THAT(keys, Contains("transforms.a.b.route.by.field"));
  EXPECT_THAT(keys, Contains("producer.sasl.mechanism"));
  EXPECT_THAT(keys, Contains("sasl.mechanism"));
  EXPECT_THAT(keys, Not(Contains("offset.storage.*")));
  EXPECT_THAT(keys, Not(Contains("linger.ms")));
}

}  // namespace
}  // namespace postrider::config
