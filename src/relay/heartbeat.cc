#include "relay/heartbeat.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/log.h"
#include "base/text.h"
#include "connect/schema.h"

namespace postrider::relay {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
constexpr int64_t kRetryUs = 100'000;  // a record that has to wait

// SchemaFactory.heartbeatKeySchema and heartbeatValueSchema.
constexpr connect::Schema kText{.type = connect::Type::kString};
constexpr connect::Schema kLong{.type = connect::Type::kInt64};
constexpr connect::Field kKeyFields[] = {{.name = "serverName", .schema = &kText}};
constexpr connect::Field kValueFields[] = {{.name = "ts_ms", .schema = &kLong}};
constexpr connect::Schema kKey{.type = connect::Type::kStruct,
                               .version = 1,
                               .name = "io.debezium.connector.common.ServerNameKey",
                               .fields = kKeyFields};
constexpr connect::Schema kValue{.type = connect::Type::kStruct,
                                 .version = 1,
                                 .name = "io.debezium.connector.common.Heartbeat",
                                 .fields = kValueFields};

router::Bypass MakeBypass(const config::Config& config) {
  absl::StatusOr<router::Bypass> made = router::Bypass::Make(config);
  POSTRIDER_CHECK(made.ok());  // the Router was made of the same settings
  return *std::move(made);
}

}  // namespace

Heartbeat::Heartbeat(const config::Config& config, const Clock* clock, postgres::Connector* connector,
                     Publisher* publisher)
    : config_(config.heartbeat),
      server_name_(config.topic_prefix),
      slot_(config.slot.name),
      clock_(clock),
      connector_(connector),
      publisher_(publisher),
      key_converter_(config.converters.key),
      value_converter_(config.converters.value),
      key_(&key_converter_, &kKey),
      value_(&value_converter_, &kValue),
      bypass_(MakeBypass(config)) {}

void Heartbeat::Start(int64_t now_us) {
  next_us_ = now_us + config_.interval_ms * 1000;
  if (config_.interval_ms > 0) CheckConverters();
}

void Heartbeat::CheckConverters() {
  for (const auto& [name, status] : {std::pair("key.converter", key_converter_.Accepts(kKey)),
                                     std::pair("value.converter", value_converter_.Accepts(kValue))}) {
    if (!status.ok()) LeaveOut(absl::StrCat(name, " ", status.message()));
  }
}

void Heartbeat::LeaveOut(std::string_view why) {
  writable_ = false;
  LogWarning("heartbeat_left_out", {{"topic", config_.topic}},
             absl::StrCat("heartbeat records are not written: ", View(why)));
}

void Heartbeat::Step(int64_t now_us, bool streaming) {
  if (config_.interval_ms == 0) return;
  streaming_ = streaming;
  if (std::optional<absl::Status> done = connector_->TakeAction()) {
    action_runs_ = false;
    if (!done->ok()) LogWarning("heartbeat_action_failed", {{"slot", slot_}}, MessageOf(*done));
  }
  if (!streaming) return;
  if (now_us >= next_us_) {
    next_us_ = now_us + config_.interval_ms * 1000;
    record_due_ = writable_;
    StartAction();
  }
  if (record_due_) OfferRecord(now_us);
}

void Heartbeat::StartAction() {
  if (config_.action_query.empty()) return;
  if (action_runs_) {
    LogWarning("heartbeat_action_slow", {{"slot", slot_}},
               "heartbeat.action.query takes longer than heartbeat.interval.ms: it is not started again meanwhile");
    return;
  }
  connector_->StartAction();
  action_runs_ = true;
}

void Heartbeat::OfferRecord(int64_t now_us) {
  const int64_t now_ms = clock_->UnixMillis();
  const connect::Value name = connect::Value::String(server_name_);
  const connect::Value time = connect::Value::Integer(now_ms);
  Record record{.topic = config_.topic,
                .key = key_.Convert(connect::Value::Struct({&name, 1})),
                .value = value_.Convert(connect::Value::Struct({&time, 1})),
                .timestamp_ms = now_ms,
                .partition = 0};
  const absl::StatusOr<bool> kept = bypass_.Apply(record, /*value_is_null=*/false);
  if (!kept.ok()) LeaveOut(MessageOf(kept.status()));
  record_due_ = kept.ok() && *kept && publisher_->OfferBeside(record, now_us) == Publisher::Offered::kBlocked;
}

int64_t Heartbeat::next_deadline_us(int64_t now_us) const {
  if (config_.interval_ms == 0 || !streaming_) return kNever;
  return record_due_ ? std::min(next_us_, now_us + kRetryUs) : next_us_;
}

}  // namespace postrider::relay
