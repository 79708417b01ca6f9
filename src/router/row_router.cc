#include "router/row_router.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/text.h"
#include "connect/binary_text.h"
#include "router/event_time.h"

namespace postrider::router {
namespace {

// String.trim(): all up to U+0020 goes.
bool IsBlank(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) <= ' '; });
}

bool IsEmptyPayload(const connect::Value& payload) {
  return payload.is_null() || (payload.kind == connect::Value::Kind::kString && IsBlank(payload.text));
}

std::string Named(const Plan& plan, const Slot& slot) {
  return absl::StrCat("column \"", slot.column, "\" of ", plan.table);
}

absl::Status Inexpressible(const Plan& plan, const Slot& slot) {
  return absl::FailedPreconditionError(absl::StrCat(
      Named(plan, slot), " is NOT NULL and holds a value that its Connect type cannot express, such as NaN or a time ",
      "out of range: set decimal.handling.mode=string, or time.precision.mode=microseconds"));
}

}  // namespace

RowRouter::RowRouter(const config::Router& options, const Converters& converters, TopicRoute topics, Chain chain)
    : options_(options),
      converters_(converters),
      topics_(std::move(topics)),
      chain_(std::move(chain)),
      expansion_(options.event_payload, options.expand_null_as_optional_bytes) {}

absl::StatusOr<Routed> RowRouter::Route(Plan& plan, const decoder::Tuple& row, int64_t now_ms) {
  if (row.size() != plan.column_count) {
    return absl::InvalidArgumentError(
        absl::StrCat("a row of ", plan.table, " has ", row.size(), " columns, its relation ", plan.column_count));
  }
  row.CopyTo(values_);
  arena_.Reset();
  Routed routed{.kind = Routed::Kind::kRecord};
  const absl::Status status = RouteRow(plan, now_ms, routed);
  if (status.ok()) return routed;
  if (!absl::IsFailedPrecondition(status)) return status;
  reason_ = std::string(MessageOf(status));
  routed.kind = Routed::Kind::kHeld;
  routed.reason = reason_;
  return routed;
}

absl::Status RowRouter::RouteRow(Plan& plan, int64_t now_ms, Routed& routed) {
  Record& record = routed.record;
  std::optional<std::string_view> text;
  absl::Status status = ReadText(plan, plan.id, text);
  if (!status.ok()) return status;
  record.id = text.value_or("");

  // A time or partition that no record can have is the producer's to refuse: a Filter may drop the record before.
  absl::Status late = SetTime(plan, now_ms, record);
  if (!late.ok() && !absl::IsFailedPrecondition(late)) return late;
  if (status = SetHeaders(plan, record); !status.ok()) return status;

  connect::Value route;
  if (status = Read(plan, plan.route, route); !status.ok()) return status;
  if (route.is_null()) {
    return absl::FailedPreconditionError(absl::StrCat(Named(plan, plan.route), " is null, so the event has no topic"));
  }
  if (status = SetValue(plan, route.text, routed); !status.ok()) return status;
  if (status = SetPartition(plan, record); !status.ok()) {
    if (!absl::IsFailedPrecondition(status)) return status;
    late = status;
  }

  connect::Value key;
  if (status = ReadOrDefault(plan, plan.key, key); !status.ok()) return status;
  record.key = plan.key_converter->Convert(key);
  status = SetTopic(route.text, routed);
  return status.ok() && routed.kind == Routed::Kind::kRecord ? late : status;
}

