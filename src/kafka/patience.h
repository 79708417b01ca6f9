// librdkafka's handles for a question to the cluster, and how long its answer is waited for. Inside kafka/ only.
//
// For threads that may block. Tested by tests/unit/kafka/record_log_test.cc.
#pragma once

#include <librdkafka/rdkafka.h>

#include <chrono>
#include <memory>

#include "base/wakeup.h"

namespace postrider::kafka {

using Queue = std::unique_ptr<rd_kafka_queue_t, decltype(&rd_kafka_queue_destroy)>;
using Event = std::unique_ptr<rd_kafka_event_t, decltype(&rd_kafka_event_destroy)>;
using Options = std::unique_ptr<rd_kafka_AdminOptions_t, decltype(&rd_kafka_AdminOptions_destroy)>;

// How long a call may take, and the bell that ends it before.
struct Patience {
  std::chrono::steady_clock::time_point deadline;
  const Wakeup* stop = nullptr;

  bool ended() const;
};

Queue NewQueue(rd_kafka_t* client);
Options NewOptions(rd_kafka_t* client, rd_kafka_admin_op_t operation, std::chrono::milliseconds timeout);

// The next event; null where none comes in time.
Event Poll(rd_kafka_queue_t* queue, int timeout_ms);
// The answer to a question; null when patience ends first.
Event Await(rd_kafka_queue_t* queue, const Patience& patience);

}  // namespace postrider::kafka
