#include "kafka/client.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/fault.h"
#include "kafka/statistics.h"
#include "kafka/stores.h"

namespace postrider::kafka {
namespace {

using Conf = std::unique_ptr<rd_kafka_conf_t, decltype(&rd_kafka_conf_destroy)>;
using Property = std::pair<const char*, const char*>;

// What holds unless the configuration says otherwise.
constexpr Property kBefore[] = {
    {"enable.idempotence", "true"},
    {"acks", "all"},
    {"message.timeout.ms", "2147483647"},  // never; 0 would spoil librdkafka's own statistics before 2.15.1
    {"partitioner", "murmur2_random"},     // Java's
    {"allow.auto.create.topics", "true"},
    // Our byte budget is the limit; librdkafka's lie above it.
    {"queue.buffering.max.messages", "10000000"},
    {"queue.buffering.max.kbytes", "2097151"},
    // How long a topic that librdkafka knows may vanish from the metadata before its records fail. They are repeated
    // then, so this is only to ride out a broker that starts.
    {"topic.metadata.propagation.max.ms", "30000"},
    {"reconnect.backoff.max.ms", "1000"},  // Java's; librdkafka's ten seconds would be added to each outage
    {"enable.metrics.push", "false"},
    {"statistics.interval.ms", kStatisticsInterval},
    {"client.id", "postrider"},
};

// What this folder's code relies on.
constexpr Property kAfter[] = {
    {"log.queue", "true"},
    {"delivery.report.only.error", "false"},
};

constexpr Property kForRecord[] = {
    {"allow.auto.create.topics", "false"},
    {"enable.partition.eof", "true"},
    {"auto.offset.reset", "earliest"},  // a topic that was made anew while it was read
};

bool IsSecret(std::string_view name) {
  constexpr std::string_view kMarks[] = {"password", "secret", ".pem", "sasl.oauthbearer"};
  return std::any_of(std::begin(kMarks), std::end(kMarks),
                     [name](std::string_view mark) { return name.find(mark) != name.npos; });
}

absl::Status Set(rd_kafka_conf_t* conf, const std::string& name, const std::string& value) {
  std::array<char, 512> error{};
  if (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), error.data(), error.size()) == RD_KAFKA_CONF_OK) {
    return absl::OkStatus();
  }
  // librdkafka's sentence quotes the value.
  return MakeFault(Fault::kConfiguration, absl::StrCat("Kafka producer, ", name, ": ",
                                                       IsSecret(name) ? "this value is not allowed" : error.data()));
}

std::string Get(rd_kafka_conf_t* conf, const char* name) {
  std::array<char, 256> value{};
  size_t size = value.size();
  if (rd_kafka_conf_get(conf, name, value.data(), &size) != RD_KAFKA_CONF_OK) return "";
  return value.data();
}