absl::Status RowRouter::Read(const Plan& plan, const Slot& slot, connect::Value& value) {
  const decoder::Value& raw = values_[slot.index];
  const connect::Schema& schema = *slot.type.schema;
  if (raw.kind == decoder::ValueKind::kUnchanged) {
    return absl::InvalidArgumentError(absl::StrCat(Named(plan, slot), " came without its value in an insert"));
  }
  value = connect::Value{};
  if (raw.kind != decoder::ValueKind::kNull) {
    switch (connect::Decode(slot.type, raw.bytes, raw.kind == decoder::ValueKind::kBinary, arena_, value)) {
      case connect::Decoded::kDone:
        break;
      case connect::Decoded::kMalformed:
        return absl::InvalidArgumentError(
            absl::StrCat(Named(plan, slot), " holds what is no value of its type in the form that was asked for"));
      case connect::Decoded::kUnconvertible:
        return schema.optional || schema.default_value != nullptr ? absl::OkStatus() : Inexpressible(plan, slot);
    }
  }
  if (value.is_null() && !schema.optional) value = connect::InsteadOfNull(slot.type, arena_);
  return absl::OkStatus();
}

absl::Status RowRouter::ReadOrDefault(const Plan& plan, const Slot& slot, connect::Value& value) {
  absl::Status status = Read(plan, slot, value);
  if (status.ok()) value = connect::OrDefault(*slot.type.schema, value);
  return status;
}

absl::Status RowRouter::ReadText(const Plan& plan, const Slot& slot, std::optional<std::string_view>& text) {
  const decoder::Value& raw = values_[slot.index];
  text.reset();
  if (raw.kind == decoder::ValueKind::kText) text = raw.bytes;
  if (raw.kind != decoder::ValueKind::kBinary) return absl::OkStatus();
  text = connect::BinaryToText(slot.type.oid, slot.type.kind, raw.bytes, arena_);
  if (text) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(Named(plan, slot), " came in a binary form that is not known"));
}

absl::Status RowRouter::SetTime(const Plan& plan, int64_t now_ms, Record& record) {
  constexpr int64_t kNone = -1;  // Connect: the producer's clock
  record.timestamp_ms = now_ms;
  if (!plan.time) return absl::OkStatus();
  std::optional<std::string_view> text;
  absl::Status status = ReadText(plan, *plan.time, text);
  if (!status.ok() || !text) return status;
  const std::optional<int64_t> ms = EventTimeMs(plan.time->type.oid, *text);
  if (!ms) return absl::InvalidArgumentError(absl::StrCat(Named(plan, *plan.time), " holds what is no time"));
  if (*ms < 0 && *ms != kNone) {
    return absl::FailedPreconditionError(
        absl::StrCat(Named(plan, *plan.time), " is before 1970, which the timestamp of a record cannot be"));
  }
  if (*ms != kNone) record.timestamp_ms = *ms;
  return absl::OkStatus();
}

absl::Status RowRouter::SetHeaders(Plan& plan, Record& record) {
  headers_.clear();
  for (const OwnedHeader& header : plan.first_headers) headers_.push_back(ViewOf(header));
  absl::Status status = AddTrace(plan);
  if (!status.ok()) return status;
  for (HeaderSlot& header : plan.headers) {
    connect::Value value;
    if (status = ReadOrDefault(plan, header.slot, value); !status.ok()) return status;
    headers_.push_back({.key = header.key, .value = header.converter.Convert(value)});
  }
  record.headers = headers_;
  return absl::OkStatus();
}

absl::Status RowRouter::AddTrace(const Plan& plan) {
  if (!plan.trace) return absl::OkStatus();
  connect::Value value;
  absl::Status status = Read(plan, *plan.trace, value);
  if (!status.ok() || value.is_null()) return status;
  static constexpr connect::Schema kText{.type = connect::Type::kString};
  if (!converters_.header.Accepts(kText).ok()) return status;
  for (const auto& [key, text] : TraceOf(value.text)) {
    connect::Buffer buffer;
    const std::optional<std::string_view> bytes =
        converters_.header.Convert(&kText, connect::Value::String(text), buffer);
    headers_.push_back({.key = arena_.Copy(key), .value = bytes ? std::optional(arena_.Copy(*bytes)) : std::nullopt});
  }
  return status;
}

