// Kafka's predicates TopicNameMatches, HasHeaderKey and RecordIsTombstone on a record, with `negate`.
//
// Source: Kafka 4.3, org.apache.kafka.connect.transforms.predicates. Inside router/ only. One thread at a time. Tested
// by tests/unit/router/predicate_test.cc.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "base/java_regex.h"
#include "base/record.h"
#include "config/config.h"
#include "router/memo.h"

namespace postrider::router {

class Predicate {
 public:
  // `user` is the key that names the predicate ("transforms.x.predicate"), for messages. A fault kConfiguration for a
  // pattern that is none.
  static absl::StatusOr<Predicate> Make(const config::Predicate& config, std::string user);

  // Whether the transform acts on the record. `value_is_null`: the Connect value, which a converter may yet write as
  // bytes. FailedPrecondition where the pattern needs too many steps.
  absl::StatusOr<bool> Test(const Record& record, bool value_is_null);

 private:
  Predicate(const config::Predicate& config, std::string user, std::optional<JavaRegex> pattern);
  absl::StatusOr<bool> Matches(const Record& record, bool value_is_null);

  config::Predicate config_;
  std::string user_;
  std::optional<JavaRegex> pattern_;
  Memo<absl::StatusOr<bool>> matches_;
};

}  // namespace postrider::router
