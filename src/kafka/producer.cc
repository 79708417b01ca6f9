#include "kafka/producer.h"

#include <librdkafka/rdkafka.h>

#include <array>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/fault.h"
#include "base/log.h"
#include "kafka/admin.h"
#include "kafka/client.h"
#include "kafka/outcome.h"
#include "kafka/reaper.h"
#include "kafka/topic_rules.h"
#include "kafka/topics.h"
#include "kafka/wire_size.h"

namespace postrider::kafka {
namespace {

using Kind = Acceptance::Kind;

constexpr std::chrono::milliseconds kProducerIdWithin(500);

TimePoint Now() {
  return std::chrono::steady_clock::now();
}

Acceptance Answer(Kind kind) {
  return {.kind = kind, .code = "", .reason = ""};
}

// librdkafka takes a null pointer for null, and an empty view may have one.
const char* NotNull(std::string_view bytes) {
  return bytes.data() ? bytes.data() : "";
}

// Sums up a record for rd_kafka_produceva(). Headers stay ours when that fails.
class Arguments {
 public:
  void AddTopic(rd_kafka_topic_t* topic) { Add(RD_KAFKA_VTYPE_RKT).u.rkt = topic; }
  void AddBytes(rd_kafka_vtype_t type, const std::optional<std::string_view>& bytes) {
    rd_kafka_vu_t& argument = Add(type);
    argument.u.mem.ptr = bytes ? const_cast<char*>(NotNull(*bytes)) : nullptr;
    argument.u.mem.size = bytes ? bytes->size() : 0;
  }
  void AddHeaders(std::span<const Header> headers) {
    if (headers.empty()) return;
    headers_ = rd_kafka_headers_new(headers.size());
    for (const Header& header : headers) {
      rd_kafka_header_add(headers_, NotNull(header.key), static_cast<ssize_t>(header.key.size()),
                          header.value ? NotNull(*header.value) : nullptr,
                          header.value ? static_cast<ssize_t>(header.value->size()) : 0);
    }
    Add(RD_KAFKA_VTYPE_HEADERS).u.headers = headers_;
  }
  void AddTimestamp(int64_t timestamp_ms) { Add(RD_KAFKA_VTYPE_TIMESTAMP).u.i64 = timestamp_ms; }
  void AddPartition(int32_t partition) { Add(RD_KAFKA_VTYPE_PARTITION).u.i32 = partition; }
  void AddTag(uint64_t tag) {
    Add(RD_KAFKA_VTYPE_OPAQUE).u.ptr = reinterpret_cast<void*>(static_cast<uintptr_t>(tag));
    Add(RD_KAFKA_VTYPE_MSGFLAGS).u.i = RD_KAFKA_MSG_F_COPY;
  }

  // NO_ERROR: taken.
  rd_kafka_resp_err_t Produce(rd_kafka_t* client) {
    rd_kafka_error_t* error = rd_kafka_produceva(client, arguments_.data(), count_);
    if (!error) return RD_KAFKA_RESP_ERR_NO_ERROR;
    const rd_kafka_resp_err_t code = rd_kafka_error_code(error);
    rd_kafka_error_destroy(error);
    if (headers_) rd_kafka_headers_destroy(headers_);
    return code;
  }

 private:
  rd_kafka_vu_t& Add(rd_kafka_vtype_t type) {
    arguments_[count_].vtype = type;
    return arguments_[count_++];
  }

  std::array<rd_kafka_vu_t, 8> arguments_;
  size_t count_ = 0;
  rd_kafka_headers_t* headers_ = nullptr;
};

class KafkaProducer : public Producer {
 public:
  KafkaProducer(std::unique_ptr<Client> client, const config::Producer& config, std::shared_ptr<const TopicRules> rules,
                std::shared_ptr<Reaper> reaper)
      : ignore_keys_(config.ignore_keys),
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
  void TakeError(rd_kafka_event_t* event, std::vector<ProducerEvent>& events);
  void TakeLogLine(rd_kafka_event_t* event);
  void SayConnected(std::vector<ProducerEvent>& events, bool acknowledged);

