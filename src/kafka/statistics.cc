#include "kafka/statistics.h"

#include <rapidjson/document.h>

#include <utility>

namespace postrider::kafka {
namespace {

using rapidjson::Value;

const Value* Member(const Value& object, const char* name) {
  if (!object.IsObject()) return nullptr;
  const auto found = object.FindMember(name);
  return found == object.MemberEnd() ? nullptr : &found->value;
}

int64_t Number(const Value& object, const char* name) {
  const Value* value = Member(object, name);
  if (value == nullptr) return 0;
  return value->IsInt64() ? value->GetInt64() : value->IsNumber() ? static_cast<int64_t>(value->GetDouble()) : 0;
}

int64_t NumberIn(const Value& object, const char* inner, const char* name) {
  const Value* value = Member(object, inner);
  return value == nullptr ? 0 : Number(*value, name);
}

std::string Text(const Value& object, const char* name) {
  const Value* value = Member(object, name);
  return value != nullptr && value->IsString() ? std::string(value->GetString(), value->GetStringLength()) : "";
}

LatencyWindow WindowOf(const Value& broker, const char* name) {
  return {.average_us = NumberIn(broker, name, "avg"),
          .p50_us = NumberIn(broker, name, "p50"),
          .p99_us = NumberIn(broker, name, "p99"),
          .max_us = NumberIn(broker, name, "max")};
}

BrokerStatistics BrokerOf(const Value& broker) {
  return {.name = Text(broker, "name"),
          .up = Text(broker, "state") == "UP",
          .connects = Number(broker, "connects"),
          .disconnects = Number(broker, "disconnects"),
          .requests_waiting = Number(broker, "outbuf_cnt"),
          .requests_in_flight = Number(broker, "waitresp_cnt"),
          .send_errors = Number(broker, "txerrs"),
          .send_retries = Number(broker, "txretries"),
          .request_timeouts = Number(broker, "req_timeouts"),
          .receive_errors = Number(broker, "rxerrs"),
          .queued = WindowOf(broker, "int_latency"),
          .round_trip = WindowOf(broker, "rtt"),
          .throttle_ms = NumberIn(broker, "throttle", "avg")};
}

void ReadBrokers(const Value& brokers, ProducerStatistics& statistics) {
  for (const auto& [name, broker] : brokers.GetObject()) {
    // -1: a bootstrap address, or librdkafka's own queue.
    if (Number(broker, "nodeid") >= 0 && statistics.brokers.size() < kBrokersMax)
      statistics.brokers.push_back(BrokerOf(broker));
  }
}

void ReadBatches(const Value& topics, ProducerStatistics& statistics) {
  int64_t filled = 0;
  for (const auto& [name, topic] : topics.GetObject()) {
    if (NumberIn(topic, "batchsize", "cnt") == 0) continue;
    ++filled;
    statistics.batch_bytes += NumberIn(topic, "batchsize", "avg");
    statistics.batch_messages += NumberIn(topic, "batchcnt", "avg");
  }
  if (filled == 0) return;
  statistics.batch_bytes /= filled;
  statistics.batch_messages /= filled;
}

}  // namespace

std::optional<ProducerStatistics> ParseStatistics(std::string_view json) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
  if (document.HasParseError() || !document.IsObject()) return std::nullopt;
  ProducerStatistics statistics{.queue_messages = Number(document, "msg_cnt"),
                                .queue_messages_max = Number(document, "msg_max"),
                                .queue_bytes = Number(document, "msg_size"),
                                .queue_bytes_max = Number(document, "msg_size_max"),
                                .reply_queue = Number(document, "replyq"),
                                .requests = Number(document, "tx"),
                                .request_bytes = Number(document, "tx_bytes"),
                                .responses = Number(document, "rx"),
                                .messages = Number(document, "txmsgs"),
                                .message_bytes = Number(document, "txmsg_bytes"),
                                .producer_epoch = NumberIn(document, "eos", "producer_epoch"),
                                .epoch_changes = NumberIn(document, "eos", "epoch_cnt"),
                                .brokers = {}};
  if (const Value* brokers = Member(document, "brokers"); brokers != nullptr && brokers->IsObject())
    ReadBrokers(*brokers, statistics);
  if (const Value* topics = Member(document, "topics"); topics != nullptr && topics->IsObject())
    ReadBatches(*topics, statistics);
  return statistics;
}

void Statistics::Put(std::string_view json) {
  std::string copy(json.size() <= kBytesMax ? json : std::string_view());
  const std::lock_guard lock(mutex_);
  json_.swap(copy);
}

std::optional<ProducerStatistics> Statistics::Read() const {
  std::string json;
  {
    const std::lock_guard lock(mutex_);
    json = json_;
  }
  return json.empty() ? std::nullopt : ParseStatistics(json);
}

void Statistics::Clear() {
  const std::lock_guard lock(mutex_);
  json_.clear();
}

}  // namespace postrider::kafka
