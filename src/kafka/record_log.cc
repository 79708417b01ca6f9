#include "kafka/record_log.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kafka/outcome.h"

namespace postrider::kafka {
namespace {

constexpr int32_t kPartition = 0;
constexpr int kSliceMs = 100;     // between two looks at the bell
constexpr int kAnswerMs = 1'000;  // of one request that cannot be interrupted
constexpr std::chrono::milliseconds kAdminTimeout(5 * kAnswerMs);
constexpr std::pair<const char*, const char*> kTopicSettings[] = {
    {"cleanup.policy", "compact"},
    {"segment.bytes", "1048576"},  // the least that Kafka 4 takes
    {"min.cleanable.dirty.ratio", "0.1"},
};

std::string_view Bytes(const void* data, size_t size) {
  return {static_cast<const char*>(data), size};
}

}  // namespace

RecordLog::~RecordLog() {
  GiveUp(reader_);
  GiveUp(writer_);
}

void RecordLog::GiveUp(std::unique_ptr<Client>& client) {
  if (&client == &reader_) {
    if (consuming_) rd_kafka_consume_stop(read_, kPartition);
    consuming_ = false;
    next_ = 0;
  } else {
    outstanding_ = 0;
  }
  if (client) reaper_.Take([gone = std::shared_ptr<Client>(std::move(client))]() mutable { gone.reset(); });
}

absl::Status RecordLog::Open() {
  if (!reader_) {
    absl::StatusOr<std::unique_ptr<Client>> made = Client::MakeForRecord(config_, RD_KAFKA_CONSUMER);
    if (!made.ok()) return made.status();
    reader_ = *std::move(made);
    read_ = reader_->Open(topic_, nullptr);
  }
  if (!writer_) {
    absl::StatusOr<std::unique_ptr<Client>> made = Client::MakeForRecord(config_, RD_KAFKA_PRODUCER);
    if (!made.ok()) return made.status();
    writer_ = *std::move(made);
    written_ = writer_->Open(topic_, nullptr);
  }
  if (read_ && written_) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("\"", topic_, "\" is no name of a topic"));
}

// What an error says that is not about the connection.
absl::Status RecordLog::Fail(rd_kafka_resp_err_t error) {
  prepared_ = prepared_ && !IsUnknownTopic(error);
  last_failure_ = rd_kafka_err2str(error);
  if (error == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED ||
      error == RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED) {
    return absl::InvalidArgumentError(
        absl::StrCat("Kafka's ACLs do not let us use topic \"", topic_,
                     "\": grant READ, WRITE and DESCRIBE on it, and CREATE where it is missing"));
  }
  if (error == RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION) {
    return absl::InvalidArgumentError(absl::StrCat("the broker takes \"", topic_, "\" for no topic name"));
  }
  return absl::OkStatus();
}

absl::Status RecordLog::Away(const Patience& patience) {
  if (std::exchange(refused_, false)) {
    GiveUp(reader_);
    GiveUp(writer_);
  }
  const bool stopped = std::chrono::steady_clock::now() < patience.deadline;
  return absl::UnavailableError(absl::StrCat("topic \"", topic_, "\", where the evidence record is, cannot be reached",
                                             stopped || last_failure_.empty() ? "" : ": ",
                                             stopped ? "" : last_failure_));
}

// What a client has to say: its connection's troubles, and reports.
absl::Status RecordLog::Serve(Client& client, int timeout_ms) {
  absl::Status status;
  while (const Event event = Poll(client.queue(), timeout_ms)) {
    timeout_ms = 0;
    const char* facility = nullptr;
    const char* text = nullptr;
    int level = 0;
    switch (rd_kafka_event_type(event.get())) {
      case RD_KAFKA_EVENT_DR:
        status.Update(TakeReports(event.get()));
        break;
      case RD_KAFKA_EVENT_ERROR:
        refused_ |= IsRefusal(rd_kafka_event_error(event.get()));
        last_failure_ = rd_kafka_event_error_string(event.get());
        break;
      case RD_KAFKA_EVENT_LOG:  // the producer of the events says the same of the same brokers
        if (rd_kafka_event_log(event.get(), &facility, &text, &level) == 0 && std::string_view(facility) == "FAIL")
          last_failure_ = text;
        break;
      default:
        break;
    }
  }
  return status;
}