absl::Status RowRouter::SetValue(Plan& plan, std::string_view route, Routed& routed) {
  connect::Expanded payload{.schema = plan.payload.type.schema};
  absl::Status status = ReadOrDefault(plan, plan.payload, payload.value);
  if (!status.ok()) return status;
  value_is_null_ = IsEmptyPayload(payload.value) && options_.tombstone_on_empty_payload;
  if (value_is_null_) {
    routed.record.value.reset();
    return status;
  }
  bool expanded = false;
  if (plan.expand && !payload.value.is_null()) {
    if (std::optional<connect::Expanded> result = expansion_.Expand(payload.value.text, arena_)) {
      // Debezium keeps an array's text beside the array's schema: JsonConverter stops on it, StringConverter sends it.
      const bool stays_text = result->value.kind == connect::Value::Kind::kList && !plan.envelope &&
                              converters_.value.writes_java_strings();
      expanded = !stays_text && (result->schema != nullptr || !plan.envelope);
      if (expanded) payload = *result;
    }
    routed.expansion_failed = !expanded || payload.schema == nullptr;
  }
  if (plan.envelope) {
    if (!expanded) payload.schema = plan.envelope_payload;
    return SetEnvelope(plan, route, payload, routed.record);
  }
  value_is_null_ = payload.value.is_null();
  routed.record.value = expanded ? converters_.value.Convert(payload.schema, payload.value, value_buffer_)
                                 : plan.payload_converter->Convert(payload.value);
  return status;
}

absl::Status RowRouter::SetEnvelope(Plan& plan, std::string_view route, const connect::Expanded& payload,
                                    Record& record) {
  plan.envelope_fields.front().schema = payload.schema;
  std::span<connect::Value> items = arena_.NewSpan<connect::Value>(plan.envelope_fields.size());
  items[0] = payload.value;
  for (size_t i = 0; i < plan.envelope_slots.size(); ++i) {
    absl::Status status = ReadOrDefault(plan, plan.envelope_slots[i], items[i + 1]);
    if (!status.ok()) return status;
  }
  name_buffer_.Restart();
  name_buffer_.append(plan.envelope_name_start).append(route).append(plan.envelope_name_end);
  connect::Schema schema{.type = connect::Type::kStruct, .name = name_buffer_.view(), .fields = plan.envelope_fields};
  if (plan.version) {
    connect::Value version;
    absl::Status status = Read(plan, *plan.version, version);
    if (!status.ok()) return status;
    if (!version.is_null()) schema.version = static_cast<int32_t>(version.integer);
  }
  record.value = converters_.value.Convert(&schema, connect::Value::Struct(items), value_buffer_);
  return absl::OkStatus();
}

absl::Status RowRouter::SetPartition(const Plan& plan, Record& record) {
  if (!plan.partition) return absl::OkStatus();
  connect::Value value;
  absl::Status status = Read(plan, *plan.partition, value);
  if (!status.ok() || value.is_null()) return status;
  if (value.integer < 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(Named(plan, *plan.partition), " is negative, which no partition's number can be"));
  }
  record.partition = static_cast<int32_t>(value.integer);
  return status;
}

absl::Status RowRouter::SetTopic(std::string_view route, Routed& routed) {
  const TopicRoute::Target& target = topics_.Resolve(route);
  Record& record = routed.record;
  record.topic = target.topic;
  if (chain_.empty()) {
    return target.refusal.empty() ? absl::OkStatus() : absl::FailedPreconditionError(target.refusal);
  }
  if (!target.failure.empty()) return absl::FailedPreconditionError(target.failure);
  const absl::StatusOr<bool> kept = chain_.Apply(record, value_is_null_);
  if (!kept.ok()) return kept.status();
  if (!*kept) {
    routed.kind = Routed::Kind::kIgnored;
  } else if (!IsTopicName(record.topic)) {
    return absl::FailedPreconditionError(TopicRefusal(record.topic));
  }
  return absl::OkStatus();
}

}  // namespace postrider::router
