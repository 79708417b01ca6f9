#include "connect/json_converter.h"

#include <cmath>

#include "connect/java_number.h"
#include "connect/java_time.h"
#include "connect/json_text.h"

namespace postrider::connect {
namespace {

std::string_view TypeWord(Type type) {
  switch (type) {
    case Type::kInt8:
      return "int8";
    case Type::kInt16:
      return "int16";
    case Type::kInt32:
      return "int32";
    case Type::kInt64:
      return "int64";
    case Type::kFloat32:
      return "float";
    case Type::kFloat64:
      return "double";
    case Type::kBoolean:
      return "boolean";
    case Type::kString:
      return "string";
    case Type::kBytes:
      return "bytes";
    case Type::kArray:
      return "array";
    case Type::kMap:
      return "map";
    case Type::kStruct:
      return "struct";
  }
  return "";
}

void AppendQuotedBase64(std::string_view bytes, Buffer& out) {
  out.push_back('"');
  AppendBase64(bytes, out);
  out.push_back('"');
}

void AppendDecimalValue(const Value& value, const JsonOptions& options, Buffer& out) {
  if (options.decimal_numeric) return AppendDecimal(value, out);
  Buffer unscaled;
  AppendUnscaledBytes(value, unscaled);
  AppendQuotedBase64(unscaled.view(), out);
}

// All but the closing brace.
void AppendOpenSchema(const Schema& schema, const JsonOptions& options, Buffer& out) {
  if (!schema.json.empty()) return static_cast<void>(out.append(schema.json));
  out.append("{\"type\":\"").append(TypeWord(schema.type)).push_back('"');
  if (schema.type == Type::kStruct) {
    out.append(",\"fields\":[");
    for (const Field& field : schema.fields) {
      if (&field != schema.fields.data()) out.push_back(',');
      AppendOpenSchema(*field.schema, options, out);
      out.append(",\"field\":");
      AppendJsonString(field.name, field.in_quotes, out);
      out.push_back('}');
    }
    out.push_back(']');
  } else if (schema.type == Type::kArray) {
    out.append(",\"items\":");
    AppendJsonSchema(schema.element, options, out);
  } else if (schema.type == Type::kMap) {
    out.append(",\"keys\":");
    AppendJsonSchema(schema.key, options, out);
    out.append(",\"values\":");
    AppendJsonSchema(schema.element, options, out);
  }
  out.append(schema.optional ? ",\"optional\":true" : ",\"optional\":false");
  if (!schema.name.empty()) {
    out.append(",\"name\":");
    AppendJsonString(schema.name, out);
  }
  if (schema.version) {
    out.append(",\"version\":");
    AppendInteger(*schema.version, out);
  }
  if (!schema.doc.empty()) {
    out.append(",\"doc\":");
    AppendJsonString(schema.doc, out);
  }
  if (!schema.parameters.empty()) {
    char before = '{';
    out.append(",\"parameters\":");
    for (const Parameter& parameter : schema.parameters) {
      out.push_back(before);
      AppendJsonString(parameter.key, out);
      out.push_back(':');
      AppendJsonString(parameter.value, out);
      before = ',';
    }
    out.push_back('}');
  }
  if (schema.default_value != nullptr) {
    out.append(",\"default\":");
    AppendJsonValue(&schema, *schema.default_value, options, out);
  }
}

// Strings as keys make an object, anything else pairs.
void AppendMap(const Schema& schema, const Value& value, const JsonOptions& options, Buffer& out) {
  const bool object = schema.key->type == Type::kString;
  out.push_back(object ? '{' : '[');
  for (size_t i = 0; i + 1 < value.items.size(); i += 2) {
    if (i != 0) out.push_back(',');
    if (!object) out.push_back('[');
    AppendJsonValue(schema.key, value.items[i], options, out);
    out.push_back(object ? ':' : ',');
    AppendJsonValue(schema.element, value.items[i + 1], options, out);
    if (!object) out.push_back(']');
  }
  out.push_back(object ? '}' : ']');
}

void AppendStruct(const Schema& schema, const Value& value, const JsonOptions& options, Buffer& out) {
  out.push_back('{');
  for (size_t i = 0; i < schema.fields.size(); ++i) {
    if (i != 0) out.push_back(',');
    AppendJsonString(schema.fields[i].name, schema.fields[i].in_quotes, out);
    out.push_back(':');
    AppendJsonValue(schema.fields[i].schema, value.items[i], options, out);
  }
  out.push_back('}');
}

void AppendNotNull(const Schema* schema, const Value& value, const JsonOptions& options, Buffer& out) {
  switch (value.kind) {
    case Value::Kind::kNull:
      break;
    case Value::Kind::kBoolean:
      out.append(value.integer != 0 ? "true" : "false");
      break;
    case Value::Kind::kInteger:
      AppendInteger(value.integer, out);
      break;
    case Value::Kind::kFloat:
    case Value::Kind::kDouble: {
      const bool quoted = !std::isfinite(value.real);
      if (quoted) out.push_back('"');
      value.kind == Value::Kind::kFloat ? AppendFloat(static_cast<float>(value.real), out)
                                        : AppendDouble(value.real, out);
      if (quoted) out.push_back('"');
      break;
    }
    case Value::Kind::kString:
      AppendJsonString(value.text, value.in_quotes, out);
      break;
    case Value::Kind::kBytes:
    case Value::Kind::kByteArray:
      AppendQuotedBase64(value.text, out);
      break;
    case Value::Kind::kDecimal:
      AppendDecimalValue(value, options, out);
      break;
    case Value::Kind::kDate:
      AppendInteger(schema->logical == Logical::kDate ? value.integer / kMillisPerDay : value.integer, out);
      break;
    case Value::Kind::kList:
      out.push_back('[');
      for (const Value& item : value.items) {
        if (&item != value.items.data()) out.push_back(',');
        AppendJsonValue(schema->element, item, options, out);
      }
      out.push_back(']');
      break;
    case Value::Kind::kMap:
      AppendMap(*schema, value, options, out);
      break;
    case Value::Kind::kStruct:
      AppendStruct(*schema, value, options, out);
      break;
  }
}

}  // namespace

void AppendJsonSchema(const Schema* schema, const JsonOptions& options, Buffer& out) {
  if (schema == nullptr) return static_cast<void>(out.append("null"));
  AppendOpenSchema(*schema, options, out);
  out.push_back('}');
}

void AppendJsonValue(const Schema* schema, const Value& value, const JsonOptions& options, Buffer& out) {
  if (!value.is_null()) return AppendNotNull(schema, value, options, out);
  if (schema != nullptr && schema->default_value != nullptr && options.replace_null_with_default) {
    return AppendNotNull(schema, *schema->default_value, options, out);
  }
  out.append("null");
}

const Schema* WithJson(const Schema& schema, const JsonOptions& options, Arena& arena) {
  Schema copy = schema;
  copy.json = arena.Compose([&](Buffer& out) { AppendOpenSchema(schema, options, out); });
  return arena.New(copy);
}

}  // namespace postrider::connect
