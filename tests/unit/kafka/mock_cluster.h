// librdkafka's own mock brokers, in this process. Their API is experimental: this header alone includes it.
#pragma once

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <string>
#include <vector>

namespace postrider::kafka {

class MockCluster {
 public:
  static constexpr int16_t kProduce = 0;  // Kafka protocol guide, API keys
  static constexpr int16_t kInitProducerId = 22;

  explicit MockCluster(int brokers = 1) {
    char error[256];
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "log_level", "2", error, sizeof error);
    host_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, error, sizeof error);
    cluster_ = rd_kafka_mock_cluster_new(host_, brokers);
    rd_kafka_mock_set_controller_id(cluster_, 1);  // admin requests go there
  }
  ~MockCluster() {
    rd_kafka_mock_cluster_destroy(cluster_);
    rd_kafka_destroy(host_);
  }
  MockCluster(const MockCluster&) = delete;
  MockCluster& operator=(const MockCluster&) = delete;

  std::string brokers() const { return rd_kafka_mock_cluster_bootstraps(cluster_); }
  void CreateTopic(const char* name, int partitions) { rd_kafka_mock_topic_create(cluster_, name, partitions, 1); }
  void SetTopicError(const char* name, rd_kafka_resp_err_t error) {
    rd_kafka_mock_topic_set_error(cluster_, name, error);
  }
  // The next requests of this kind are answered so.
  void Answer(int16_t api, std::vector<rd_kafka_resp_err_t> errors) {
    rd_kafka_mock_push_request_errors_array(cluster_, api, errors.size(), errors.data());
  }
  void SetDown() { rd_kafka_mock_broker_set_down(cluster_, -1); }
  void SetUp() { rd_kafka_mock_broker_set_up(cluster_, -1); }
  void SetRoundTripMs(int ms) { rd_kafka_mock_broker_set_rtt(cluster_, -1, ms); }

 private:
  rd_kafka_t* host_;
  rd_kafka_mock_cluster_t* cluster_;
};

}  // namespace postrider::kafka