  const bool ignore_keys_;
  const std::shared_ptr<const TopicRules> rules_;
  const std::shared_ptr<Reaper> reaper_;
  std::unique_ptr<Client> client_;
  Admin admin_;
  TopicTable topics_;
  Topic* last_topic_ = nullptr;  // most records follow one of the same topic
  size_t outstanding_ = 0;
  bool broken_ = false;
  bool purged_ = false;
  bool connected_ = false;                // kConnected was said, and not kAllDown since
  bool all_down_ = false;                 // the reverse
  std::optional<TimePoint> answered_at_;  // the first answer of a broker since all were down
  std::string last_failure_;              // of a connection, as librdkafka logged it
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

  Arguments arguments;
  arguments.AddTopic(topic->handle);
  arguments.AddBytes(RD_KAFKA_VTYPE_KEY, record.key);
  arguments.AddBytes(RD_KAFKA_VTYPE_VALUE, record.value);
  arguments.AddHeaders(record.headers);
  // librdkafka takes 0 for "now"; a millisecond later is the nearest that it can send.
  arguments.AddTimestamp(record.timestamp_ms == 0 ? 1 : record.timestamp_ms);
  if (record.partition) {
    arguments.AddPartition(*record.partition);
  } else if (ignore_keys_) {
    arguments.AddPartition(topic->sticky.Next(topic->partitions, wire_bytes));
  }
  arguments.AddTag(tag);
  if (const rd_kafka_resp_err_t error = arguments.Produce(client_->handle()); error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return Refused(error, *topic, wire_bytes);
  }
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

void KafkaProducer::TakeLogLine(rd_kafka_event_t* event) {
  const char* facility = nullptr;
  const char* text = nullptr;
  int level = 0;
  if (rd_kafka_event_log(event, &facility, &text, &level) != 0) return;
  std::string_view line = text;
  // Said of each producer that has it; we have it on purpose.
  if (line.find("enable.gapless.guarantee is experimental") != line.npos) return;
  // The thread's name in front and the time in a state behind keep a repeated line from being known as one.
  if (line.starts_with("[thrd:")) line.remove_prefix(std::min(line.size(), line.find("]: ") + 3));
  if (const size_t tail = line.rfind(" (after "); tail != line.npos) line = line.substr(0, tail);
  if (std::string_view(facility) == "FAIL") last_failure_ = line;
  // syslog's levels. Errors of its own are for the loop to judge.
  const LogLevel as = level <= 4 ? LogLevel::kWarning : level <= 6 ? LogLevel::kInfo : LogLevel::kDebug;
  Log(as, "kafka_client", {{"facility", facility}}, line);
}

void KafkaProducer::Poll(std::vector<Delivery>& deliveries, std::vector<ProducerEvent>& events) {
  while (rd_kafka_event_t* event = rd_kafka_queue_poll(client_->queue(), 0)) {
    switch (rd_kafka_event_type(event)) {
      case RD_KAFKA_EVENT_DR:
        if (TakeReports(event, deliveries)) SayConnected(events, true);
        break;
      case RD_KAFKA_EVENT_ERROR:
        TakeError(event, events);
        break;
      case RD_KAFKA_EVENT_LOG:
        TakeLogLine(event);
        break;
      default:
        if (admin_.Take(event, topics_, Now()) && !answered_at_) answered_at_ = Now();
        OpenTopics(events);
        break;
    }
    rd_kafka_event_destroy(event);
  }
  topics_.Tick(Now());
  SayConnected(events, false);
  if (!answered_at_ && !broken_) admin_.Probe(Now());
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
      deliveries.push_back({.tag = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(message->_private))});
    } else {
      deliveries.push_back(TakeFailure(*message, named));
    }
  }
  return !messages_.empty() && messages_.front()->err == RD_KAFKA_RESP_ERR_NO_ERROR;
}

