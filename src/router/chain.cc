#include "router/chain.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/fault.h"
#include "base/text.h"
#include "connect/literal.h"

namespace postrider::router {
namespace {

using Kind = config::Transform::Kind;

std::string Key(const config::Transform& transform, const char* option) {
  return absl::StrCat("transforms.", transform.alias, ".", option);
}

absl::StatusOr<OwnedHeader> MakeHeader(const config::Transform& transform, const connect::Converter& converter) {
  const auto wrong = [&transform](std::string_view why) {
    return MakeFault(Fault::kConfiguration, absl::StrCat(transform.literal_origin, " is wrong: ", View(why)));
  };
  connect::Arena arena;
  const absl::StatusOr<connect::Literal> literal = connect::ParseLiteral(transform.literal, arena);
  if (!literal.ok()) return wrong(MessageOf(literal.status()));
  if (literal->schema != nullptr) {
    const absl::Status accepted = converter.Accepts(*literal->schema);
    if (!accepted.ok()) return wrong(absl::StrCat("header.converter ", accepted.message(), ", and this is none"));
  }
  connect::Buffer buffer;
  const std::optional<std::string_view> bytes = converter.Convert(literal->schema, literal->value, buffer);
  return OwnedHeader{.key = transform.header, .value = bytes ? std::optional<std::string>(*bytes) : std::nullopt};
}

}  // namespace

absl::StatusOr<Chain> Chain::Make(const std::vector<config::Transform>& transforms,
                                  const connect::Converter& header_converter) {
  Chain chain;
  for (const config::Transform& transform : transforms) {
    absl::StatusOr<Step> step = MakeStep(transform, header_converter);
    if (!step.ok()) return step.status();
    chain.steps_.push_back(*std::move(step));
  }
  return chain;
}

absl::StatusOr<Chain::Step> Chain::MakeStep(const config::Transform& transform,
                                            const connect::Converter& header_converter) {
  Step step{.kind = transform.kind};
  if (transform.predicate) {
    absl::StatusOr<Predicate> predicate = Predicate::Make(*transform.predicate, Key(transform, "predicate"));
    if (!predicate.ok()) return predicate.status();
    step.predicate = *std::move(predicate);
  }
  if (transform.kind == Kind::kRegexRouter) {
    absl::StatusOr<TopicRoute> route = TopicRoute::Make(Key(transform, "regex"), transform.regex,
                                                        Key(transform, "replacement"), transform.replacement);
    if (!route.ok()) return route.status();
    step.route = *std::move(route);
  }
  if (transform.kind == Kind::kInsertHeader) {
    absl::StatusOr<OwnedHeader> header = MakeHeader(transform, header_converter);
    if (!header.ok()) return header.status();
    step.header = *std::move(header);
  }
  step.dropped = transform.headers;
  return step;
}

absl::StatusOr<bool> Chain::Apply(Record& record, bool value_is_null) {
  for (Step& step : steps_) {
    if (step.predicate) {
      const absl::StatusOr<bool> acts = step.predicate->Test(record, value_is_null);
      if (!acts.ok()) return acts.status();
      if (!*acts) continue;
    }
    if (step.kind == Kind::kFilter) return false;
    const absl::Status status = Change(step, record);
    if (!status.ok()) return status;
  }
  return true;
}

absl::Status Chain::Change(Step& step, Record& record) {
  switch (step.kind) {
    case Kind::kRegexRouter: {
      const TopicRoute::Target& target = step.route->Resolve(record.topic);
      if (!target.failure.empty()) return absl::FailedPreconditionError(target.failure);
      record.topic = target.topic;
      break;
    }
    case Kind::kInsertHeader:
      OwnHeaders(record);
      headers_.push_back(ViewOf(step.header));
      record.headers = headers_;
      break;
    case Kind::kDropHeaders:
      OwnHeaders(record);
      std::erase_if(headers_, [&step](const Header& header) {
        return std::find(step.dropped.begin(), step.dropped.end(), header.key) != step.dropped.end();
      });
      record.headers = headers_;
      break;
    case Kind::kFilter:
      break;
  }
  return absl::OkStatus();
}

void Chain::OwnHeaders(Record& record) {
  if (record.headers.data() != headers_.data()) headers_.assign(record.headers.begin(), record.headers.end());
}

}  // namespace postrider::router
