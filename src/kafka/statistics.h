// librdkafka's statistics, as far as an operator wants them: from its JSON to numbers.
//
// librdkafka emits a document every kStatisticsInterval milliseconds; the loop's thread puts it here as it is, for
// reading a large one would hold events up, and whoever wants the numbers parses the last one on its own thread.
// Counters begin anew with each producer. Format: librdkafka's STATISTICS.md. Thread-safe. Tested by
// tests/unit/kafka/statistics_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postrider::kafka {

inline constexpr char kStatisticsInterval[] = "10000";

// Latencies of the last interval, in microseconds.
struct LatencyWindow {
  int64_t average_us = 0, p50_us = 0, p99_us = 0, max_us = 0;
};

struct BrokerStatistics {
  std::string name;  // "host:port/id"
  bool up = false;
  int64_t connects = 0, disconnects = 0;
  int64_t requests_waiting = 0;  // not sent yet
  int64_t requests_in_flight = 0;
  int64_t send_errors = 0, send_retries = 0, request_timeouts = 0, receive_errors = 0;
  LatencyWindow queued;      // int_latency: from the hand-over to the request
  LatencyWindow round_trip;  // rtt
  int64_t throttle_ms = 0;   // on average: a quota
};

struct ProducerStatistics {
  int64_t queue_messages = 0, queue_messages_max = 0, queue_bytes = 0, queue_bytes_max = 0;
  int64_t reply_queue = 0;  // reports that wait for our loop
  int64_t requests = 0, request_bytes = 0, responses = 0;
  int64_t messages = 0, message_bytes = 0;
  int64_t producer_epoch = 0, epoch_changes = 0;
  int64_t batch_bytes = 0, batch_messages = 0;  // averages over the topics
  std::vector<BrokerStatistics> brokers;        // kBrokersMax at the most; bootstrap addresses are left out
};

inline constexpr size_t kBrokersMax = 100;

// nullopt for what is no such document.
std::optional<ProducerStatistics> ParseStatistics(std::string_view json);

class Statistics {
 public:
  static constexpr size_t kBytesMax = 16 * 1024 * 1024;  // a larger document is left out

  void Put(std::string_view json);
  // The numbers of the last document; nullopt before the first one, or after the producer is gone.
  std::optional<ProducerStatistics> Read() const;
  void Clear();

 private:
  mutable std::mutex mutex_;
  std::string json_;
};

}  // namespace postrider::kafka
