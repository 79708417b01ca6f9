#include "router/predicate.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/fault.h"
#include "base/text.h"

namespace postrider::router {

using Kind = config::Predicate::Kind;

Predicate::Predicate(const config::Predicate& config, std::string user, std::optional<JavaRegex> pattern)
    : config_(config), user_(std::move(user)), pattern_(std::move(pattern)) {}

absl::StatusOr<Predicate> Predicate::Make(const config::Predicate& config, std::string user) {
  if (config.kind != Kind::kTopicNameMatches) return Predicate(config, std::move(user), std::nullopt);
  absl::StatusOr<JavaRegex> compiled = JavaRegex::Compile(config.pattern);
  if (!compiled.ok()) {
    return MakeFault(Fault::kConfiguration,
                     absl::StrCat("the pattern of ", user, " is wrong: ", compiled.status().message()));
  }
  return Predicate(config, std::move(user), *std::move(compiled));
}

absl::StatusOr<bool> Predicate::Test(const Record& record, bool value_is_null) {
  absl::StatusOr<bool> matches = Matches(record, value_is_null);
  if (!matches.ok()) {
    return absl::FailedPreconditionError(absl::StrCat("the pattern of ", user_, ": ", matches.status().message()));
  }
  return *matches != config_.negate;
}

absl::StatusOr<bool> Predicate::Matches(const Record& record, bool value_is_null) {
  switch (config_.kind) {
    case Kind::kTopicNameMatches:
      return matches_.Get(record.topic, [this](std::string_view topic) { return pattern_->Matches(topic); });
    case Kind::kHasHeaderKey:
      return std::any_of(record.headers.begin(), record.headers.end(),
                         [this](const Header& header) { return header.key == config_.header; });
    case Kind::kRecordIsTombstone:
      return value_is_null;
  }
  POSTRIDER_CHECK(false);
  return false;
}

}  // namespace postrider::router
