// One record to librdkafka's queue.
//
// Copies everything. Keeps null, empty and bytes apart for key, value and each header. A timestamp of 0 goes as 1:
// librdkafka takes 0 for "now", and a millisecond later is the nearest that it can send. Never blocks. Tested by
// tests/unit/kafka/real_broker_test.cc.
#pragma once

#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <optional>

#include "base/record.h"

namespace postrider::kafka {

// NO_ERROR: taken, and one delivery report will come with `tag` in its private field. `partition`: nullopt leaves it to
// the key.
rd_kafka_resp_err_t Send(rd_kafka_t* client, rd_kafka_topic_t* topic, const Record& record,
                         std::optional<int32_t> partition, uint64_t tag);

}  // namespace postrider::kafka
