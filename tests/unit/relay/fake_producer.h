// Kafka as a test scripts it: what is taken, what is reported, when. For tests only.
//
// Uncorked, every record taken is acknowledged at the next Poll. Corked, nothing is reported until Uncork or a Report
// by id. Purge reports what is outstanding as purged, also while corked, as librdkafka does; unless `reports_stuck`.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kafka/producer.h"

namespace postrider::relay {

class FakeKafka final : public kafka::ProducerFactory {
 public:
  using Outcome = kafka::Delivery::Outcome;
  using EventKind = kafka::ProducerEvent::Kind;

  struct Sent {
    std::string id;
    std::string topic;
    uint64_t tag = 0;
    size_t budget_bytes = 0;
    std::string key, value;
    std::optional<int32_t> partition;
    int64_t timestamp_ms = 0;
    std::vector<std::pair<std::string, std::string>> headers;
  };

  absl::StatusOr<std::unique_ptr<kafka::Producer>> Make(const kafka::ProducerSettings& settings) override;

  void Cork() { corked_ = true; }
  void Uncork() { corked_ = false; }
  // One report for an outstanding record, corked or not.
  void Report(const std::string& id, Outcome outcome);
  void Tell(EventKind kind) { events_.push_back({.kind = kind, .text = "told by a test"}); }

  // What Produce says for records of this id, or topic, from now on; without an entry: kAccepted.
  std::map<std::string, kafka::Acceptance> refusals;
  // What CheckTopic says.
  kafka::Acceptance topic_answer;
  // Answers of the next calls of Make.
  std::deque<absl::Status> make_faults;
  // Purged records get no report.
  bool reports_stuck = false;

  // Ids taken, of all producers in order.
  const std::vector<std::string>& ids() const { return ids_; }
  const std::vector<Sent>& outstanding() const { return outstanding_; }
  const std::vector<kafka::ProducerSettings>& made() const { return made_; }
  int checks() const { return checks_; }
  size_t outstanding_bytes() const;

 private:
  friend class FakeProducer;

  bool corked_ = false;
  std::vector<std::string> ids_;
  std::vector<Sent> outstanding_;  // of the producer that lives
  std::vector<kafka::Delivery> deliveries_;
  std::vector<kafka::ProducerEvent> events_;
  std::vector<kafka::ProducerSettings> made_;
  int checks_ = 0;
};

class FakeProducer final : public kafka::Producer {
 public:
  explicit FakeProducer(FakeKafka* kafka) : kafka_(kafka) {}
  // What it had to say goes with it.
  ~FakeProducer() override {
    kafka_->outstanding_.clear();
    kafka_->deliveries_.clear();
    kafka_->events_.clear();
  }

  kafka::Acceptance Produce(const Record& record, uint64_t tag) override {
    if (purged_) return {.kind = kafka::Acceptance::Kind::kBroken};
    for (std::string_view name : {record.id, record.topic}) {
      const auto refusal = kafka_->refusals.find(std::string(name));
      if (refusal != kafka_->refusals.end()) return refusal->second;
    }
    kafka_->ids_.emplace_back(record.id);
    kafka_->outstanding_.push_back({.id = std::string(record.id),
                                    .topic = std::string(record.topic),
                                    .tag = tag,
                                    .budget_bytes = BudgetBytes(record),
                                    .key = std::string(record.key.value_or("")),
                                    .value = std::string(record.value.value_or("")),
                                    .partition = record.partition,
                                    .timestamp_ms = record.timestamp_ms,
                                    .headers = {}});
    for (const Header& header : record.headers)
      kafka_->outstanding_.back().headers.emplace_back(header.key, header.value.value_or(""));
    return {};
  }

  kafka::Acceptance CheckTopic(std::string_view, size_t, std::optional<int32_t>) override {
    ++kafka_->checks_;
    return kafka_->topic_answer;
  }

  void Poll(std::vector<kafka::Delivery>& deliveries, std::vector<kafka::ProducerEvent>& events) override {
    if (!kafka_->corked_) {
      for (const FakeKafka::Sent& sent : std::exchange(kafka_->outstanding_, {}))
        deliveries.push_back({.tag = sent.tag});
    }
    deliveries.insert(deliveries.end(), kafka_->deliveries_.begin(), kafka_->deliveries_.end());
    events.insert(events.end(), kafka_->events_.begin(), kafka_->events_.end());
    kafka_->deliveries_.clear();
    kafka_->events_.clear();
  }

  void Purge() override {
    purged_ = true;
    if (kafka_->reports_stuck) return;
    while (!kafka_->outstanding_.empty()) kafka_->Report(kafka_->outstanding_.front().id, FakeKafka::Outcome::kPurged);
  }
  size_t outstanding() const override { return kafka_->outstanding_.size() + kafka_->deliveries_.size(); }

 private:
  FakeKafka* const kafka_;
  bool purged_ = false;
};

inline absl::StatusOr<std::unique_ptr<kafka::Producer>> FakeKafka::Make(const kafka::ProducerSettings& settings) {
  if (!make_faults.empty()) {
    absl::Status fault = std::move(make_faults.front());
    make_faults.pop_front();
    return fault;
  }
  made_.push_back(settings);
  return std::make_unique<FakeProducer>(this);
}

inline void FakeKafka::Report(const std::string& id, Outcome outcome) {
  const auto sent =
      std::find_if(outstanding_.begin(), outstanding_.end(), [&](const Sent& one) { return one.id == id; });
  if (sent == outstanding_.end()) std::abort();
  kafka::Delivery delivery{.tag = sent->tag, .outcome = outcome};
  if (outcome != Outcome::kAcknowledged) {
    delivery.code = "SCRIPTED";
    delivery.topic = "events";
    delivery.record_bytes = 10;
  }
  deliveries_.push_back(delivery);
  outstanding_.erase(sent);
}

inline size_t FakeKafka::outstanding_bytes() const {
  size_t bytes = 0;
  for (const Sent& sent : outstanding_) bytes += sent.budget_bytes;
  return bytes;
}

}  // namespace postrider::relay
