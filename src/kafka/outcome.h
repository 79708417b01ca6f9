// What an error means: in a delivery report for the record (passing, lasting, and for whom), in an event or an answer
// for us.
//
// The codes are librdkafka's (rd_kafka_resp_err_t); what a broker answers and what librdkafka does with it: Kafka's
// protocol guide, "Error Codes", and rd_kafka_handle_Produce_error of librdkafka 2.15. What librdkafka retries by
// itself never gets here. Pure. Tested by tests/unit/kafka/outcome_test.cc.
#pragma once

#include <librdkafka/rdkafka.h>

#include <string>
#include <string_view>

#include "kafka/producer.h"

namespace postrider::kafka {

// `guilty`: the error is surely this record's own, because it was alone in its batch or because the broker named it.
Delivery::Outcome OutcomeOf(rd_kafka_resp_err_t error, bool guilty);

// Whether an error event says that a broker knows who we are or what we speak, and refuses.
bool IsRefusal(rd_kafka_resp_err_t error);

// librdkafka's sentence about a refusal, with Java's keys to look at in the place of its own names.
std::string RefusalText(std::string_view text);

// Whether an answer to a look-up only says that the request did not get through, and nothing about the topic.
bool IsRequestFailure(rd_kafka_resp_err_t error);

bool IsUnknownTopic(rd_kafka_resp_err_t error);

}  // namespace postrider::kafka
