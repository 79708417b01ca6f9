// A producer of the simulated Kafka, and the factory of one process. Queues by partition, batches on their way,
// reports, purge.
//
// What is on its way outlives the producer, as requests in a broker's socket do: it may still be written, and nobody is
// told.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kafka/producer.h"
#include "sim/broker.h"

namespace postrider::sim {

class Server;

class ProducerFactory final : public kafka::ProducerFactory {
 public:
  ProducerFactory(World* world, Broker* broker, const Server* server, size_t budget_bytes)
      : world_(world), broker_(broker), server_(server), budget_bytes_(budget_bytes) {}

  absl::StatusOr<std::unique_ptr<kafka::Producer>> Make(const kafka::ProducerSettings& settings) override;

 private:
  World* const world_;
  Broker* const broker_;
  const Server* const server_;
  const size_t budget_bytes_;
  bool made_one_ = false;
};

class Producer final : public kafka::Producer {
 public:
  Producer(World* world, Broker* broker, const Server* server, size_t budget_bytes, bool single_record_batches);
  ~Producer() override;

  kafka::Acceptance Produce(const Record& record, uint64_t tag) override;
  kafka::Acceptance CheckTopic(std::string_view topic, size_t record_bytes, std::optional<int32_t> partition) override;
  void Poll(std::vector<kafka::Delivery>& deliveries, std::vector<kafka::ProducerEvent>& events) override;
  void Purge() override;
  size_t outstanding() const override;

 private:
  struct Core;
  static void Kick(const std::shared_ptr<Core>& core, size_t partition);
  static void Arrive(const std::shared_ptr<Core>& core, size_t partition);
  kafka::Acceptance LookUp(int topic);

  const std::shared_ptr<Core> core_;
};

}  // namespace postrider::sim
