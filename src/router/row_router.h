// Runs a plan over one row. Owns the buffers that the record views. Inside router/ only. Tested by
// tests/unit/router/router_test.cc.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "connect/expansion.h"
#include "router/chain.h"
#include "router/plan.h"
#include "router/router.h"
#include "router/topic.h"

namespace postrider::router {

class RowRouter {
 public:
  // `options` and `converters` outlive it. `chain`: the transforms behind the router.
  RowRouter(const config::Router& options, const Converters& converters, TopicRoute topics, Chain chain);

  // As Router::Insert. The record's views live until the next call, and as long as the plan and the row do.
  absl::StatusOr<Routed> Route(Plan& plan, const decoder::Tuple& row, int64_t now_ms);

 private:
  // Steps fill in `routed`. FailedPrecondition: the row is held, for this reason; InvalidArgument: a protocol break.
  absl::Status RouteRow(Plan& plan, int64_t now_ms, Routed& routed);
  absl::Status SetTime(const Plan& plan, int64_t now_ms, Record& record);
  absl::Status SetHeaders(Plan& plan, Record& record);
  absl::Status AddTrace(const Plan& plan);
  absl::Status SetValue(Plan& plan, std::string_view route, Routed& routed);
  absl::Status SetEnvelope(Plan& plan, std::string_view route, const connect::Expanded& payload, Record& record);
  absl::Status SetPartition(const Plan& plan, Record& record);
  absl::Status SetTopic(std::string_view route, Routed& routed);

  absl::Status Read(const Plan& plan, const Slot& slot, connect::Value& value);
  // A null gives way to the column's default.
  absl::Status ReadOrDefault(const Plan& plan, const Slot& slot, connect::Value& value);
  // The value as PostgreSQL's text; nullopt for null.
  absl::Status ReadText(const Plan& plan, const Slot& slot, std::optional<std::string_view>& text);

  const config::Router& options_;
  const Converters& converters_;
  TopicRoute topics_;
  Chain chain_;
  connect::Expansion expansion_;

  // Of the current row.
  std::vector<decoder::Value> values_;
  connect::Arena arena_;
  std::vector<Header> headers_;
  bool value_is_null_ = false;  // before its converter
  connect::Buffer value_buffer_, name_buffer_;
  std::string reason_;
};

}  // namespace postrider::router
