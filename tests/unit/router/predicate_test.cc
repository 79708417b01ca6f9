#include "router/predicate.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "base/fault.h"

namespace postrider::router {
namespace {

using Kind = config::Predicate::Kind;

bool Says(const config::Predicate& config, const Record& record, bool value_is_null = false) {
  absl::StatusOr<Predicate> predicate = Predicate::Make(config, "transforms.x.predicate");
  EXPECT_TRUE(predicate.ok()) << predicate.status();
  const absl::StatusOr<bool> first = predicate->Test(record, value_is_null);
  const absl::StatusOr<bool> again = predicate->Test(record, value_is_null);
  EXPECT_TRUE(first.ok() && again.ok()) << first.status();
  EXPECT_EQ(*first, *again);
  return *first;
}

TEST(Predicate, TheWholeTopicMustMatch) {
  const config::Predicate config{.kind = Kind::kTopicNameMatches, .pattern = "a\\.b|c"};
  EXPECT_TRUE(Says(config, {.topic = "a.b"}));
  EXPECT_FALSE(Says(config, {.topic = "a.bc"}));
  EXPECT_FALSE(Says(config, {.topic = "axb"}));
}

TEST(Predicate, AHeaderByItsName) {
  const std::array<Header, 2> headers = {Header{.key = "id", .value = "1"},
                                         Header{.key = "type", .value = std::nullopt}};
  const Record record{.topic = "t", .key = std::nullopt, .value = std::nullopt, .headers = headers};
  EXPECT_TRUE(Says({.kind = Kind::kHasHeaderKey, .header = "type"}, record));
  EXPECT_FALSE(Says({.kind = Kind::kHasHeaderKey, .header = "Type"}, record));
  EXPECT_FALSE(Says({.kind = Kind::kHasHeaderKey, .header = "id"}, {.topic = "t"}));
}

TEST(Predicate, ATombstoneIsANullBeforeTheConverter) {
  const config::Predicate config{.kind = Kind::kRecordIsTombstone};
  EXPECT_TRUE(Says(config, {.topic = "t", .key = std::nullopt, .value = "null"}, true));
  EXPECT_FALSE(Says(config, {.topic = "t"}, false));
}

TEST(Predicate, NegateTurnsItAround) {
  EXPECT_FALSE(Says({.kind = Kind::kTopicNameMatches, .pattern = "t", .negate = true}, {.topic = "t"}));
  EXPECT_TRUE(Says({.kind = Kind::kHasHeaderKey, .header = "id", .negate = true}, {.topic = "t"}));
  EXPECT_TRUE(Says({.kind = Kind::kRecordIsTombstone, .negate = true}, {.topic = "t"}, false));
}

TEST(Predicate, APatternThatNeedsTooManyStepsIsAnErrorThatNamesItsUser) {
  absl::StatusOr<Predicate> predicate =
      Predicate::Make({.kind = Kind::kTopicNameMatches, .pattern = "..b(?:a+)+b"}, "transforms.x.predicate");
  ASSERT_TRUE(predicate.ok());
  const std::string topic = "xxb" + std::string(200, 'a');
  const absl::StatusOr<bool> result = predicate->Test({.topic = topic}, false);
  ASSERT_TRUE(absl::IsFailedPrecondition(result.status())) << result.status();
  EXPECT_NE(result.status().message().find("transforms.x.predicate"), std::string::npos);
}

TEST(Predicate, AWrongPatternIsAFaultOfTheConfiguration) {
  const auto predicate = Predicate::Make({.kind = Kind::kTopicNameMatches, .pattern = "("}, "transforms.x.predicate");
  EXPECT_EQ(FaultOf(predicate.status()), Fault::kConfiguration);
  EXPECT_NE(predicate.status().message().find("transforms.x.predicate"), std::string::npos);
}

}  // namespace
}  // namespace postrider::router