Delivery KafkaProducer::TakeFailure(const rd_kafka_message_t& message, bool guilty) {
  Topic* topic = static_cast<Topic*>(rd_kafka_topic_opaque(message.rkt));
  const Delivery delivery{.tag = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(message._private)),
                          .outcome = OutcomeOf(message.err, guilty),
                          .code = rd_kafka_err2name(message.err),
                          .topic = topic->name.c_str(),
                          .record_bytes = WireBytes(message)};
  if (delivery.outcome == Delivery::Outcome::kTopic) topics_.Distrust(*topic, Now());
  return delivery;
}

void KafkaProducer::TakeError(rd_kafka_event_t* event, std::vector<ProducerEvent>& events) {
  const rd_kafka_resp_err_t error = rd_kafka_event_error(event);
  std::string text = rd_kafka_event_error_string(event);
  if (rd_kafka_event_error_is_fatal(event)) {
    broken_ = true;
    if (purged_) return;  // a consequence of the purge
    events.push_back({.kind = IsRefusal(error) ? ProducerEvent::Kind::kRefused : ProducerEvent::Kind::kFatal,
                      .text = absl::StrCat("the Kafka producer gave up (", rd_kafka_err2name(error), "): ", text)});
    return;
  }
  if (error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
    if (std::exchange(all_down_, true)) return;
    // Before anything was answered, a hang-up says more than it seems to.
    const bool never_answered = !connected_ && !answered_at_;
    const bool hung_up = last_failure_.find("Disconnected") != last_failure_.npos;
    connected_ = false;
    answered_at_.reset();
    events.push_back({.kind = ProducerEvent::Kind::kAllDown,
                      .text = absl::StrCat(
                          "no Kafka broker can be reached; the last attempt: ", last_failure_,
                          never_answered && hung_up ? " (does it want another security.protocol, TLS or SASL?)" : "")});
    return;
  }
  // A certificate of ours that a broker does not accept shows as a TLS alert on an open connection.
  if (IsRefusal(error) || text.find("SSL alert number") != text.npos) {
    events.push_back({.kind = ProducerEvent::Kind::kRefused, .text = absl::StrCat("Kafka refuses us: ", text)});
  }
}

// A broker that answers may still refuse the producer id (a cluster ACL), a moment later: that is to come before the
// good news.
void KafkaProducer::SayConnected(std::vector<ProducerEvent>& events, bool acknowledged) {
  if (connected_ || broken_) return;
  if (!acknowledged && (!answered_at_ || Now() - *answered_at_ < kProducerIdWithin)) return;
  connected_ = true;
  answered_at_ = Now();
  all_down_ = false;
  events.push_back({.kind = ProducerEvent::Kind::kConnected, .text = "a Kafka broker answered"});
}

void KafkaProducer::Purge() {
  broken_ = true;
  purged_ = true;
  rd_kafka_purge(client_->handle(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING);
}

// ---- making them ----------------------------------------------------------------------------------------------------

class KafkaProducerFactory : public ProducerFactory {
 public:
  KafkaProducerFactory(const config::Producer& config, const Wakeup* wakeup)
      : config_(config), wakeup_(wakeup), reaper_(std::make_shared<Reaper>()) {}

  absl::StatusOr<std::unique_ptr<Producer>> Make(const ProducerSettings& settings) override {
    if (!rules_) {
      absl::StatusOr<TopicRules> rules = TopicRules::Make(config_);
      if (!rules.ok()) return rules.status();
      rules_ = std::make_shared<const TopicRules>(*std::move(rules));
    }
    absl::StatusOr<std::unique_ptr<Client>> client = Client::Make(config_, settings, wakeup_);
    if (!client.ok()) return client.status();
    return std::make_unique<KafkaProducer>(*std::move(client), config_, rules_, reaper_);
  }

 private:
  const config::Producer config_;
  const Wakeup* const wakeup_;
  const std::shared_ptr<Reaper> reaper_;
  std::shared_ptr<const TopicRules> rules_;
};

}  // namespace

std::unique_ptr<ProducerFactory> MakeProducerFactory(const config::Producer& config, const Wakeup* wakeup) {
  return std::make_unique<KafkaProducerFactory>(config, wakeup);
}

}  // namespace postrider::kafka
