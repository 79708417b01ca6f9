#include "kafka/patience.h"

#include <poll.h>

#include <array>

namespace postrider::kafka {
namespace {

constexpr int kSliceMs = 100;  // between two looks at the bell

}  // namespace

bool Patience::ended() const {
  pollfd bell{.fd = stop->fd(), .events = POLLIN, .revents = 0};
  return std::chrono::steady_clock::now() >= deadline || poll(&bell, 1, 0) > 0;
}

Queue NewQueue(rd_kafka_t* client) {
  return Queue(rd_kafka_queue_new(client), rd_kafka_queue_destroy);
}

Options NewOptions(rd_kafka_t* client, rd_kafka_admin_op_t operation, std::chrono::milliseconds timeout) {
  std::array<char, 256> error{};
  Options options(rd_kafka_AdminOptions_new(client, operation), rd_kafka_AdminOptions_destroy);
  rd_kafka_AdminOptions_set_request_timeout(options.get(), static_cast<int>(timeout.count()), error.data(),
                                            error.size());
  return options;
}

Event Poll(rd_kafka_queue_t* queue, int timeout_ms) {
  return Event(rd_kafka_queue_poll(queue, timeout_ms), rd_kafka_event_destroy);
}

Event Await(rd_kafka_queue_t* queue, const Patience& patience) {
  while (!patience.ended()) {
    if (Event event = Poll(queue, kSliceMs)) return event;
  }
  return Event(nullptr, rd_kafka_event_destroy);
}

}  // namespace postrider::kafka
