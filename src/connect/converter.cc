#include "connect/converter.h"

#include <bit>

#include "connect/java_string.h"

namespace postrider::connect {
namespace {

using config::ConverterKind;

// Schema type of the values that a converter for one Java class takes; nullopt for the others.
std::optional<Type> OnlyType(ConverterKind kind) {
  switch (kind) {
    case ConverterKind::kByteArray:
      return Type::kBytes;
    case ConverterKind::kBoolean:
      return Type::kBoolean;
    case ConverterKind::kShort:
      return Type::kInt16;
    case ConverterKind::kInteger:
      return Type::kInt32;
    case ConverterKind::kLong:
      return Type::kInt64;
    case ConverterKind::kFloat:
      return Type::kFloat32;
    case ConverterKind::kDouble:
      return Type::kFloat64;
    default:
      return std::nullopt;
  }
}

const char* ColumnsOf(ConverterKind kind) {
  switch (kind) {
    case ConverterKind::kBoolean:
      return "boolean";
    case ConverterKind::kShort:
      return "smallint";
    case ConverterKind::kInteger:
      return "integer";
    case ConverterKind::kLong:
      return "bigint";
    case ConverterKind::kFloat:
      return "real";
    case ConverterKind::kDouble:
      return "double precision";
    default:
      return "bytea";
  }
}

absl::Status Refusal(ConverterKind kind) {
  return absl::InvalidArgumentError(std::string("takes ") + ColumnsOf(kind) + " columns only");
}

std::string_view BigEndian(uint64_t number, size_t size, Buffer& buffer) {
  buffer.Restart();
  for (size_t i = size; i-- > 0;) buffer.push_back(static_cast<char>(number >> 8 * i & 0xff));
  return buffer.view();
}

}  // namespace

Converter::Converter(const config::Converter& config)
    : config_(config),
      json_options_{.decimal_numeric = config.decimal_numeric,
                    .replace_null_with_default = config.replace_null_with_default} {
  if (config.delegate) {
    delegate_ = std::make_unique<Converter>(
        config::Converter{.kind = *config.delegate, .schemas_enable = config.delegate_schemas_enable});
  }
}

absl::Status Converter::Accepts(const Schema& schema) const {
  const bool plain = schema.logical == Logical::kNone;  // a logical type comes as another Java class
  if (const std::optional<Type> only = OnlyType(config_.kind)) {
    return schema.type == *only && plain ? absl::OkStatus() : Refusal(config_.kind);
  }
  const bool binary = config_.kind == ConverterKind::kBinaryData || config_.kind == ConverterKind::kOnlyByteArray;
  if (!binary || (schema.type == Type::kBytes && plain)) return absl::OkStatus();
  if (delegate_ != nullptr) return delegate_->Accepts(schema);
  return absl::InvalidArgumentError(
      "takes bytea columns only, unless delegate.converter.type names a converter for the others");
}

// A value that is written as it is, whatever the delegate.
bool Converter::IsOwn(const Value& value) const {
  return value.kind == Value::Kind::kByteArray ||
         (value.kind == Value::Kind::kBytes && config_.kind == ConverterKind::kBinaryData);
}

std::optional<std::string_view> Converter::Convert(const Schema* schema, const Value& value, Buffer& buffer) const {
  if (config_.kind == ConverterKind::kJson) return Json(schema, value, buffer);
  if (delegate_ != nullptr) {
    const bool bytes = schema == nullptr || schema->type == Type::kBytes;
    if (!bytes || !(value.is_null() || IsOwn(value))) return delegate_->Convert(schema, value, buffer);
  }
  if (value.is_null()) return std::nullopt;
  switch (config_.kind) {
    case ConverterKind::kByteArray:
    case ConverterKind::kBinaryData:
    case ConverterKind::kOnlyByteArray:  // without a delegate Debezium fails on a ByteBuffer
      return value.text;
    case ConverterKind::kBoolean:
      return BigEndian(static_cast<uint64_t>(value.integer), 1, buffer);
    case ConverterKind::kShort:
      return BigEndian(static_cast<uint64_t>(value.integer), 2, buffer);
    case ConverterKind::kInteger:
      return BigEndian(static_cast<uint64_t>(value.integer), 4, buffer);
    case ConverterKind::kLong:
      return BigEndian(static_cast<uint64_t>(value.integer), 8, buffer);
    case ConverterKind::kFloat:
      return BigEndian(std::bit_cast<uint32_t>(static_cast<float>(value.real)), 4, buffer);
    case ConverterKind::kDouble:
      return BigEndian(std::bit_cast<uint64_t>(value.real), 8, buffer);
    default:
      break;
  }
  if (value.kind == Value::Kind::kString) return value.text;  // texts as they are
  buffer.Restart();
  if (config_.kind == ConverterKind::kSimpleHeader) {
    AppendHeaderText(*schema, value, buffer);
  } else {
    AppendJavaString(*schema, value, buffer);
  }
  return buffer.view();
}

std::optional<std::string_view> Converter::Json(const Schema* schema, const Value& value, Buffer& buffer) const {
  if (schema == nullptr && value.is_null()) return std::nullopt;
  buffer.Restart();
  if (config_.schemas_enable) {
    buffer.append("{\"schema\":");
    AppendJsonSchema(schema, json_options_, buffer);
    buffer.append(",\"payload\":");
  }
  AppendJsonValue(schema, value, json_options_, buffer);
  if (config_.schemas_enable) buffer.push_back('}');
  return buffer.view();
}

BoundConverter::BoundConverter(const Converter* converter, const Schema* schema)
    : converter_(converter), schema_(schema) {
  if (!converter->writes_json_schemas()) return;
  Buffer start;
  start.append("{\"schema\":");
  AppendJsonSchema(schema, converter->json_options(), start);
  start.append(",\"payload\":");
  json_start_ = start.view();
}

std::optional<std::string_view> BoundConverter::Convert(const Value& value) {
  if (json_start_.empty()) return converter_->Convert(schema_, value, buffer_);
  buffer_.Restart();
  buffer_.append(json_start_);
  AppendJsonValue(schema_, value, converter_->json_options(), buffer_);
  buffer_.push_back('}');
  return buffer_.view();
}

}  // namespace postrider::connect
