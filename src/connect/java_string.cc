#include "connect/java_string.h"

#include "connect/java_number.h"
#include "connect/java_time.h"
#include "connect/json_text.h"

namespace postrider::connect {
namespace {

constexpr char kSurrogateLead = '\xed';

// Half a surrogate pair (here as UTF-8 would encode it) becomes '?' where Java encodes a string as UTF-8.
void AppendUtf8(std::string_view text, Buffer& out) {
  for (;;) {
    const size_t at = text.find(kSurrogateLead);
    if (at == std::string_view::npos) break;
    const bool surrogate = at + 2 < text.size() && static_cast<unsigned char>(text[at + 1]) >= 0xa0;
    out.append(text.substr(0, surrogate ? at : at + 1));
    if (surrogate) out.push_back('?');
    text.remove_prefix(surrogate ? at + 3 : at + 1);
  }
  out.append(text);
}

// What both forms have in common; false for the rest.
bool AppendPlain(const Value& value, Buffer& out) {
  switch (value.kind) {
    case Value::Kind::kBoolean:
      out.append(value.integer != 0 ? "true" : "false");
      return true;
    case Value::Kind::kInteger:
      AppendInteger(value.integer, out);
      return true;
    case Value::Kind::kFloat:
      AppendFloat(static_cast<float>(value.real), out);
      return true;
    case Value::Kind::kDouble:
      AppendDouble(value.real, out);
      return true;
    case Value::Kind::kDecimal:
      AppendDecimal(value, out);
      return true;
    case Value::Kind::kNull:
      out.append("null");
      return true;
    default:
      return false;
  }
}

void AppendJavaStruct(const Schema& schema, const Value& value, Buffer& out) {
  out.append("Struct{");
  bool first = true;
  for (size_t i = 0; i < schema.fields.size(); ++i) {
    if (value.items[i].is_null()) continue;
    if (!first) out.push_back(',');
    first = false;
    AppendUtf8(schema.fields[i].name, out);
    out.push_back('=');
    AppendJavaString(*schema.fields[i].schema, value.items[i], out);
  }
  out.push_back('}');
}

void AppendQuoted(std::string_view text, Buffer& out) {
  Buffer without_surrogates;
  if (text.find(kSurrogateLead) != std::string_view::npos) {
    AppendUtf8(text, without_surrogates);
    text = without_surrogates.view();
  }
  out.push_back('"');
  for (const char c : text) {
    if (c == '\\' || c == '"') out.push_back('\\');
    out.push_back(c);
  }
  out.push_back('"');
}

void AppendEmbedded(const Schema& schema, const Value& value, bool embedded, Buffer& out) {
  if (AppendPlain(value, out)) return;
  switch (value.kind) {
    case Value::Kind::kString:
      embedded ? AppendQuoted(value.text, out) : AppendUtf8(value.text, out);
      break;
    case Value::Kind::kBytes:
    case Value::Kind::kByteArray:
      if (embedded) out.push_back('"');
      AppendBase64(value.text, out);
      if (embedded) out.push_back('"');
      break;
    case Value::Kind::kDate:
      AppendDateByMagnitude(value.integer, out);
      break;
    case Value::Kind::kList:
      out.push_back('[');
      for (const Value& item : value.items) {
        if (&item != value.items.data()) out.push_back(',');
        AppendEmbedded(*schema.element, item, true, out);
      }
      out.push_back(']');
      break;
    case Value::Kind::kMap:
      out.push_back('{');
      for (size_t i = 0; i + 1 < value.items.size(); i += 2) {
        if (i != 0) out.push_back(',');
        AppendEmbedded(*schema.key, value.items[i], true, out);
        out.push_back(':');
        AppendEmbedded(*schema.element, value.items[i + 1], true, out);
      }
      out.push_back('}');
      break;
    case Value::Kind::kStruct:
      out.push_back('{');
      for (size_t i = 0; i < schema.fields.size(); ++i) {
        if (i != 0) out.push_back(',');
        const Field& field = schema.fields[i];
        AppendQuoted(field.name, out);
        out.push_back(':');
        AppendEmbedded(*field.schema, OrDefault(*field.schema, value.items[i]), true, out);
      }
      out.push_back('}');
      break;
    default:
      break;
  }
}

}  // namespace

void AppendJavaString(const Schema& schema, const Value& value, Buffer& out) {
  if (AppendPlain(value, out)) return;
  switch (value.kind) {
    case Value::Kind::kString:
      AppendUtf8(value.text, out);
      break;
    case Value::Kind::kBytes:
      out.append("java.nio.HeapByteBuffer[pos=0 lim=");
      AppendInteger(static_cast<int64_t>(value.text.size()), out);
      out.append(" cap=");
      AppendInteger(static_cast<int64_t>(value.text.size()), out);
      out.push_back(']');
      break;
    case Value::Kind::kByteArray:
      AppendBase64(value.text, out);
      break;
    case Value::Kind::kDate:
      AppendDateText(value.integer, out);
      break;
    case Value::Kind::kList:
      out.push_back('[');
      for (const Value& item : value.items) {
        if (&item != value.items.data()) out.append(", ");
        AppendJavaString(*schema.element, item, out);
      }
      out.push_back(']');
      break;
    case Value::Kind::kMap:
      out.push_back('{');
      for (size_t i = 0; i + 1 < value.items.size(); i += 2) {
        if (i != 0) out.append(", ");
        AppendJavaString(*schema.key, value.items[i], out);
        out.push_back('=');
        AppendJavaString(*schema.element, value.items[i + 1], out);
      }
      out.push_back('}');
      break;
    case Value::Kind::kStruct:
      AppendJavaStruct(schema, value, out);
      break;
    default:
      break;
  }
}

void AppendHeaderText(const Schema& schema, const Value& value, Buffer& out) {
  AppendEmbedded(schema, value, false, out);
}

}  // namespace postrider::connect
