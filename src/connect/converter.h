// key.converter, value.converter and header.converter: a Connect value becomes the bytes of a record.
//
//   Converter converter(config.converters.value);
//   absl::Status status = converter.Accepts(schema);            // once, when a plan is made
//   std::optional<std::string_view> bytes = converter.Convert(&schema, value, buffer);
//
// Source: Kafka 4.3's StringConverter, JsonConverter, ByteArrayConverter, NumberConverter, BooleanConverter and
// SimpleHeaderConverter, Debezium's BinaryDataConverter. Immutable: read from any thread. Tested by
// tests/unit/connect/converter_test.cc.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "config/config.h"
#include "connect/arena.h"
#include "connect/buffer.h"
#include "connect/json_converter.h"
#include "connect/schema.h"

namespace postrider::connect {

class Converter {
 public:
  explicit Converter(const config::Converter& config);

  // InvalidArgument where Connect's converter throws on each value of this schema: the sentence's rest, after "<key> ".
  absl::Status Accepts(const Schema& schema) const;

  // nullopt: null on the wire. The result is a view of `value` or of `buffer`, which is overwritten. `schema` was
  // accepted; nullptr stands for Connect's "no schema", which only nulls and strings come with.
  std::optional<std::string_view> Convert(const Schema* schema, const Value& value, Buffer& buffer) const;

  // True for toString() of whatever comes: StringConverter.
  bool writes_java_strings() const {
    return config_.kind == config::ConverterKind::kString || (delegate_ != nullptr && delegate_->writes_java_strings());
  }
  bool writes_json_schemas() const { return config_.kind == config::ConverterKind::kJson && config_.schemas_enable; }
  const JsonOptions& json_options() const { return json_options_; }

 private:
  bool IsOwn(const Value& value) const;
  std::optional<std::string_view> Json(const Schema* schema, const Value& value, Buffer& buffer) const;

  config::Converter config_;
  JsonOptions json_options_;
  std::unique_ptr<Converter> delegate_;  // Debezium's two binary converters have one
};

// A converter bound to one schema: what does not change from value to value is written once. Owns the buffer that its
// results may view; they live until the next call. One thread at a time. The converter and the schema outlive it.
class BoundConverter {
 public:
  BoundConverter(const Converter* converter, const Schema* schema);

  std::optional<std::string_view> Convert(const Value& value);

 private:
  const Converter* converter_;
  const Schema* schema_;
  std::string json_start_;  // {"schema":...,"payload":
  Buffer buffer_;
};

}  // namespace postrider::connect
