#include "router/context.h"

#include <chrono>
#include <random>

#include "config/properties.h"
#include "connect/json_text.h"

namespace postrider::router {
namespace {

// RFC 9562: 48 bits of Unix milliseconds, version 7, the rest random.
std::string MakeUuid7() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ms = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  std::random_device random;
  std::string bytes;
  for (int shift = 40; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(ms >> shift & 0xff));
  while (bytes.size() < 16) bytes.push_back(static_cast<char>(random() & 0xff));
  bytes[6] = static_cast<char>((bytes[6] & 0x0f) | 0x70);
  bytes[8] = static_cast<char>((bytes[8] & 0x3f) | 0x80);
  connect::Buffer hex;
  connect::AppendHex(bytes, hex);
  std::string uuid(hex.view());
  for (const size_t at : {8, 13, 18, 23}) uuid.insert(at, 1, '-');
  return uuid;
}

}  // namespace

absl::StatusOr<std::vector<OwnedHeader>> ContextHeaders(const config::Config& config,
                                                        const connect::Converter& converter) {
  static constexpr connect::Schema kText{.type = connect::Type::kString};
  const absl::Status accepted = converter.Accepts(kText);
  if (!accepted.ok()) return accepted;
  const std::pair<const char*, std::string> contexts[] = {{"connectorLogicalName", config.topic_prefix},
                                                          {"taskId", "0"},
                                                          {"connectorName", "postgresql"},
                                                          {"runId", MakeUuid7()}};
  std::vector<OwnedHeader> headers;
  connect::Buffer buffer;
  for (const auto& [name, text] : contexts) {
    const std::optional<std::string_view> bytes = converter.Convert(&kText, connect::Value::String(text), buffer);
    headers.push_back({.key = std::string("__debezium.context.") + name,
                       .value = bytes ? std::optional<std::string>(*bytes) : std::nullopt});
  }
  return headers;
}

std::vector<std::pair<std::string, std::string>> TraceOf(std::string_view properties) {
  std::vector<std::pair<std::string, std::string>> trace;
  absl::StatusOr<std::vector<config::Entry>> entries = config::ParseProperties(properties);
  if (!entries.ok()) return trace;
  for (const char* const name : {"traceparent", "tracestate"}) {
    const config::Entry* last = nullptr;  // of a key given twice the last counts
    for (const config::Entry& entry : *entries) {
      if (entry.key == name) last = &entry;
    }
    if (last != nullptr) trace.emplace_back(name, last->value);
  }
  return trace;
}

}  // namespace postrider::router
