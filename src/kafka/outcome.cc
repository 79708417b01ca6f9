#include "kafka/outcome.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/text.h"

namespace postrider::kafka {

Delivery::Outcome OutcomeOf(rd_kafka_resp_err_t error, bool guilty) {
  using Outcome = Delivery::Outcome;
  switch (error) {
    case RD_KAFKA_RESP_ERR_NO_ERROR:
      return Outcome::kAcknowledged;

    case RD_KAFKA_RESP_ERR__PURGE_QUEUE:
    case RD_KAFKA_RESP_ERR__PURGE_INFLIGHT:
    case RD_KAFKA_RESP_ERR__DESTROY:
    case RD_KAFKA_RESP_ERR__INVALID_DIFFERENT_RECORD:  // fell with a neighbour in its batch
      return Outcome::kPurged;

    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_ID:
    case RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION:
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_COMPRESSION_TYPE:
      return Outcome::kTopic;

    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE:
    case RD_KAFKA_RESP_ERR_INVALID_RECORD:
    case RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_FOR_MESSAGE_FORMAT:
    case RD_KAFKA_RESP_ERR_POLICY_VIOLATION:
      return guilty ? Outcome::kRecord : Outcome::kBatch;

    case RD_KAFKA_RESP_ERR__FATAL:
    case RD_KAFKA_RESP_ERR__INCONSISTENT:
    case RD_KAFKA_RESP_ERR__FENCED:
    case RD_KAFKA_RESP_ERR__GAPLESS_GUARANTEE:
    case RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE:
    case RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER:
    case RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID:
    case RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH:
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
      return Outcome::kFatal;

    default:
      // A code that no one has thought of is retried from the confirmed position: nothing is lost by trying again.
      return Outcome::kPassing;
  }
}

bool IsRefusal(rd_kafka_resp_err_t error) {
  switch (error) {
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR__SSL:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM:
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
      return true;
    default:
      return false;
  }
}

std::string RefusalText(std::string_view text) {
  const auto says = [text](std::string_view words) { return text.find(words) != text.npos; };
  const std::string_view said = text.substr(0, std::min(text.find(", verify that ssl.ca.location"), text.size()));
  std::string_view advice;
  if (says("certificate verify failed")) {
    advice =
        ": check ssl.truststore.*, and that the certificate is for the host that bootstrap.servers names "
        "(ssl.endpoint.identification.algorithm)";
  } else if (says("SSL alert number")) {
    advice = ": the broker does not take our certificate: check ssl.keystore.*";
  } else if (says("SASL")) {
    advice = ": check sasl.mechanism and sasl.jaas.config";
  }
  return absl::StrCat("Kafka refuses us: ", View(said), View(advice));
}

bool IsRequestFailure(rd_kafka_resp_err_t error) {
  switch (error) {
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
    case RD_KAFKA_RESP_ERR__RETRY:
    case RD_KAFKA_RESP_ERR__DESTROY:
    case RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT:
    case RD_KAFKA_RESP_ERR_NOT_CONTROLLER:
    case RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION:
    case RD_KAFKA_RESP_ERR_THROTTLING_QUOTA_EXCEEDED:
    case RD_KAFKA_RESP_ERR_UNKNOWN:
      return true;
    default:
      return false;
  }
}

bool IsUnknownTopic(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART || error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_ID ||
         error == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC;
}

}  // namespace postrider::kafka
