#include "kafka/statistics.h"

#include <gtest/gtest.h>

namespace postrider::kafka {
namespace {

// The form of librdkafka's STATISTICS.md, shortened.
constexpr char kDocument[] = R"({
  "name": "postrider#producer-1", "replyq": 3, "msg_cnt": 22710, "msg_size": 704010, "msg_max": 500000, "msg_size_max": 1073741824,
  "tx": 631, "tx_bytes": 168584479, "rx": 631, "txmsgs": 4300753, "txmsg_bytes": 133323343,
  "brokers": {
    "localhost:9092/2": {"name": "localhost:9092/2", "nodeid": 2, "state": "UP", "outbuf_cnt": 1, "waitresp_cnt": 4, "txerrs": 5,
      "txretries": 6, "req_timeouts": 7, "rxerrs": 8, "connects": 9, "disconnects": 10,
      "int_latency": {"avg": 1500, "p50": 1400, "p99": 9000, "max": 12000}, "rtt": {"avg": 2500, "p50": 2400, "p99": 5000, "max": 6000},
      "throttle": {"avg": 11}},
    "localhost:9093/3": {"name": "localhost:9093/3", "nodeid": 3, "state": "TRY_CONNECT"},
    "localhost:9092/bootstrap": {"name": "localhost:9092/bootstrap", "nodeid": -1, "state": "UP"}},
  "topics": {"a": {"batchsize": {"avg": 1000, "cnt": 2}, "batchcnt": {"avg": 10}}, "b": {"batchsize": {"avg": 3000, "cnt": 1}, "batchcnt": {"avg": 30}},
             "quiet": {"batchsize": {"avg": 0, "cnt": 0}}},
  "eos": {"idemp_state": "Assigned", "producer_epoch": 12, "epoch_cnt": 13}})";

TEST(ParseStatistics, TakesWhatAnOperatorWants) {
  const auto found = ParseStatistics(kDocument);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->queue_messages, 22710);
  EXPECT_EQ(found->queue_bytes_max, 1073741824);
  EXPECT_EQ(found->reply_queue, 3);
  EXPECT_EQ(found->requests, 631);
  EXPECT_EQ(found->message_bytes, 133323343);
  EXPECT_EQ(found->epoch_changes, 13);
  EXPECT_EQ(found->batch_bytes, 2000) << "of the topics that had batches";
  EXPECT_EQ(found->batch_messages, 20);
}

TEST(ParseStatistics, LeavesOutBootstrapAddresses) {
  const auto found = ParseStatistics(kDocument);
  ASSERT_EQ(found->brokers.size(), 2u);
  const BrokerStatistics& broker = found->brokers[0];
  EXPECT_EQ(broker.name, "localhost:9092/2");
  EXPECT_TRUE(broker.up);
  EXPECT_EQ(broker.requests_in_flight, 4);
  EXPECT_EQ(broker.send_retries, 6);
  EXPECT_EQ(broker.disconnects, 10);
  EXPECT_EQ(broker.queued.p99_us, 9000);
  EXPECT_EQ(broker.round_trip.max_us, 6000);
  EXPECT_EQ(broker.throttle_ms, 11);
  EXPECT_FALSE(found->brokers[1].up);
}

TEST(ParseStatistics, OtherTextIsNone) {
  for (const char* text : {"", "no JSON", "[1]", "{\"brokers\":"})
    EXPECT_FALSE(ParseStatistics(text).has_value()) << text;
  EXPECT_TRUE(ParseStatistics(R"({"brokers": 7, "eos": [], "tx": "many"})").has_value());
}

TEST(Statistics, HasTheLastDocumentUntilTheProducerIsGone) {
  Statistics statistics;
  EXPECT_FALSE(statistics.Read().has_value());
  statistics.Put(R"({"tx": 1})");
  statistics.Put(R"({"tx": 2})");
  EXPECT_EQ(statistics.Read()->requests, 2);
  statistics.Clear();
  EXPECT_FALSE(statistics.Read().has_value());
}

TEST(Statistics, ADocumentThatIsTooLargeIsLeftOut) {
  Statistics statistics;
  statistics.Put(std::string(Statistics::kBytesMax + 1, ' '));
  EXPECT_FALSE(statistics.Read().has_value());
}

}  // namespace
}  // namespace postrider::kafka
