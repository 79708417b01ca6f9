#include "router/event_time.h"

#include "absl/strings/numbers.h"
#include "base/text.h"
#include "connect/java_time.h"
#include "connect/pg_type.h"

namespace postrider::router {
namespace {

namespace pg = connect::pg;

constexpr int64_t kInfinityMs = 9'223'372'036'825'200, kMinusInfinityMs = -9'223'372'036'832'400;

}  // namespace

bool CanBeEventTime(uint32_t type_oid) {
  return type_oid == pg::kTimestamp || type_oid == pg::kTimestamptz || type_oid == pg::kInt8;
}

std::optional<int64_t> EventTimeMs(uint32_t type_oid, std::string_view text) {
  if (type_oid == pg::kInt8) {
    int64_t ms = 0;
    if (!absl::SimpleAtoi(View(text), &ms)) return std::nullopt;
    return ms;
  }
  if (text == "infinity") return kInfinityMs;
  if (text == "-infinity") return kMinusInfinityMs;
  const std::optional<connect::Moment> moment = connect::ParseTimestamp(text);
  if (!moment) return std::nullopt;
  return connect::ToMicros(*moment) / 1000;
}

}  // namespace postrider::router
