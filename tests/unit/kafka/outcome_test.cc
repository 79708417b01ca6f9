#include "kafka/outcome.h"

#include <gtest/gtest.h>

namespace postrider::kafka {
namespace {

using Outcome = Delivery::Outcome;

TEST(Outcome, WhatIsLastingForARecordIsABatchsUntilTheGuiltyOneIsKnown) {
  for (const rd_kafka_resp_err_t error :
       {RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE, RD_KAFKA_RESP_ERR_INVALID_RECORD,
        RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP, RD_KAFKA_RESP_ERR_POLICY_VIOLATION}) {
    EXPECT_EQ(OutcomeOf(error, false), Outcome::kBatch) << rd_kafka_err2name(error);
    EXPECT_EQ(OutcomeOf(error, true), Outcome::kRecord) << rd_kafka_err2name(error);
  }
}

TEST(Outcome, TheOthersDoNotDependOnTheBatch) {
  const std::pair<rd_kafka_resp_err_t, Outcome> cases[] = {
      {RD_KAFKA_RESP_ERR_NO_ERROR, Outcome::kAcknowledged},
      {RD_KAFKA_RESP_ERR__PURGE_QUEUE, Outcome::kPurged},
      {RD_KAFKA_RESP_ERR__PURGE_INFLIGHT, Outcome::kPurged},
      {RD_KAFKA_RESP_ERR__INVALID_DIFFERENT_RECORD, Outcome::kPurged},
      {RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, Outcome::kTopic},
      {RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, Outcome::kTopic},
      {RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION, Outcome::kTopic},
      {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, Outcome::kTopic},
      {RD_KAFKA_RESP_ERR__FATAL, Outcome::kFatal},
      {RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER, Outcome::kFatal},
      {RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID, Outcome::kFatal},
      {RD_KAFKA_RESP_ERR__MSG_TIMED_OUT, Outcome::kPassing},
      {RD_KAFKA_RESP_ERR__TRANSPORT, Outcome::kPassing},
      {RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, Outcome::kPassing},
  };
  for (const auto& [error, outcome] : cases) {
    EXPECT_EQ(OutcomeOf(error, false), outcome) << rd_kafka_err2name(error);
    EXPECT_EQ(OutcomeOf(error, true), outcome) << rd_kafka_err2name(error);
  }
}

TEST(Outcome, AnErrorThatNobodyThoughtOfIsTriedAgain) {
  EXPECT_EQ(OutcomeOf(RD_KAFKA_RESP_ERR_LISTENER_NOT_FOUND, true), Outcome::kPassing);
}

TEST(Outcome, Refusals) {
  EXPECT_TRUE(IsRefusal(RD_KAFKA_RESP_ERR__AUTHENTICATION));
  EXPECT_TRUE(IsRefusal(RD_KAFKA_RESP_ERR__SSL));
  EXPECT_TRUE(IsRefusal(RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED));
  EXPECT_FALSE(IsRefusal(RD_KAFKA_RESP_ERR__TRANSPORT));
  EXPECT_FALSE(IsRefusal(RD_KAFKA_RESP_ERR__RESOLVE));
}

TEST(Outcome, ARefusalNamesTheKeysToLookAt) {
  EXPECT_EQ(RefusalText("ssl://b:1/bootstrap: SSL handshake failed: error:0A000086:SSL routines::certificate verify "
                        "failed: broker certificate could not be verified, verify that ssl.ca.location is correctly "
                        "configured or root CA certificates are installed (install ca-certificates package) (after "
                        "31ms in state SSL_HANDSHAKE)"),
            "Kafka refuses us: ssl://b:1/bootstrap: SSL handshake failed: error:0A000086:SSL routines::certificate "
            "verify failed: broker certificate could not be verified: check ssl.truststore.*, and that the certificate "
            "is for the host that bootstrap.servers names (ssl.endpoint.identification.algorithm)");
  EXPECT_EQ(RefusalText("tlsv13 alert certificate required: SSL alert number 116"),
            "Kafka refuses us: tlsv13 alert certificate required: SSL alert number 116: the broker does not take our "
            "certificate: check ssl.keystore.*");
  EXPECT_EQ(RefusalText("SASL authentication error: Authentication failed"),
            "Kafka refuses us: SASL authentication error: Authentication failed: check sasl.mechanism and "
            "sasl.jaas.config");
  EXPECT_EQ(RefusalText("Cluster authorization failed"), "Kafka refuses us: Cluster authorization failed");
}

}  // namespace
}  // namespace postrider::kafka
