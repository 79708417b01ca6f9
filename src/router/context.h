// Headers that come before the event's id: Debezium's own four, and the trace that the application left in its row.
//
// Sources: Debezium 3.6.1, DebeziumHeaderProducer and transforms/tracing; W3C Trace Context. Tested by
// tests/unit/router/context_test.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/record.h"
#include "config/config.h"
#include "connect/converter.h"

namespace postrider::router {

// One header with its bytes.
struct OwnedHeader {
  std::string key;
  std::optional<std::string> value;
};

// Lives as long as the header.
inline Header ViewOf(const OwnedHeader& header) {
  return {.key = header.key, .value = header.value ? std::optional<std::string_view>(*header.value) : std::nullopt};
}

inline OwnedHeader Owned(const Header& header) {
  return {.key = std::string(header.key),
          .value = header.value ? std::optional<std::string>(*header.value) : std::nullopt};
}

// __debezium.context.connectorLogicalName, taskId, connectorName, runId (a UUIDv7, new at each call), as the header
// converter writes texts. InvalidArgument where it cannot.
absl::StatusOr<std::vector<OwnedHeader>> ContextHeaders(const config::Config& config,
                                                        const connect::Converter& converter);

// traceparent and tracestate out of a text in the form of java.util.Properties, in that order; none where it is no such
// text.
std::vector<std::pair<std::string, std::string>> TraceOf(std::string_view properties);

}  // namespace postrider::router