absl::Status SetAll(rd_kafka_conf_t* conf, const config::Producer& config, const ProducerSettings& settings) {
  for (const auto& [name, value] : kBefore) {
    if (absl::Status status = Set(conf, name, value); !status.ok()) return status;
  }
  for (const auto& [name, secret] : config.properties) {
    const absl::StatusOr<std::string> value = secret.Read();
    if (!value.ok()) {
      return MakeFault(Fault::kConfiguration, absl::StrCat("Kafka producer, ", name,
                                                           ": the value cannot be read: ", value.status().message()));
    }
    if (absl::Status status = Set(conf, name, *value); !status.ok()) return status;
  }
  absl::StatusOr<std::vector<std::pair<std::string, std::string>>> stores = ReadStores(config);
  if (!stores.ok()) return stores.status();
  for (auto& [name, value] : *stores) {
    absl::Status status = Set(conf, name, value);
    Wipe(value);
    if (!status.ok()) return status;
  }
  for (const auto& [name, value] : kAfter) {
    if (absl::Status status = Set(conf, name, value); !status.ok()) return status;
  }
  if (settings.single_record_batches) {
    if (absl::Status status = Set(conf, "batch.num.messages", "1"); !status.ok()) return status;
  }
  // Whether a record is too large is for us to say, by the broker's way of counting; librdkafka's own limit lies a
  // little above.
  const int64_t most =
      std::clamp<int64_t>(config.max_request_size_bytes, 0, 999'000'000) + 1024;  // librdkafka's own bounds
  if (absl::Status status = Set(conf, "message.max.bytes", absl::StrCat(most)); !status.ok()) return status;
  // The first error that would leave a gap ends the producer, so that nothing later of that partition is written before
  // it.
  return Set(conf, "enable.gapless.guarantee", Get(conf, "enable.idempotence"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Client>> Client::Make(const config::Producer& config, const ProducerSettings& settings,
                                                     const Wakeup* wakeup) {
  Conf conf(rd_kafka_conf_new(), rd_kafka_conf_destroy);
  if (absl::Status status = SetAll(conf.get(), config, settings); !status.ok()) return status;
  absl::StatusOr<std::unique_ptr<Client>> client = New(RD_KAFKA_PRODUCER, conf.get());
  if (!client.ok()) return client;
  static_cast<void>(conf.release());  // librdkafka's from here
  const uint64_t one = 1;             // an eventfd takes eight bytes
  rd_kafka_queue_io_event_enable((*client)->queue_, wakeup->fd(), &one, sizeof one);
  wakeup->Ring();  // for what came before
  return client;
}

absl::StatusOr<std::unique_ptr<Client>> Client::MakeForRecord(const config::Producer& config, rd_kafka_type_t type) {
  return MakeQuiet(config, type, "0");
}

absl::StatusOr<std::unique_ptr<Client>> Client::MakeForSurvey(const config::Producer& config) {
  return MakeQuiet(config, RD_KAFKA_PRODUCER, "100");
}

absl::StatusOr<std::unique_ptr<Client>> Client::MakeQuiet(const config::Producer& config, rd_kafka_type_t type,
                                                          const char* statistics_interval_ms) {
  Conf conf(rd_kafka_conf_new(), rd_kafka_conf_destroy);
  if (absl::Status status = SetAll(conf.get(), config, {}); !status.ok()) return status;
  for (const auto& [name, value] : kForRecord) {
    if (absl::Status status = Set(conf.get(), name, value); !status.ok()) return status;
  }
  absl::Status status = Set(conf.get(), "statistics.interval.ms", statistics_interval_ms);
  if (!status.ok()) return status;
  absl::StatusOr<std::unique_ptr<Client>> client = New(type, conf.get());
  if (client.ok()) static_cast<void>(conf.release());
  return client;
}

absl::StatusOr<std::unique_ptr<Client>> Client::New(rd_kafka_type_t type, rd_kafka_conf_t* conf) {
  rd_kafka_conf_set_events(conf, RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR | RD_KAFKA_EVENT_LOG | RD_KAFKA_EVENT_STATS);
  std::unique_ptr<Client> client(new Client);
  client->ReadEffective(conf);
  std::array<char, 512> error{};
  client->handle_ = rd_kafka_new(type, conf, error.data(), error.size());
  if (!client->handle_) return MakeFault(Fault::kConfiguration, absl::StrCat("Kafka producer: ", error.data()));
  client->queue_ = rd_kafka_queue_get_main(client->handle_);
  rd_kafka_set_log_queue(client->handle_, nullptr);  // to the main queue
  return client;
}

void Client::ReadEffective(rd_kafka_conf_t* conf) {
  compressed_ = Get(conf, "compression.type") != "none";
  broker_creates_topics_ = Get(conf, "allow.auto.create.topics") == "true";
  if (!absl::SimpleAtoi(Get(conf, "batch.size"), &batch_bytes_)) batch_bytes_ = 0;
}

Client::~Client() {
  for (rd_kafka_topic_t* topic : topics_) rd_kafka_topic_destroy(topic);
  if (queue_) rd_kafka_queue_destroy(queue_);
  if (handle_) rd_kafka_destroy(handle_);
}

rd_kafka_topic_t* Client::Open(const std::string& topic, void* opaque) {
  rd_kafka_topic_conf_t* conf = rd_kafka_default_topic_conf_dup(handle_);
  rd_kafka_topic_conf_set_opaque(conf, opaque);
  rd_kafka_topic_t* handle = rd_kafka_topic_new(handle_, topic.c_str(), conf);
  if (handle) topics_.push_back(handle);
  return handle;
}

void Client::Silence() {
  rd_kafka_queue_io_event_enable(queue_, -1, nullptr, 0);
}

}  // namespace postrider::kafka
