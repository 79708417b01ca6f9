// The transforms on one side of the EventRouter, in their order: Kafka's RegexRouter, InsertHeader, DropHeaders and
// Filter, each with or without a predicate.
//
//   absl::StatusOr<Chain> chain = Chain::Make(config.router.behind, header_converter);
//   absl::StatusOr<bool> kept = chain->Apply(record, value_is_null);
//
// A Filter sees what stands before it in the list, as in Connect. Headers are converted already; what an InsertHeader
// adds was converted once, when the chain was made. Key, value, partition and timestamp stay as they are.
// Source: Kafka 4.3, org.apache.kafka.connect.transforms and PredicatedTransformation. One thread at a time. Tested by
// tests/unit/router/chain_test.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/record.h"
#include "config/config.h"
#include "connect/converter.h"
#include "router/context.h"
#include "router/predicate.h"
#include "router/topic.h"

namespace postrider::router {

class Chain {
 public:
  Chain() = default;

  // A fault kConfiguration that names the key: an expression, or a value.literal that cannot be read or converted.
  static absl::StatusOr<Chain> Make(const std::vector<config::Transform>& transforms,
                                    const connect::Converter& header_converter);

  bool empty() const { return steps_.empty(); }

  // False: a Filter drops the record. Otherwise its topic and headers are the last transform's; their views live until
  // the next call, and as long as those that came in. `value_is_null` is of the Connect value, before its converter.
  // The topic's name is not checked: see IsTopicName. FailedPrecondition: an expression needs too many steps.
  absl::StatusOr<bool> Apply(Record& record, bool value_is_null);

 private:
  struct Step {
    config::Transform::Kind kind = config::Transform::Kind::kFilter;
    std::optional<Predicate> predicate;
    std::optional<TopicRoute> route;   // kRegexRouter
    OwnedHeader header;                // kInsertHeader
    std::vector<std::string> dropped;  // kDropHeaders
  };
  static absl::StatusOr<Step> MakeStep(const config::Transform& transform, const connect::Converter& header_converter);
  absl::Status Change(Step& step, Record& record);
  void OwnHeaders(Record& record);

  std::vector<Step> steps_;
  std::vector<Header> headers_;  // of the current record, once a step changed them
};

}  // namespace postrider::router