absl::Status RecordLog::TakeReports(rd_kafka_event_t* event) {
  absl::Status status;
  while (const rd_kafka_message_t* message = rd_kafka_event_message_next(event)) {
    --outstanding_;
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    status.Update(Fail(message->err));
    status.Update(absl::UnavailableError(
        absl::StrCat("topic \"", topic_, "\" did not take the evidence record: ", rd_kafka_err2str(message->err))));
  }
  return status;
}

// ---- the topic ------------------------------------------------------------------------------------------------------

absl::Status RecordLog::Prepare(const Patience& patience) {
  if (absl::Status status = Open(); !status.ok()) return status;
  while (!prepared_) {
    if (patience.ended()) return Away(patience);
    const rd_kafka_metadata_t* metadata = nullptr;
    rd_kafka_resp_err_t error = rd_kafka_metadata(reader_->handle(), 0, read_, &metadata, kAnswerMs);
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
      error = metadata->topic_cnt == 1 ? metadata->topics[0].err : RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
      rd_kafka_metadata_destroy(metadata);
    }
    if (absl::Status status = Serve(*reader_, 0); !status.ok()) return status;
    if (absl::Status status = Fail(error); !status.ok()) return status;
    if (IsUnknownTopic(error)) {
      if (absl::Status status = Create(patience); !status.ok()) return status;
    } else if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
      if (absl::Status status = CheckPolicy(patience); !status.ok()) return status;
      prepared_ = true;
    }
  }
  return absl::OkStatus();
}

absl::Status RecordLog::Create(const Patience& patience) {
  std::array<char, 256> text{};
  rd_kafka_NewTopic_t* topic = rd_kafka_NewTopic_new(topic_.c_str(), 1, -1, text.data(), text.size());
  if (topic == nullptr) return absl::InvalidArgumentError(text.data());
  for (const auto& [name, value] : kTopicSettings) rd_kafka_NewTopic_set_config(topic, name, value);
  const Queue queue = NewQueue(reader_->handle());
  const Options options = NewOptions(reader_->handle(), RD_KAFKA_ADMIN_OP_CREATETOPICS, kAdminTimeout);
  rd_kafka_CreateTopics(reader_->handle(), &topic, 1, options.get(), queue.get());
  rd_kafka_NewTopic_destroy(topic);
  const Event event = Await(queue.get(), patience);
  if (!event) return Away(patience);
  rd_kafka_resp_err_t error = rd_kafka_event_error(event.get());
  size_t count = 0;
  const auto** results =
      error == RD_KAFKA_RESP_ERR_NO_ERROR
          ? rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event.get()), &count)
          : nullptr;
  if (count == 1) error = rd_kafka_topic_result_error(results[0]);
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR || error == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS || IsRequestFailure(error))
    return absl::OkStatus();  // looked at again
  if (absl::Status status = Fail(error); !status.ok()) return status;
  return absl::InvalidArgumentError(absl::StrCat(
      "topic \"", topic_,
      "\" cannot be made: ", count == 1 ? rd_kafka_topic_result_error_string(results[0]) : rd_kafka_err2str(error)));
}

// A topic that deletes by age would make a lost slot look like a first start.
absl::Status RecordLog::CheckPolicy(const Patience& patience) {
  rd_kafka_ConfigResource_t* resource = rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic_.c_str());
  const Queue queue = NewQueue(reader_->handle());
  const Options options = NewOptions(reader_->handle(), RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, kAdminTimeout);
  rd_kafka_DescribeConfigs(reader_->handle(), &resource, 1, options.get(), queue.get());
  rd_kafka_ConfigResource_destroy(resource);
  const Event event = Await(queue.get(), patience);
  if (!event) return Away(patience);
  if (rd_kafka_event_error(event.get()) != RD_KAFKA_RESP_ERR_NO_ERROR) return absl::OkStatus();  // we may not ask
  size_t count = 0;
  const auto** resources =
      rd_kafka_DescribeConfigs_result_resources(rd_kafka_event_DescribeConfigs_result(event.get()), &count);
  if (count != 1) return absl::OkStatus();
  const auto** entries = rd_kafka_ConfigResource_configs(resources[0], &count);
  for (size_t i = 0; i < count; ++i) {
    const char* value = rd_kafka_ConfigEntry_value(entries[i]);
    if (std::string_view(rd_kafka_ConfigEntry_name(entries[i])) != "cleanup.policy" || value == nullptr ||
        std::string_view(value) == "compact")
      continue;
    return absl::InvalidArgumentError(
        absl::StrCat("topic \"", topic_, "\" has cleanup.policy=", value,
                     ", and would forget the evidence record: set it to cleanup.policy=compact"));
  }
  return absl::OkStatus();
}

