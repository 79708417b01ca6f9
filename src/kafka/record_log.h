// One key of a compacted topic: its newest value, and a newer one. For the evidence record (topic_place.h).
//
// All of it is in partition 0, so a topic of any shape serves. A missing topic is made with one partition and
// cleanup.policy=compact, in segments so small that compaction gets at them soon. The consumer reads without a group,
// from the beginning to the end that the broker tells, and stays there: what others write in the meantime is read with
// the next question.
//
// Rights: READ, WRITE and DESCRIBE on the topic, CREATE where it is missing; DESCRIBE_CONFIGS, where granted, lets a
// topic that would forget its records be refused. One thread at a time; every call blocks, until its Patience ends.
// Tested by tests/unit/kafka/record_log_test.cc (mock cluster) and tests/e2e/test_evidence.py.
#pragma once

#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "config/config.h"
#include "kafka/client.h"
#include "kafka/patience.h"
#include "kafka/reaper.h"

namespace postrider::kafka {

class RecordLog {
 public:
  RecordLog(config::Producer config, std::string topic, std::string key)
      : config_(std::move(config)), topic_(std::move(topic)), key_(std::move(key)) {}
  ~RecordLog();
  RecordLog(const RecordLog&) = delete;
  RecordLog& operator=(const RecordLog&) = delete;

  // Makes the clients; they connect in the background. A fault kConfiguration where a property is refused.
  absl::Status Open();

  // The key's newest value; nullopt where there is none, or where it was deleted. Unavailable: passes. InvalidArgument:
  // a right is missing, or the topic would not keep the value.
  absl::StatusOr<std::optional<std::string>> Newest(const Patience& patience);

  // Returns when the broker has acknowledged it. Errors as Newest(). After Unavailable it may be written later; with
  // the same value the next call goes on waiting for that.
  absl::Status Append(const std::string& value, const Patience& patience);

 private:
  absl::Status Prepare(const Patience& patience);
  absl::Status Create(const Patience& patience);
  absl::Status CheckPolicy(const Patience& patience);
  absl::StatusOr<int64_t> End(const Patience& patience);
  absl::Status ReadTo(int64_t end, const Patience& patience);
  absl::Status Take(const rd_kafka_message_t& message);
  absl::Status TakeReports(rd_kafka_event_t* event);
  absl::Status Fail(rd_kafka_resp_err_t error);
  absl::Status Away(const Patience& patience);
  absl::Status Serve(Client& client, int timeout_ms);
  void GiveUp(std::unique_ptr<Client>& client);

  const config::Producer config_;
  const std::string topic_, key_;
  std::unique_ptr<Client> reader_, writer_;
  rd_kafka_topic_t* read_ = nullptr;     // the reader's
  rd_kafka_topic_t* written_ = nullptr;  // the writer's
  bool prepared_ = false;                // the topic is there, and keeps what it is given
  bool consuming_ = false;
  int64_t next_ = 0;  // offset to read
  std::optional<std::string> newest_;
  std::string sent_;        // the last value that was handed over
  size_t outstanding_ = 0;  // values without a report
  bool refused_ = false;    // login or TLS: secrets are to be read again
  std::string last_failure_;
  Reaper reaper_;
};

}  // namespace postrider::kafka
