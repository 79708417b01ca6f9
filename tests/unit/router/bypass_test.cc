#include "router/bypass.h"

#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "base/fault.h"
#include "transform_list.h"

namespace postrider::router {
namespace {

class BypassTest : public ::testing::Test {
 protected:
  absl::StatusOr<bool> Apply() {
    absl::StatusOr<Bypass> made = Bypass::Make(config_);
    if (!made.ok()) return made.status();
    bypass_ = std::make_unique<Bypass>(*std::move(made));
    return bypass_->Apply(record_, false);
  }

  config::Config config_;
  Record record_{.topic = "__debezium-heartbeat.app", .key = "{}", .value = "{}"};
  std::unique_ptr<Bypass> bypass_;
};

TEST_F(BypassTest, WithoutTransformsNothingChanges) {
  EXPECT_TRUE(*Apply());
  EXPECT_EQ(record_.topic, "__debezium-heartbeat.app");
  EXPECT_TRUE(record_.headers.empty());
}

TEST_F(BypassTest, TransformsOnBothSidesActWhateverTheRoutersPredicateSays) {
  config_.router.predicate = TopicNameMatches("app\\.public\\.outbox");
  config_.router.before = {RegexRouter("__debezium-heartbeat\\.(.*)", "beat.$1"), InsertHeader("first", "1")};
  config_.router.behind = {If(TopicNameMatches("beat\\.app"), InsertHeader("second", "2")),
                           RegexRouter("beat\\.(.*)", "beats-$1")};
  EXPECT_TRUE(*Apply());
  EXPECT_EQ(record_.topic, "beats-app");
  EXPECT_EQ(HeaderText(record_), "first=1 second=2");
}

TEST_F(BypassTest, AFilterOnEitherSideDrops) {
  config_.router.before = {If(TopicNameMatches("__debezium.*"), Filter())};
  EXPECT_FALSE(*Apply());
  std::swap(config_.router.before, config_.router.behind);
  EXPECT_FALSE(*Apply());
}

TEST_F(BypassTest, ATopicThatKafkaRefusesIsAnError) {
  config_.router.behind = {RegexRouter(".*", "a b")};
  EXPECT_TRUE(absl::IsFailedPrecondition(Apply().status()));
}

TEST_F(BypassTest, WrongSettingsAreAFaultOfTheConfiguration) {
  config_.router.behind = {RegexRouter("(", "x")};
  EXPECT_EQ(FaultOf(Apply().status()), Fault::kConfiguration);
}

}  // namespace
}  // namespace postrider::router
