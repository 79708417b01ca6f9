// What librdkafka's errors and log lines say about the connection to the cluster, as ProducerEvents; and its lines in
// our log (`kafka_client`).
//
// Belongs to the loop's thread. Tested by tests/unit/kafka/producer_test.cc and strict_broker_test.cc.
#pragma once

#include <librdkafka/rdkafka.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "kafka/producer.h"

namespace postrider::kafka {

class Contact {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  void TakeError(rd_kafka_event_t* event, std::vector<ProducerEvent>& events);
  void TakeLogLine(rd_kafka_event_t* event);

  // A broker answered a request.
  void Answered(TimePoint now);
  // A broker took a record.
  void Acknowledged(std::vector<ProducerEvent>& events);
  // Says kConnected half a second after the first answer: a broker that answers may still refuse the producer id (a
  // cluster ACL), and that is to come before the good news.
  void Tick(TimePoint now, std::vector<ProducerEvent>& events);

  // Whether a broker answered since all were away.
  bool answered() const { return connected_ || answered_at_; }

 private:
  void TakeAllDown(std::vector<ProducerEvent>& events);

  bool connected_ = false;                // kConnected was said, and not kAllDown since
  bool all_down_ = false;                 // the reverse
  std::optional<TimePoint> answered_at_;  // the first answer since all were down
  std::string last_failure_;              // of a connection
};

}  // namespace postrider::kafka
