// TopicAdmin on librdkafka's Admin API: each call is one asynchronous request, its result an event on the producer's
// queue.
//
// Belongs to the loop's thread. Tested by tests/unit/kafka/producer_test.cc (mock cluster) and real_broker_test.cc.
#pragma once

#include <librdkafka/rdkafka.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "kafka/topics.h"

namespace postrider::kafka {

class Admin : public TopicAdmin {
 public:
  // Both outlive it.
  Admin(rd_kafka_t* client, rd_kafka_queue_t* queue) : client_(client), queue_(queue) {}

  void Describe(const std::vector<std::string>& names) override;
  void Create(const std::vector<std::pair<std::string, const config::TopicGroup*>>& topics) override;
  void AskLimits(const std::vector<std::string>& names) override;

  // Asks the cluster who it is: the first sign of life, and what makes an idle client connect. One at a time, and one a
  // second.
  void Probe(TimePoint now);

  // Gives an admin result to the table; other events are left alone. Returns whether a broker stood behind it.
  bool Take(rd_kafka_event_t* event, TopicTable& table, TimePoint now);

 private:
  using Names = std::vector<std::string>;

  // Options with our time-out, for one request; `names` are kept for its answer.
  rd_kafka_AdminOptions_t* NewOptions(rd_kafka_admin_op_t operation, Names names);
  Names TakeNames(rd_kafka_event_t* event);

  rd_kafka_t* const client_;
  rd_kafka_queue_t* const queue_;
  absl::flat_hash_map<const void*, std::unique_ptr<Names>> requests_;  // by the pointer that is a request's opaque
  bool probing_ = false;
  TimePoint next_probe_;
};

}  // namespace postrider::kafka
