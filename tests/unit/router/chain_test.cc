#include "router/chain.h"

#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "transform_list.h"

namespace postrider::router {
namespace {

using ::testing::HasSubstr;

constexpr config::Converter kSimple{.kind = config::ConverterKind::kSimpleHeader};

class ChainTest : public ::testing::Test {
 protected:
  void Make(std::vector<config::Transform> transforms, const config::Converter& header = kSimple) {
    absl::StatusOr<Chain> made = Chain::Make(transforms, connect::Converter(header));
    ASSERT_TRUE(made.ok()) << made.status();
    chain_ = *std::move(made);
  }
  bool Apply(bool value_is_null = false) {
    const absl::StatusOr<bool> kept = chain_.Apply(record_, value_is_null);
    EXPECT_TRUE(kept.ok()) << kept.status();
    return kept.ok() && *kept;
  }
  // "id=1 type=null"
  std::string Headers() const { return HeaderText(record_); }

  const std::array<Header, 3> headers_ = {Header{.key = "id", .value = "1"}, Header{.key = "type", .value = "T"},
                                          Header{.key = "type", .value = std::nullopt}};
  Record record_{.topic = "outbox.event.order", .key = "7", .value = "v", .headers = headers_};
  Chain chain_;
};

TEST_F(ChainTest, WithoutTransformsNothingChanges) {
  EXPECT_TRUE(chain_.empty());
  EXPECT_TRUE(Apply());
  EXPECT_EQ(record_.topic, "outbox.event.order");
  EXPECT_EQ(record_.headers.data(), headers_.data());
}

TEST_F(ChainTest, RegexRouterRenamesTheTopicThatMatchesAsAWhole) {
  Make({RegexRouter("outbox\\.event\\.(?<what>.*)", "${what}-$1")});
  EXPECT_TRUE(Apply());
  EXPECT_EQ(record_.topic, "order-order");
  EXPECT_EQ(Headers(), "id=1 type=T type=null");
  record_.topic = "xoutbox.event.order";
  EXPECT_TRUE(Apply());
  EXPECT_EQ(record_.topic, "xoutbox.event.order");
}

TEST_F(ChainTest, OnlyTheFirstFindIsReplaced) {
  Make({RegexRouter("a*?|aa", "x")});
  record_.topic = "aa";
  EXPECT_TRUE(Apply());
  EXPECT_EQ(record_.topic, "xaa");
}

TEST_F(ChainTest, InsertHeaderAddsAtTheEndAndReplacesNothing) {
  Make({InsertHeader("type", "12"), InsertHeader("none", "null"), InsertHeader("empty", "")});
  EXPECT_TRUE(Apply());
  EXPECT_EQ(Headers(), "id=1 type=T type=null type=12 none=null empty=");
}

TEST_F(ChainTest, TheHeaderConverterWritesTheLiteral) {
  Make({InsertHeader("n", "12")}, {.kind = config::ConverterKind::kJson});
  EXPECT_TRUE(Apply());
  EXPECT_THAT(Headers(), HasSubstr(R"(n={"schema":{"type":"int8","optional":false},"payload":12})"));
}

TEST_F(ChainTest, DropHeadersDropsAllOfAName) {
  Make({DropHeaders({"type", "gone"})});
  EXPECT_TRUE(Apply());
  EXPECT_EQ(Headers(), "id=1");
  record_.headers = std::span(headers_).first(1);  // the next record starts from its own headers
  EXPECT_TRUE(Apply());
  EXPECT_EQ(Headers(), "id=1");
  record_.headers = {};
  EXPECT_TRUE(Apply());
  EXPECT_EQ(Headers(), "");
}

TEST_F(ChainTest, DroppingEveryHeaderLeavesNone) {
  Make({DropHeaders({"type", "id"}), InsertHeader("a", "b")});
  EXPECT_TRUE(Apply());
  EXPECT_EQ(Headers(), "a=b");
}

TEST_F(ChainTest, TransformsActInTheirOrder) {
  Make({InsertHeader("a", "1"), DropHeaders({"a"}), InsertHeader("a", "2"), RegexRouter("outbox\\.event\\.(.*)", "$1"),
        RegexRouter("order", "orders")});
  EXPECT_TRUE(Apply());
  EXPECT_EQ(Headers(), "id=1 type=T type=null a=2");
  EXPECT_EQ(record_.topic, "orders");
}

TEST_F(ChainTest, AFilterDropsWhatItsPredicateMatches) {
  Make({If(TopicNameMatches("outbox\\.event\\.order"), Filter())});
  EXPECT_FALSE(Apply());
  record_.topic = "outbox.event.invoice";
  EXPECT_TRUE(Apply());
}

TEST_F(ChainTest, AFilterSeesWhatStandsBeforeIt) {
  Make({RegexRouter("outbox\\.event\\.(.*)", "$1"), If(TopicNameMatches("outbox.*"), Filter()),
        InsertHeader("drop", "true"), If(HasHeaderKey("drop"), Filter())});
  EXPECT_FALSE(Apply());
  record_.headers = headers_;
  Make({If(HasHeaderKey("drop"), Filter()), InsertHeader("drop", "true")});
  EXPECT_TRUE(Apply());
}

TEST_F(ChainTest, PredicatesChooseForEveryTransform) {
  Make({If(TopicNameMatches("other"), RegexRouter(".*", "renamed")),
        If(RecordIsTombstone(), InsertHeader("dead", "true")),
        If(Negated(HasHeaderKey("dead")), DropHeaders({"type"}))});
  EXPECT_TRUE(Apply(/*value_is_null=*/true));
  EXPECT_EQ(Headers(), "id=1 type=T type=null dead=true");
  EXPECT_EQ(record_.topic, "outbox.event.order");
  record_.headers = headers_;
  EXPECT_TRUE(Apply(/*value_is_null=*/false));
  EXPECT_EQ(Headers(), "id=1");
}

TEST_F(ChainTest, AnExpressionThatNeedsTooManyStepsIsAnError) {
  Make({RegexRouter("..b(?:a+)+b", "x")});
  const std::string topic = "xxb" + std::string(200, 'a');
  record_.topic = topic;
  const absl::StatusOr<bool> kept = chain_.Apply(record_, false);
  ASSERT_TRUE(absl::IsFailedPrecondition(kept.status())) << kept.status();
  EXPECT_THAT(std::string(kept.status().message()), HasSubstr("transforms.rename.regex"));
}

TEST_F(ChainTest, WhatIsWrongIsNamed) {
  const auto fault = [](const config::Transform& transform, const config::Converter& header = kSimple) {
    const auto made = Chain::Make({transform}, connect::Converter(header));
    EXPECT_EQ(FaultOf(made.status()), Fault::kConfiguration);
    return std::string(made.status().message());
  };
  EXPECT_THAT(fault(RegexRouter("(", "x")), HasSubstr("transforms.rename.regex is wrong"));
  EXPECT_THAT(fault(RegexRouter("x", "$1")), HasSubstr("transforms.rename.replacement is wrong"));
  EXPECT_THAT(fault(If(TopicNameMatches("("), Filter())), HasSubstr("transforms.filter.predicate"));
  EXPECT_THAT(fault(InsertHeader("a", "2020-13-01")), HasSubstr("file:9: transforms.insert.value.literal is wrong: "));
  EXPECT_THAT(fault(InsertHeader("a", "x"), {.kind = config::ConverterKind::kLong}),
              HasSubstr("header.converter takes bigint columns only"));
}

}  // namespace
}  // namespace postrider::router
