// How the files of the key table (keys_*.cc) write their rows. Only they include it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "config/keys.h"

namespace postrider::config {

// One row, written as a chain: Flag("slot.failover", "false", "...").
class Row {
 public:
  Row(ValueType type, std::string_view name, std::string_view fallback, std::string_view note) {
    spec_.type = type;
    spec_.name = name;
    spec_.fallback = fallback;
    spec_.note = note;
  }
  Row&& Range(int64_t min, int64_t max) && {
    spec_.min = min;
    spec_.max = max;
    return std::move(*this);
  }
  Row&& Choices(std::initializer_list<std::string_view> choices) && {
    spec_.choices.assign(choices.begin(), choices.end());
    return std::move(*this);
  }
  // A value that Debezium takes and we do not.
  Row&& Not(std::string_view value, std::string_view reason) && {
    spec_.not_choices.emplace_back(value, reason);
    return std::move(*this);
  }
  Row&& Secret() && {
    spec_.secret = true;
    return std::move(*this);
  }
  // Accepted without effect, with a warning where the value is not the fallback.
  Row&& Loud() && {
    spec_.outcome = KeyOutcome::kMeaningless;
    spec_.loud = true;
    return std::move(*this);
  }
  Row&& Meaningless() && {
    spec_.outcome = KeyOutcome::kMeaningless;
    return std::move(*this);
  }
  Row&& Refused() && {
    spec_.outcome = KeyOutcome::kRefused;
    return std::move(*this);
  }
  Row&& To(std::string_view librdkafka, int64_t min = 0, int64_t max = 0) && {
    spec_.librdkafka = librdkafka;
    spec_.librdkafka_min = min;
    spec_.librdkafka_max = max;
    return std::move(*this);
  }
  KeySpec spec() && { return std::move(spec_); }

 private:
  KeySpec spec_;
};

inline Row Text(std::string_view name, std::string_view fallback, std::string_view note) {
  return {ValueType::kText, name, fallback, note};
}
inline Row Raw(std::string_view name, std::string_view fallback, std::string_view note) {
  return {ValueType::kRaw, name, fallback, note};
}
inline Row Flag(std::string_view name, std::string_view fallback, std::string_view note) {
  return {ValueType::kFlag, name, fallback, note};
}
inline Row Number(std::string_view name, int64_t min, int64_t max, std::string_view fallback, std::string_view note) {
  return Row(ValueType::kNumber, name, fallback, note).Range(min, max);
}
inline Row Choice(std::string_view name, std::initializer_list<std::string_view> choices, std::string_view fallback,
                  std::string_view note) {
  return Row(ValueType::kChoice, name, fallback, note).Choices(choices);
}
inline Row List(std::string_view name, std::string_view fallback, std::string_view note) {
  return {ValueType::kList, name, fallback, note};
}
inline Row Regex(std::string_view name, std::string_view fallback, std::string_view note) {
  return {ValueType::kRegex, name, fallback, note};
}
inline Row RegexList(std::string_view name, std::string_view note) {
  return {ValueType::kRegexList, name, "", note};
}

// Rows of one section and scope, appended to the table.
class TableWriter {
 public:
  TableWriter(std::vector<KeySpec>& table, Section section, Scope scope)
      : table_(table), section_(section), scope_(scope) {}

  TableWriter& Add(Row&& row) {
    KeySpec spec = std::move(row).spec();
    spec.section = section_;
    spec.scope = scope_;
    table_.push_back(std::move(spec));
    return *this;
  }
  // Keys that are accepted and change nothing, for one reason.
  TableWriter& Meaningless(std::string_view reason, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) Add(Text(name, "", reason).Meaningless());
    return *this;
  }
  // Keys that are refused wherever they have a value, for one reason.
  TableWriter& Refused(std::string_view reason, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) Add(Text(name, "", reason).Refused());
    return *this;
  }

 private:
  std::vector<KeySpec>& table_;
  Section section_;
  Scope scope_;
};

inline constexpr int64_t kIntMax = std::numeric_limits<int32_t>::max();
inline constexpr int64_t kLongMax = std::numeric_limits<int64_t>::max();

void AddConnectorKeys(std::vector<KeySpec>& table);  // keys_connector.cc
void AddRecordKeys(std::vector<KeySpec>& table);     // keys_record.cc
void AddConnectKeys(std::vector<KeySpec>& table);    // keys_connect.cc
void AddProducerKeys(std::vector<KeySpec>& table);   // keys_producer.cc
void AddOwnKeys(std::vector<KeySpec>& table);        // keys_own.cc

}  // namespace postrider::config
