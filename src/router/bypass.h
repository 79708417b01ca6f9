// The way around the EventRouter for records that are no rows, such as heartbeats: in Connect they pass all transforms,
// and the EventRouter leaves them as they are.
//
// Has state of its own, so that a record of the Router may be in hand meanwhile. One thread at a time. Tested by
// tests/unit/router/bypass_test.cc.
#pragma once

#include <utility>

#include "absl/status/statusor.h"
#include "base/record.h"
#include "config/config.h"
#include "router/chain.h"

namespace postrider::router {

class Bypass {
 public:
  // A fault kConfiguration, as Router::Make gives it.
  static absl::StatusOr<Bypass> Make(const config::Config& config);

  // False: a Filter drops the record. Otherwise its topic and headers are the last transform's; their views live until
  // the next call, and as long as those that came in. `value_is_null` is of the Connect value, before its converter.
  // FailedPrecondition, with the reason: an expression needs too many steps, or Kafka cannot have the topic.
  absl::StatusOr<bool> Apply(Record& record, bool value_is_null);

 private:
  Bypass(Chain before, Chain behind) : before_(std::move(before)), behind_(std::move(behind)) {}

  Chain before_, behind_;
};

}  // namespace postrider::router
