#include "kafka/producer.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "kafka/admin.h"
#include "kafka/client.h"
#include "kafka/contact.h"
#include "kafka/outcome.h"
#include "kafka/reaper.h"
#include "kafka/send.h"
#include "kafka/statistics.h"
#include "kafka/topic_rules.h"
#include "kafka/topics.h"
#include "kafka/wire_size.h"

namespace postrider::kafka {
namespace {

using Kind = Acceptance::Kind;

TimePoint Now() {
  return std::chrono::steady_clock::now();
}

Acceptance Answer(Kind kind) {
  return {.kind = kind, .code = "", .reason = ""};
}

// Where librdkafka's partitioner puts the key (client.cc).
int32_t PartitionOfKey(const Topic& topic, std::string_view key) {
  return rd_kafka_msg_partitioner_murmur2(topic.handle, key.data(), key.size(), topic.partitions, nullptr, nullptr);
}

class KafkaProducer : public Producer {
 public:
  KafkaProducer(std::unique_ptr<Client> client, const config::Producer& config, std::shared_ptr<const TopicRules> rules,
                std::shared_ptr<Reaper> reaper, Statistics* statistics)
      : ignore_keys_(config.ignore_keys),
        statistics_(statistics),
        rules_(std::move(rules)),
        reaper_(std::move(reaper)),
        client_(std::move(client)),
        admin_(client_->handle(), client_->queue()),
        topics_({.max_request_bytes = static_cast<size_t>(config.max_request_size_bytes),
                 .batch_bytes = client_->batch_bytes(),
                 .compressed = client_->compressed(),
                 .broker_creates = client_->broker_creates_topics()},
                rules_.get(), &admin_) {
    // Connects at once. It also brings the producer id with the first metadata; else librdkafka asks for one after half
    // a second.
    admin_.Probe(Now());
  }

  ~KafkaProducer() override {
    client_->Silence();
    if (statistics_) statistics_->Clear();
    reaper_->Take([client = std::shared_ptr<Client>(std::move(client_))]() mutable { client.reset(); });
  }

  Acceptance Produce(const Record& record, uint64_t tag) override;
  Acceptance CheckTopic(std::string_view name, size_t record_bytes, std::optional<int32_t> partition) override {
    if (broken_) return Answer(Kind::kBroken);
    Topic* topic = FindTopic(name);
    return topic ? topics_.Check(*topic, record_bytes, partition, Now()) : Answer(Kind::kBroken);
  }
  void Poll(std::vector<Delivery>& deliveries, std::vector<ProducerEvent>& events) override;
  void Purge() override;
  size_t outstanding() const override { return outstanding_; }

 private:
  Topic* FindTopic(std::string_view name);
  Acceptance Refused(rd_kafka_resp_err_t error, Topic& topic, size_t wire_bytes);
  void OpenTopics(std::vector<ProducerEvent>& events);
  bool TakeReports(rd_kafka_event_t* event, std::vector<Delivery>& deliveries);
  Delivery TakeFailure(const rd_kafka_message_t& message, bool guilty);

