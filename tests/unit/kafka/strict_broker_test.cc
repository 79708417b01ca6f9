// The producer against a real Kafka with logins, ACLs, TLS and no auto-creation: `with_broker
// kafka_strict_broker_test`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "real_cluster.h"
#include "rig.h"

namespace postrider::kafka {
namespace {

using Kind = Acceptance::Kind;
using testing::HasSubstr;

Properties Login(const char* user, const char* password) {
  return {{"security.protocol", "sasl_plaintext"},
          {"sasl.mechanisms", "PLAIN"},
          {"sasl.username", user},
          {"sasl.password", password}};
}

class StrictBroker : public testing::Test {
 protected:
  void SetUp() override {
    const char* brokers = std::getenv("POSTRIDER_TEST_STRICT_BROKERS");
    const char* tls_brokers = std::getenv("POSTRIDER_TEST_TLS_BROKERS");
    if (!brokers || !tls_brokers)
      GTEST_SKIP() << "POSTRIDER_TEST_STRICT_BROKERS names no broker: run this program under with_broker";
    brokers_ = brokers;
    tls_brokers_ = tls_brokers;
    topic_ =
        std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + "-" + std::to_string(getpid());
    cluster_.emplace(brokers_, Login("admin", "admin"));
  }
  config::Producer As(const char* user, const char* password) const {
    config::Producer config = ConfigFor(brokers_);
    for (const auto& [name, value] : Login(user, password))
      config.properties.emplace_back(name, config::Secret::Plain(value));
    return config;
  }
  config::Producer ByTls() const {
    config::Producer config = ConfigFor(tls_brokers_);
    config.properties.emplace_back("security.protocol", config::Secret::Plain("ssl"));
    config.truststore_pkcs12.emplace(std::string(POSTRIDER_TEST_DATA) + "/data/truststore.p12",
                                     config::Secret::Plain("secret"));
    return config;
  }
  Record Small() const {
    return {.topic = topic_,
            .key = "k",
            .value = "v",
            .headers = {},
            .timestamp_ms = 1'700'000'000'000,
            .partition = std::nullopt,
            .id = ""};
  }
  // What the producer says when it is refused, at once and not only when a record is offered.
  static std::string RefusalOf(const config::Producer& config) {
    Rig rig(config);
    EXPECT_TRUE(rig.Until([&] { return rig.Find(ProducerEvent::Kind::kRefused); }, seconds(5)));
    EXPECT_EQ(rig.Find(ProducerEvent::Kind::kConnected), nullptr);
    const ProducerEvent* refusal = rig.Find(ProducerEvent::Kind::kRefused);
    return refusal ? refusal->text : "";
  }

  std::string brokers_, tls_brokers_, topic_;
  std::optional<RealCluster> cluster_;
};

TEST_F(StrictBroker, AMissingTopicIsHeldInSecondsAndGoesOnWhenItIsMade) {
  Rig rig(As("admin", "admin"));
  auto start = Clock::now();
  EXPECT_EQ(rig.Offer(Small(), 1).code, "unknown_topic");
  EXPECT_LT(Clock::now() - start, seconds(8));
  cluster_->CreateTopic(topic_, 1);
  start = Clock::now();
  EXPECT_TRUE(rig.Until([&] { return rig.producer->Produce(Small(), 1).kind == Kind::kAccepted; }));
  EXPECT_LT(Clock::now() - start, seconds(2));
  EXPECT_TRUE(rig.Drain());
  EXPECT_EQ(rig.Count(Delivery::Outcome::kAcknowledged), 1u);
}

// The sequence of a probing relay: asked seldom, and answered from one look.
TEST_F(StrictBroker, CheckTopicSeesIt) {
  Rig rig(As("admin", "admin"));
  EXPECT_EQ(rig.Check(topic_).code, "unknown_topic");
  cluster_->CreateTopic(topic_, 2);
  EXPECT_TRUE(rig.Until([&] { return rig.producer->CheckTopic(topic_, 100, 1).kind == Kind::kAccepted; }, seconds(3)));
  EXPECT_EQ(rig.Check(topic_, 100, 2).code, "unknown_partition");
}

TEST_F(StrictBroker, AWrongPasswordIsARefusal) {
  const std::string text = RefusalOf(As("postrider", "hunter2"));
  EXPECT_THAT(text, HasSubstr("Authentication failed"));
  EXPECT_THAT(text, testing::Not(HasSubstr("hunter2")));
}

TEST_F(StrictBroker, WithoutTheRightToWriteAnywhereTheProducerIdIsRefused) {
  EXPECT_THAT(RefusalOf(As("postrider", "secret")), HasSubstr("CLUSTER_AUTHORIZATION_FAILED"));
}

TEST_F(StrictBroker, AMissingRightHoldsTheTopicUntilItIsGranted) {
  cluster_->CreateTopic(topic_, 1);
  cluster_->CreateTopic(topic_ + "-other", 1);
  cluster_->Allow("postrider", topic_ + "-other", RD_KAFKA_ACL_OPERATION_WRITE);  // for the producer id
  ASSERT_TRUE(Rig(As("admin", "admin")).Until([] { return true; }));
  Rig rig(As("postrider", "secret"));
  Acceptance held = rig.Offer(Small(), 1);
  EXPECT_EQ(held.code, "topic_authorization");
  EXPECT_THAT(held.reason, HasSubstr(topic_));
  cluster_->Allow("postrider", topic_, RD_KAFKA_ACL_OPERATION_DESCRIBE);
  rig.Until([] { return false; }, seconds(2));
  EXPECT_EQ(rig.Offer(Small(), 1).code, "topic_authorization");  // seen, but not to be written
  cluster_->Allow("postrider", topic_, RD_KAFKA_ACL_OPERATION_WRITE);
  EXPECT_TRUE(rig.Until([&] { return rig.producer->Produce(Small(), 1).kind == Kind::kAccepted; }, seconds(3)));
  ASSERT_TRUE(rig.Drain());
  EXPECT_EQ(rig.Count(Delivery::Outcome::kAcknowledged), 1u);
}

TEST_F(StrictBroker, StoresOfJavaOpenTls) {
  cluster_->CreateTopic(topic_, 1);
  config::Producer config = ByTls();
  config.keystore_pkcs12.emplace(std::string(POSTRIDER_TEST_DATA) + "/data/client.p12",
                                 config::Secret::Plain("secret"));
  Rig rig(config);
  EXPECT_EQ(rig.Offer(Small(), 1).kind, Kind::kAccepted);
  ASSERT_TRUE(rig.Drain());
  EXPECT_EQ(rig.Count(Delivery::Outcome::kAcknowledged), 1u);
}

TEST_F(StrictBroker, AMissingClientCertificateIsARefusal) {
  EXPECT_THAT(RefusalOf(ByTls()), HasSubstr("alert"));
}

TEST_F(StrictBroker, ABrokerThatWeDoNotTrustIsARefusal) {
  config::Producer config = ConfigFor(tls_brokers_);
  config.properties.emplace_back("security.protocol", config::Secret::Plain("ssl"));
  EXPECT_THAT(RefusalOf(config), HasSubstr("certificate verify failed"));
}

TEST_F(StrictBroker, AWrongProtocolIsNamed) {
  Rig rig(ConfigFor(brokers_));
  ASSERT_TRUE(rig.Until([&] { return rig.Find(ProducerEvent::Kind::kAllDown); }));
  EXPECT_THAT(rig.Find(ProducerEvent::Kind::kAllDown)->text, HasSubstr("security.protocol"));
}

}  // namespace
}  // namespace postrider::kafka