// ---- reading --------------------------------------------------------------------------------------------------------

absl::StatusOr<int64_t> RecordLog::End(const Patience& patience) {
  while (!patience.ended()) {
    if (absl::Status status = Prepare(patience); !status.ok()) return status;
    int64_t low = 0;
    int64_t high = 0;
    const rd_kafka_resp_err_t error =
        rd_kafka_query_watermark_offsets(reader_->handle(), topic_.c_str(), kPartition, &low, &high, kAnswerMs);
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return high;
    if (absl::Status status = Serve(*reader_, kSliceMs); !status.ok()) return status;
    if (absl::Status status = Fail(error); !status.ok()) return status;
  }
  return Away(patience);
}

absl::StatusOr<std::optional<std::string>> RecordLog::Newest(const Patience& patience) {
  const absl::StatusOr<int64_t> end = End(patience);
  if (!end.ok()) return end.status();
  if (absl::Status status = ReadTo(*end, patience); !status.ok()) return status;
  return newest_;
}

absl::Status RecordLog::ReadTo(int64_t end, const Patience& patience) {
  if (!consuming_) {
    if (rd_kafka_consume_start(read_, kPartition, RD_KAFKA_OFFSET_BEGINNING) != 0) return Fail(rd_kafka_last_error());
    consuming_ = true;
  }
  if (end < next_) next_ = end;  // made anew
  while (next_ < end) {
    if (patience.ended()) return Away(patience);
    rd_kafka_message_t* message = rd_kafka_consume(read_, kPartition, kSliceMs);
    absl::Status status = Serve(*reader_, 0);
    if (message != nullptr) {
      status.Update(Take(*message));
      rd_kafka_message_destroy(message);
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status RecordLog::Take(const rd_kafka_message_t& message) {
  if (message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF) next_ = std::max(next_, message.offset);
  if (message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF) return absl::OkStatus();
  if (message.err != RD_KAFKA_RESP_ERR_NO_ERROR) return Fail(message.err);
  next_ = message.offset + 1;
  if (Bytes(message.key, message.key_len) != key_) return absl::OkStatus();
  newest_.reset();
  if (message.payload != nullptr) newest_ = std::string(Bytes(message.payload, message.len));
  return absl::OkStatus();
}

// ---- writing --------------------------------------------------------------------------------------------------------

absl::Status RecordLog::Append(const std::string& value, const Patience& patience) {
  if (absl::Status status = Prepare(patience); !status.ok()) return status;
  // What was handed over before is still on its way, in order: it is neither repeated nor overtaken.
  if (outstanding_ == 0 || value != sent_) {
    if (rd_kafka_produce(written_, kPartition, RD_KAFKA_MSG_F_COPY, const_cast<char*>(value.data()), value.size(),
                         key_.data(), key_.size(), nullptr) != 0) {
      const rd_kafka_resp_err_t error = rd_kafka_last_error();
      GiveUp(writer_);
      if (absl::Status status = Fail(error); !status.ok()) return status;
      return absl::UnavailableError(absl::StrCat("topic \"", topic_, "\": ", rd_kafka_err2str(error)));
    }
    sent_ = value;
    ++outstanding_;
  }
  while (outstanding_ > 0) {
    if (patience.ended()) return Away(patience);
    if (absl::Status status = Serve(*writer_, kSliceMs); !status.ok()) {
      GiveUp(writer_);
      return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace postrider::kafka
