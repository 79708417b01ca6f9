#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scratch.h"

namespace postrider::config {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr char kPackage[] = "org.apache.kafka.connect.transforms.";

Router RouterOf(const std::string& text) {
  const auto loaded = LoadWith(text);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  return loaded.ok() ? loaded->config.router : Router();
}

// A transform `x` of this class behind the router.
std::string Behind(const std::string& type, const std::string& options) {
  return "transforms=outbox,x\ntransforms.x.type=" + type + "\n" + options;
}

std::string OnRouter(const std::string& predicate) {
  return "topic.prefix=app\ntransforms.outbox.predicate=p\npredicates=p\n" + predicate;
}

TEST(Transforms, ReadsEachClassOnItsSide) {
  const Router router = RouterOf(
      "transforms=keep,outbox,rename,add,drop\n"
      "transforms.keep.type=org.apache.kafka.connect.transforms.Filter\n"
      "transforms.keep.predicate=isOutbox\ntransforms.keep.negate=true\n"
      "transforms.rename.type=RegexRouter\ntransforms.rename.regex=outbox\\\\.(.*)\ntransforms.rename.replacement=$1\n"
      "transforms.add.type=InsertHeader\ntransforms.add.header=v\ntransforms.add.value.literal=12\n"
      "transforms.add.predicate=hasId\n"
      "transforms.drop.type=DropHeaders\ntransforms.drop.headers=a, b\ntransforms.drop.predicate=isNull\n"
      "predicates=isOutbox,hasId,isNull\n"
      "predicates.isOutbox.type=TopicNameMatches\npredicates.isOutbox.pattern=app\\\\.public\\\\.outbox\n"
      "predicates.hasId.type=org.apache.kafka.connect.transforms.predicates.HasHeaderKey\npredicates.hasId.name=id\n"
      "predicates.isNull.type=RecordIsTombstone\ntopic.prefix=app\n");
  EXPECT_EQ(router.alias, "outbox");
  EXPECT_FALSE(router.predicate);
  ASSERT_THAT(router.before, SizeIs(1));
  EXPECT_EQ(router.before[0].kind, Transform::Kind::kFilter);
  ASSERT_TRUE(router.before[0].predicate);
  EXPECT_EQ(router.before[0].predicate->pattern, "app\\.public\\.outbox");
  EXPECT_TRUE(router.before[0].predicate->negate);
  ASSERT_THAT(router.behind, SizeIs(3));
  EXPECT_EQ(router.behind[0].kind, Transform::Kind::kRegexRouter);
  EXPECT_EQ(router.behind[0].alias, "rename");
  EXPECT_EQ(router.behind[0].regex, "outbox\\.(.*)");
  EXPECT_EQ(router.behind[0].replacement, "$1");
  EXPECT_FALSE(router.behind[0].predicate);
  EXPECT_EQ(router.behind[1].kind, Transform::Kind::kInsertHeader);
  EXPECT_EQ(router.behind[1].header, "v");
  EXPECT_EQ(router.behind[1].literal, "12");
  EXPECT_THAT(router.behind[1].literal_origin, HasSubstr("more.properties:10: transforms.add.value.literal"));
  ASSERT_TRUE(router.behind[1].predicate);
  EXPECT_EQ(router.behind[1].predicate->kind, Predicate::Kind::kHasHeaderKey);
  EXPECT_EQ(router.behind[1].predicate->header, "id");
  EXPECT_THAT(router.behind[2].headers, ElementsAre("a", "b"));
  ASSERT_TRUE(router.behind[2].predicate);
  EXPECT_EQ(router.behind[2].predicate->kind, Predicate::Kind::kRecordIsTombstone);
}

TEST(Transforms, ExactlyOneRouter) {
  EXPECT_THAT(ErrorWith("transforms="), HasSubstr("no EventRouter is configured"));
  EXPECT_THAT(ErrorWith("transforms=outbox,b\ntransforms.b.type=EventRouter"),
              HasSubstr("names more than one EventRouter (outbox, b)"));
  EXPECT_THAT(ErrorWith("transforms=outbox,b"), HasSubstr("names b, but transforms.b.type is missing"));
  EXPECT_THAT(ErrorWith("transforms=b\ntransforms.b.type=DropHeaders\ntransforms.b.headers=x"),
              HasSubstr("names no EventRouter"));
  EXPECT_THAT(ErrorWith("transforms=outbox,outbox"), HasSubstr("names outbox twice"));
}

TEST(Transforms, OtherTransformsAreRefusedByName) {
  EXPECT_THAT(ErrorWith(Behind("io.debezium.transforms.ExtractNewRecordState", "")),
              AllOf(HasSubstr("transforms.x.type is 'io.debezium.transforms.ExtractNewRecordState': a transform that "
                              "is not supported"),
                    HasSubstr("EventRouter, RegexRouter, InsertHeader, DropHeaders, Filter")));
  EXPECT_THAT(ErrorWith(Behind("org.apache.kafka.connect.transforms.ValueToKey", "")), HasSubstr("not supported"));
}

TEST(Transforms, MissingOptionsAreNamedWithFileAndLine) {
  const auto error = [](const std::string& type, const std::string& options) {
    return ErrorWith(Behind(kPackage + type, options));
  };
  EXPECT_THAT(error("RegexRouter", "transforms.x.replacement=y"),
              AllOf(HasSubstr("more.properties:2: transforms.x.type"),
                    HasSubstr("transforms.x.regex is missing: allowed is a Java regular expression")));
  EXPECT_THAT(error("RegexRouter", "transforms.x.regex=y"), HasSubstr("transforms.x.replacement is missing"));
  EXPECT_THAT(error("InsertHeader", "transforms.x.value.literal=y"), HasSubstr("transforms.x.header is missing"));
  EXPECT_THAT(error("InsertHeader", "transforms.x.header=y"), HasSubstr("transforms.x.value.literal is missing"));
  EXPECT_THAT(error("DropHeaders", ""), HasSubstr("transforms.x.headers is missing"));
  EXPECT_THAT(error("Filter", ""), HasSubstr("would drop every record: set transforms.x.predicate"));
  EXPECT_THAT(error("Filter", "transforms.x.predicate="), HasSubstr("would drop every record"));
}

TEST(Transforms, WrongOptionsAreNamedWithFileAndLine) {
  const auto error = [](const std::string& type, const std::string& options) {
    return ErrorWith(Behind(kPackage + type, options));
  };
  EXPECT_THAT(error("RegexRouter", "transforms.x.regex=(\ntransforms.x.replacement=y"),
              HasSubstr("more.properties:3: transforms.x.regex is '(': not a regular expression"));
  EXPECT_THAT(error("RegexRouter", "transforms.x.regex=y\ntransforms.x.replacement=${z}"),
              HasSubstr("more.properties:4: transforms.x.replacement is '${z}': does not fit transforms.x.regex"));
  for (const std::string literal : {"[1,2]", "{}", "[x"}) {
    EXPECT_THAT(
        error("InsertHeader", "transforms.x.header=h\ntransforms.x.value.literal=" + literal),
        HasSubstr("more.properties:4: transforms.x.value.literal is '" + literal + "': Connect looks for a list"));
  }
  for (const std::string headers : {"", "a,,b", "a,"})
    EXPECT_THAT(error("DropHeaders", "transforms.x.headers=" + headers), HasSubstr("allowed are names of headers"));
}

TEST(Transforms, EmptyTextIsAValue) {
  EXPECT_EQ(
      RouterOf(Behind("RegexRouter", "transforms.x.regex=a(.*)\ntransforms.x.replacement=")).behind[0].replacement, "");
  EXPECT_EQ(RouterOf(Behind("InsertHeader", "transforms.x.header=h\ntransforms.x.value.literal=")).behind[0].literal,
            "");
}

TEST(Transforms, ReadsTheRoutersPredicate) {
  const std::string predicate =
      "predicates.p.type=org.apache.kafka.connect.transforms.predicates.TopicNameMatches\n"
      "predicates.p.pattern=app\\\\.public\\\\.outbox\n";
  const Router router = RouterOf(OnRouter(predicate) + "transforms.outbox.negate=true\n");
  ASSERT_TRUE(router.predicate);
  EXPECT_EQ(router.predicate->kind, Predicate::Kind::kTopicNameMatches);
  EXPECT_EQ(router.predicate->pattern, "app\\.public\\.outbox");
  EXPECT_TRUE(router.predicate->negate);
  EXPECT_FALSE(RouterOf("predicates=p\n" + predicate).predicate);
  EXPECT_EQ(RouterOf(OnRouter("predicates.p.type=RecordIsTombstone\n")).predicate->kind,
            Predicate::Kind::kRecordIsTombstone);
}

TEST(Transforms, RefusesPredicatesThatAreNotWhole) {
  EXPECT_THAT(ErrorWith("transforms.outbox.negate=true"),
              HasSubstr("transforms.outbox.negate has no meaning without transforms.outbox.predicate"));
  EXPECT_THAT(ErrorWith("transforms.outbox.predicate=p"), HasSubstr("`predicates` does not list it"));
  EXPECT_THAT(ErrorWith(OnRouter("")), HasSubstr("predicates.p.type is missing"));
  EXPECT_THAT(ErrorWith(OnRouter("predicates.p.type=TopicNameMatches\n")),
              HasSubstr("predicates.p.pattern is missing: allowed is a Java regular expression"));
  EXPECT_THAT(ErrorWith(OnRouter("predicates.p.type=TopicNameMatches\npredicates.p.pattern= \n")),
              HasSubstr("predicates.p.pattern is '': allowed is"));
  EXPECT_THAT(ErrorWith(OnRouter("predicates.p.type=TopicNameMatches\npredicates.p.pattern=(\n")),
              HasSubstr("predicates.p.pattern is '(': not a regular expression"));
  EXPECT_THAT(ErrorWith(OnRouter("predicates.p.type=HasHeaderKey\n")), HasSubstr("predicates.p.name is missing"));
  EXPECT_THAT(ErrorWith(OnRouter("predicates.p.type=HasHeaderKey\npredicates.p.name=\n")),
              HasSubstr("predicates.p.name is '': allowed is the name of a header"));
  EXPECT_THAT(ErrorWith(OnRouter("predicates.p.type=com.example.P\n")),
              HasSubstr("Postrider knows TopicNameMatches, HasHeaderKey, RecordIsTombstone"));
}

// Debezium adds these headers by default, Postrider where it is asked to: a predicate on one must not guess.
TEST(Transforms, APredicateOnAContextHeaderNeedsTheirSetting) {
  const std::string text = OnRouter("predicates.p.type=HasHeaderKey\npredicates.p.name=__debezium.context.taskId\n");
  EXPECT_THAT(ErrorWith(text), HasSubstr("write extended.headers.enabled=true or false"));
  EXPECT_EQ(ErrorWith(text + "extended.headers.enabled=false\n"), "");
}

TEST(Transforms, APrefixThatAFilterBeforeTheRouterSeesIsWarnedAbout) {
  const std::string text =
      "transforms=x,outbox\ntransforms.x.type=Filter\ntransforms.x.predicate=p\npredicates=p\n"
      "predicates.p.type=TopicNameMatches\npredicates.p.pattern=a\n";
  EXPECT_THAT(WarningsWith(text), HasSubstr("topic.prefix is missing"));
}

}  // namespace
}  // namespace postrider::config
