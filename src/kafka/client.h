// One librdkafka handle with its queue and its topic handles, from properties to destruction.
//
// Make() may block for a moment (it reads secrets and stores); nothing else does but the destructor, which is the
// reaper's. librdkafka writes to the bell only until Silence(). Tested by tests/unit/kafka/client_test.cc.
#pragma once

#include <librdkafka/rdkafka.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/wakeup.h"
#include "config/config.h"
#include "kafka/producer.h"

namespace postrider::kafka {

class Client {
 public:
  // A fault kConfiguration that names the property that cannot be read or that librdkafka refuses; never a secret's
  // value.
  static absl::StatusOr<std::unique_ptr<Client>> Make(const config::Producer& config, const ProducerSettings& settings,
                                                      const Wakeup* wakeup);
  // A producer or a consumer for the evidence record (record_log.h), with the same properties: no bell, nobody's topic
  // is made by being named, and a consumer tells where a partition ends.
  static absl::StatusOr<std::unique_ptr<Client>> MakeForRecord(const config::Producer& config, rd_kafka_type_t type);
  // A producer for a look at the cluster (survey.h): the same, and its statistics come ten times a second.
  static absl::StatusOr<std::unique_ptr<Client>> MakeForSurvey(const config::Producer& config);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  rd_kafka_t* handle() const { return handle_; }
  // Delivery reports, errors, log lines and admin results; rings the bell when it stops being empty.
  rd_kafka_queue_t* queue() const { return queue_; }

  // What the properties came to.
  size_t batch_bytes() const { return batch_bytes_; }
  bool compressed() const { return compressed_; }
  bool broker_creates_topics() const { return broker_creates_topics_; }

  // A topic handle, owned by the client, that carries `opaque`. nullptr where librdkafka refuses. Does not block: asks
  // for the topic's metadata in the background, and so lets the broker create it where that is allowed.
  rd_kafka_topic_t* Open(const std::string& topic, void* opaque);

  void Silence();

 private:
  Client() = default;
  static absl::StatusOr<std::unique_ptr<Client>> MakeQuiet(const config::Producer& config, rd_kafka_type_t type,
                                                           const char* statistics_interval_ms);
  static absl::StatusOr<std::unique_ptr<Client>> New(rd_kafka_type_t type, rd_kafka_conf_t* conf);
  void ReadEffective(rd_kafka_conf_t* conf);

  rd_kafka_t* handle_ = nullptr;
  rd_kafka_queue_t* queue_ = nullptr;
  std::vector<rd_kafka_topic_t*> topics_;
  size_t batch_bytes_ = 0;
  bool compressed_ = false;
  bool broker_creates_topics_ = false;
};

}  // namespace postrider::kafka