  const bool ignore_keys_;
  Statistics* const statistics_;  // may be null
  const std::shared_ptr<const TopicRules> rules_;
  const std::shared_ptr<Reaper> reaper_;
  std::unique_ptr<Client> client_;
  Admin admin_;
  TopicTable topics_;
  Topic* last_topic_ = nullptr;  // most records follow one of the same topic
  size_t outstanding_ = 0;
  bool broken_ = false;
  bool purged_ = false;
  Contact contact_;
  std::vector<const rd_kafka_message_t*> messages_;
};

Topic* KafkaProducer::FindTopic(std::string_view name) {
  if (!last_topic_ || last_topic_->name != name) last_topic_ = topics_.Find(name);
  // A full table is emptied by beginning anew.
  if (!last_topic_) broken_ = true;
  return last_topic_;
}

Acceptance KafkaProducer::Produce(const Record& record, uint64_t tag) {
  if (broken_) return Answer(Kind::kBroken);
  Topic* topic = FindTopic(record.topic);
  if (!topic) return Answer(Kind::kBroken);
  const size_t wire_bytes = WireBytes(record);
  if (Acceptance acceptance = topics_.Check(*topic, wire_bytes, record.partition, Now());
      acceptance.kind != Kind::kAccepted) {
    return acceptance;
  }
  if (record.timestamp_ms < 0) {
    return {.kind = Kind::kHeld,
            .code = "invalid_timestamp",
            .reason =
                "the record's timestamp lies before 1970, which Kafka does not take: correct the column that "
                "table.field.event.timestamp names"};
  }

  std::optional<int32_t> partition = record.partition;
  if (!partition && (ignore_keys_ || !record.key)) partition = topic->sticky.Next(topic->partitions, wire_bytes);
  const int32_t lands_on = partition ? *partition : PartitionOfKey(*topic, *record.key);
  if (!topic->first_flight.MayProduce(lands_on, Now())) return Answer(Kind::kWait);
  if (const rd_kafka_resp_err_t error = Send(client_->handle(), topic->handle, record, partition, tag);
      error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return Refused(error, *topic, wire_bytes);
  }
  topic->first_flight.Produced(lands_on, Now());
  ++outstanding_;
  if (topics_.IsTight(*topic)) topic->inflight_bytes += wire_bytes;
  return Answer(Kind::kAccepted);
}

// What librdkafka itself refused at once.
Acceptance KafkaProducer::Refused(rd_kafka_resp_err_t error, Topic& topic, size_t wire_bytes) {
  switch (error) {
    case RD_KAFKA_RESP_ERR__QUEUE_FULL:
      return Answer(Kind::kWait);
    case RD_KAFKA_RESP_ERR__FATAL:
      broken_ = true;
      return Answer(Kind::kBroken);
    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
      return {.kind = Kind::kHeld,
              .code = "record_too_large",
              .reason = absl::StrCat("the record for topic \"", topic.name, "\" takes ", wire_bytes,
                                     " bytes in Kafka's format, more than librdkafka can send")};
    default:
      // The topic has changed since we looked: gone, fewer partitions, a right taken away.
      topics_.Distrust(topic, Now());
      return Answer(Kind::kWait);
  }
}

// ---- what comes back ------------------------------------------------------------------------------------------------

void KafkaProducer::Poll(std::vector<Delivery>& deliveries, std::vector<ProducerEvent>& events) {
  while (rd_kafka_event_t* event = rd_kafka_queue_poll(client_->queue(), 0)) {
    switch (rd_kafka_event_type(event)) {
      case RD_KAFKA_EVENT_DR:
        if (TakeReports(event, deliveries)) contact_.Acknowledged(events);
        break;
      case RD_KAFKA_EVENT_ERROR:
        // What a purge breaks is no news.
        if (!purged_) contact_.TakeError(event, events);
        broken_ = broken_ || rd_kafka_event_error_is_fatal(event);
        break;
      case RD_KAFKA_EVENT_LOG:
        contact_.TakeLogLine(event);
        break;
      case RD_KAFKA_EVENT_STATS:
        if (statistics_) statistics_->Put(rd_kafka_event_stats(event));
        break;
      default:
        if (admin_.Take(event, topics_, Now())) contact_.Answered(Now());
        OpenTopics(events);
        break;
    }
    rd_kafka_event_destroy(event);
  }
  if (broken_) return;
  topics_.Tick(Now());
  contact_.Tick(Now(), events);
  if (!contact_.answered()) admin_.Probe(Now());
}

void KafkaProducer::OpenTopics(std::vector<ProducerEvent>& events) {
  for (Topic* topic : topics_.TakeToOpen()) {
    if (!topic->handle) topic->handle = client_->Open(topic->name, topic);
    if (topic->handle) continue;
    broken_ = true;
    events.push_back({.kind = ProducerEvent::Kind::kFatal,
                      .text = absl::StrCat("librdkafka does not open topic \"", topic->name,
                                           "\": ", rd_kafka_err2str(rd_kafka_last_error()))});
  }
}

// Returns whether something was acknowledged.
bool KafkaProducer::TakeReports(rd_kafka_event_t* event, std::vector<Delivery>& deliveries) {
  messages_.resize(rd_kafka_event_message_count(event));
  messages_.resize(rd_kafka_event_message_array(event, messages_.data(), messages_.size()));
  POSTRIDER_CHECK(messages_.size() <= outstanding_);
  outstanding_ -= messages_.size();
  // One event is one batch. Where a broker named the bad records, the others have an error of their own; but where it
  // named just one, librdkafka gives its error to all.
  bool named = messages_.size() == 1;
  for (const rd_kafka_message_t* message : messages_)
    named |= message->err == RD_KAFKA_RESP_ERR__INVALID_DIFFERENT_RECORD;
  for (const rd_kafka_message_t* message : messages_) {
    Topic* topic = static_cast<Topic*>(rd_kafka_topic_opaque(message->rkt));
    if (topic->inflight_bytes > 0) topic->inflight_bytes -= std::min(topic->inflight_bytes, WireBytes(*message));
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      topic->first_flight.Acknowledged(message->partition, Now());
      if (message->partition >= topic->partitions) topics_.Distrust(*topic, Now());  // it has grown
      deliveries.push_back({.tag = std::bit_cast<uint64_t>(message->_private)});
    } else {
      topic->first_flight.Failed();
      deliveries.push_back(TakeFailure(*message, named));
    }
  }
  return !messages_.empty() && messages_.front()->err == RD_KAFKA_RESP_ERR_NO_ERROR;
}

Delivery KafkaProducer::TakeFailure(const rd_kafka_message_t& message, bool guilty) {
  Topic* topic = static_cast<Topic*>(rd_kafka_topic_opaque(message.rkt));
  const Delivery delivery{.tag = std::bit_cast<uint64_t>(message._private),
                          .outcome = OutcomeOf(message.err, guilty),
                          .code = rd_kafka_err2name(message.err),
                          .topic = topic->name.c_str(),
                          .record_bytes = WireBytes(message)};
  if (delivery.outcome == Delivery::Outcome::kTopic) topics_.Distrust(*topic, Now());
  return delivery;
}

void KafkaProducer::Purge() {
  broken_ = true;
  purged_ = true;
  rd_kafka_purge(client_->handle(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING);
}

// ---- making them ----------------------------------------------------------------------------------------------------

class KafkaProducerFactory : public ProducerFactory {
 public:
  KafkaProducerFactory(const config::Producer& config, const Wakeup* wakeup, Statistics* statistics)
      : config_(config), wakeup_(wakeup), statistics_(statistics), reaper_(std::make_shared<Reaper>()) {}

  absl::StatusOr<std::unique_ptr<Producer>> Make(const ProducerSettings& settings) override {
    if (!rules_) {
      absl::StatusOr<TopicRules> rules = TopicRules::Make(config_);
      if (!rules.ok()) return rules.status();
      rules_ = std::make_shared<const TopicRules>(*std::move(rules));
    }
    absl::StatusOr<std::unique_ptr<Client>> client = Client::Make(config_, settings, wakeup_);
    if (!client.ok()) return client.status();
    return std::make_unique<KafkaProducer>(*std::move(client), config_, rules_, reaper_, statistics_);
  }

 private:
  const config::Producer config_;
  const Wakeup* const wakeup_;
  Statistics* const statistics_;
  const std::shared_ptr<Reaper> reaper_;
  std::shared_ptr<const TopicRules> rules_;
};

}  // namespace

std::unique_ptr<ProducerFactory> MakeProducerFactory(const config::Producer& config, const Wakeup* wakeup,
                                                     Statistics* statistics) {
  return std::make_unique<KafkaProducerFactory>(config, wakeup, statistics);
}

}  // namespace postrider::kafka
