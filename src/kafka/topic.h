// One topic as the producer knows it, and the questions about it to the cluster. See topics.h for what is made of the
// answers.
#pragma once

#include <librdkafka/rdkafka.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "kafka/first_flight.h"
#include "kafka/sticky_partition.h"

namespace postrider::kafka {

using TimePoint = std::chrono::steady_clock::time_point;

struct TopicDescription {
  std::string name;
  rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;
  int partitions = 0;
  bool has_leaders = true;  // each partition has one
  bool may_write = true;    // true also where the broker does not say
};

struct TopicCreation {
  std::string name;
  rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;
  std::string text;  // the broker's sentence
};

struct TopicLimit {
  std::string name;
  rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;
  std::optional<size_t> max_message_bytes;
};

// Asks the cluster. Each call is one request; its answer comes later, as one call of the matching Take... of the table,
// with an entry for each name (a request that failed as a whole gives its error to each).
class TopicAdmin {
 public:
  virtual ~TopicAdmin() = default;
  virtual void Describe(const std::vector<std::string>& names) = 0;
  virtual void Create(const std::vector<std::pair<std::string, const config::TopicGroup*>>& topics) = 0;
  virtual void AskLimits(const std::vector<std::string>& names) = 0;
};

struct Topic {
  enum class State { kUnknown, kReady, kRefused };
  enum class Step {
    kIdle,
    kDescribe,
    kCreate,
    kAppear,  // made, or asked for: described until it is there
  };

  explicit Topic(std::string_view topic_name) : name(topic_name) {}

  const std::string name;
  std::string quoted() const;  // for a sentence; a name from the data may be anything, and as long

  State state = State::kUnknown;
  int partitions = 0;
  std::optional<size_t> max_message_bytes;  // nullopt: unknown
  std::string code, reason;                 // why it is refused

  // The producer's: librdkafka's handle, and what is in flight to a topic whose limit is below the size of a batch.
  rd_kafka_topic_t* handle = nullptr;
  size_t inflight_bytes = 0;
  StickyPartition sticky{std::random_device{}()};
  FirstFlight first_flight;

  // The look-up.
  Step step = Step::kIdle;
  bool asked = false;  // an answer is outstanding
  bool exists = false;
  bool limit_wanted = false;
  bool limit_asked = false;
  int limit_attempts = 0;
  std::chrono::milliseconds pause{};   // between two descriptions of one look-up; grows
  TimePoint next_ask, limit_next_ask;  // not before
  TimePoint deadline;                  // of kAppear
  TimePoint looked_at, limit_looked_at;
};

}  // namespace postrider::kafka
