// src/config/operation.cc and the poison policy of src/config/relay_options.cc
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "scratch.h"

namespace postrider::config {
namespace {

using ::testing::HasSubstr;

Config ConfigWith(const std::string& text) {
  const auto loaded = LoadWith("slot.name=orders\n" + text);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  return loaded.ok() ? loaded->config : Config{};
}

TEST(Operation, HttpListensOnLoopbackUnlessToldOtherwise) {
  EXPECT_EQ(ConfigWith("").monitor.http_address, "127.0.0.1:9465");
  EXPECT_FALSE(ConfigWith("").monitor.http_required);
  EXPECT_EQ(ConfigWith("postrider.http.address=[::]:80\n").monitor.http_address, "[::]:80");
  EXPECT_TRUE(ConfigWith("postrider.http.address=[::]:80\n").monitor.http_required);
  EXPECT_EQ(ConfigWith("postrider.http.address=off\n").monitor.http_address, "");
}

TEST(Operation, AnAddressThatIsNoneIsRefused) {
  for (const char* address : {"8080", ":80", "host:", "host:65536", "::1:80", "host:port"}) {
    const auto loaded = LoadWith(std::string("slot.name=orders\npostrider.http.address=") + address + "\n");
    ASSERT_FALSE(loaded.ok()) << address;
    EXPECT_THAT(std::string(MessageOf(loaded.status())), HasSubstr("postrider.http.address"));
  }
}

TEST(Operation, TheSocketLiesBesideTheEvidence) {
  EXPECT_EQ(ConfigWith("").control.socket, "/var/lib/postrider/orders.sock");
  EXPECT_EQ(ConfigWith("postrider.state.file=/state/evidence\n").control.socket, "/state/evidence.sock");
  EXPECT_EQ(ConfigWith("postrider.control.socket=/run/p.sock\n").control.socket, "/run/p.sock");
}

TEST(Operation, ASocketsPathThatIsTooLongIsRefusedOrLeftOut) {
  const std::string folder = "/" + std::string(120, 'f');
  EXPECT_EQ(ConfigWith("postrider.state.file=" + folder + "/e.json\n").control.socket, "");
  EXPECT_FALSE(LoadWith("slot.name=orders\npostrider.control.socket=" + folder + "/s\n").ok());
}

TEST(PoisonOptions, TheDeadLetterTopicDecidesUnlessAPolicyIsWritten) {
  EXPECT_EQ(ConfigWith("").relay.poison.policy, PoisonPolicy::kHold);
  EXPECT_EQ(ConfigWith("errors.tolerance=all\n").relay.poison.policy, PoisonPolicy::kSkip);
  const Poison parks = ConfigWith("errors.tolerance=all\nerrors.deadletterqueue.topic.name=dead\n").relay.poison;
  EXPECT_EQ(parks.policy, PoisonPolicy::kPark);
  EXPECT_EQ(parks.dead_letter_topic, "dead");
  EXPECT_EQ(parks.attempts, 3);
  EXPECT_EQ(ConfigWith("errors.deadletterqueue.topic.name=dead\npostrider.poison.policy=hold\n").relay.poison.policy,
            PoisonPolicy::kHold);
}

TEST(PoisonOptions, ParkingNeedsATopic) {
  const auto loaded = LoadWith("slot.name=orders\npostrider.poison.policy=park\n");
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(std::string(MessageOf(loaded.status())), HasSubstr("errors.deadletterqueue.topic.name"));
}

}  // namespace
}  // namespace postrider::config
