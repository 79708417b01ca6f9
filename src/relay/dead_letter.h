// An event as it is parked: the record, or what is known of the row, with the reason beside it in headers.
//
// Key, value, time and headers are the event's own. Behind them stand `postrider.parked.*` (id, code, reason, attempts,
// topic, table, lsn, row; and `value` = left-out where the dead-letter topic refused the value too), and, unless
// errors.deadletterqueue.context.headers.enable=false, Kafka Connect's `__connect.errors.*` as far as they have a
// meaning for a source (org.apache.kafka.connect.runtime.errors.DeadLetterQueueReporter).
//
// Belongs to the loop's thread. Tested by tests/unit/relay/parking_test.cc.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/record.h"
#include "config/config.h"
#include "relay/parked_log.h"
#include "relay/tracker.h"

namespace postrider::relay {

class DeadLetter {
 public:
  // `connector`: the configuration's name.
  explicit DeadLetter(std::string connector) : connector_(std::move(connector)) {}

  // Views live until the next call, and as long as those of `record`.
  const Record& Make(const Record& record, Tracker::RowPlace place, const ParkedEvent& event,
                     const config::Poison& policy, bool with_value);

 private:
  const std::string connector_;
  std::string attempts_, lsn_, row_, partition_;
  std::vector<Header> headers_;
  Record letter_;
};

}  // namespace postrider::relay
