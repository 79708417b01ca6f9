// How many bytes a record takes in a batch of its own, as a broker counts it against `max.message.bytes`.
//
// Kafka's record format, version 2 (Kafka documentation, "Record Batch" and "Record"): 61 bytes of batch header, then
// the record with zigzag varints. Uncompressed: with compression a broker counts the compressed batch. Pure functions.
// Tested by tests/unit/kafka/wire_size_test.cc.
#pragma once

#include <librdkafka/rdkafka.h>

#include <cstddef>

#include "base/record.h"

namespace postrider::kafka {

size_t WireBytes(const Record& record);

// The same of a message in a delivery report.
size_t WireBytes(const rd_kafka_message_t& message);

}  // namespace postrider::kafka
