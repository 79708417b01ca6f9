#include "relay/dead_letter.h"

#include "absl/strings/str_cat.h"

namespace postrider::relay {
namespace {

// The class that Kafka Connect would have reported.
std::string_view JavaException(std::string_view code) {
  if (code == "record_too_large") return "org.apache.kafka.common.errors.RecordTooLargeException";
  if (code == "invalid_topic") return "org.apache.kafka.common.errors.InvalidTopicException";
  if (code == "invalid_timestamp") return "org.apache.kafka.common.errors.InvalidTimestampException";
  if (code == "unroutable") return "org.apache.kafka.connect.errors.DataException";
  return "org.apache.kafka.connect.errors.ConnectException";
}

}  // namespace

const Record& DeadLetter::Make(const Record& record, Tracker::RowPlace place, const ParkedEvent& event,
                               const config::Poison& policy, bool with_value) {
  attempts_ = absl::StrCat(event.attempts);
  lsn_ = place.commit_lsn.ToString();
  row_ = absl::StrCat(place.ordinal);
  headers_.assign(record.headers.begin(), record.headers.end());
  const bool routed = !record.topic.empty();
  if (policy.context_headers) {
    if (routed) headers_.push_back({"__connect.errors.topic", record.topic});
    if (record.partition) {
      partition_ = absl::StrCat(*record.partition);
      headers_.push_back({"__connect.errors.partition", partition_});
    }
    headers_.insert(headers_.end(), {{"__connect.errors.connector.name", connector_},
                                     {"__connect.errors.task.id", "0"},
                                     {"__connect.errors.stage", routed ? "KAFKA_PRODUCE" : "TRANSFORMATION"},
                                     {"__connect.errors.exception.class.name", JavaException(event.code)},
                                     {"__connect.errors.exception.message", event.reason}});
  }
  headers_.insert(headers_.end(), {{"postrider.parked.id", record.id},
                                   {"postrider.parked.code", event.code},
                                   {"postrider.parked.reason", event.reason},
                                   {"postrider.parked.attempts", attempts_},
                                   {"postrider.parked.topic", record.topic},
                                   {"postrider.parked.table", event.table},
                                   {"postrider.parked.lsn", lsn_},
                                   {"postrider.parked.row", row_}});
  if (!with_value) headers_.push_back({"postrider.parked.value", "left-out"});
  letter_ = record;
  letter_.topic = policy.dead_letter_topic;
  letter_.partition.reset();
  letter_.headers = headers_;
  if (!with_value) letter_.value.reset();
  return letter_;
}

}  // namespace postrider::relay
