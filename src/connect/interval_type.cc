// interval under interval.handling.mode.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "absl/strings/numbers.h"
#include "base/text.h"
#include "connect/java_number.h"
#include "connect/pg_type.h"
#include "connect/type_family.h"

namespace postrider::connect {
namespace {

// org.postgresql.util.PGInterval, out of IntervalStyle postgres: "1 year 2 mons -3 days -04:05:06.789".
struct Interval {
  int32_t years = 0, months = 0, days = 0, minutes = 0;
  int64_t hours = 0;
  double seconds = 0;
};

// HH:MM[:SS[.ffffff]], with one sign before all of it.
bool ParseIntervalTime(std::string_view text, Interval& interval) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const size_t first = text.find(':');
  const size_t second = text.find(':', first + 1);
  double seconds = 0;
  if (!absl::SimpleAtoi(View(text.substr(0, first)), &interval.hours) ||
      !absl::SimpleAtoi(View(text.substr(first + 1, second - first - 1)), &interval.minutes) ||
      (second != std::string_view::npos && !absl::SimpleAtod(View(text.substr(second + 1)), &seconds))) {
    return false;
  }
  if (negative) {
    interval.hours = -interval.hours;
    interval.minutes = -interval.minutes;
    seconds = -seconds;
  }
  // PGInterval keeps whole seconds and microseconds apart.
  const auto whole = static_cast<int32_t>(seconds);
  interval.seconds = whole + static_cast<double>(std::lround((seconds - whole) * 1'000'000.0)) / 1'000'000.0;
  return true;
}

bool SetIntervalPart(std::string_view unit, int32_t number, Interval& interval) {
  if (unit.starts_with("year")) {
    interval.years = number;
  } else if (unit.starts_with("mon")) {
    interval.months = number;
  } else if (unit.starts_with("day")) {
    interval.days = number;
  } else {
    return false;
  }
  return true;
}

std::optional<Interval> ParseInterval(std::string_view text) {
  Interval interval;
  const auto take_word = [&text] {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    return word;
  };
  while (!text.empty()) {
    const std::string_view word = take_word();
    if (word.find(':') != std::string_view::npos) {
      if (!ParseIntervalTime(word, interval)) return std::nullopt;
      continue;
    }
    int32_t number = 0;
    if (!absl::SimpleAtoi(View(word), &number) || !SetIntervalPart(take_word(), number, interval)) return std::nullopt;
  }
  return interval;
}

// io.debezium.time.MicroDuration.durationMicros: in doubles, months averaged; a double beyond a long saturates.
int64_t DurationMicros(const Interval& interval) {
  constexpr double kDaysPerMonth = 365.25 / 12.0;
  const auto months =
      static_cast<int32_t>(static_cast<uint32_t>(interval.years) * 12 + static_cast<uint32_t>(interval.months));
  const double days = months * kDaysPerMonth + interval.days;
  const double seconds =
      ((days * 24 + static_cast<double>(interval.hours)) * 60 + interval.minutes) * 60 + interval.seconds;
  const double micros = seconds * 1e6;
  constexpr double kLimit = 9223372036854775808.0;
  if (micros >= kLimit) return std::numeric_limits<int64_t>::max();
  if (micros < -kLimit) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(micros);
}

// io.debezium.time.Interval.toIsoString
void AppendIsoInterval(const Interval& interval, Arena& arena, Buffer& out) {
  const auto part = [&out](int64_t number, char unit) {
    AppendInteger(number, out);
    out.push_back(unit);
  };
  out.push_back('P');
  part(interval.years, 'Y');
  part(interval.months, 'M');
  part(interval.days, 'D');
  out.push_back('T');
  part(interval.hours, 'H');
  part(interval.minutes, 'M');
  Buffer seconds;
  AppendDouble(interval.seconds, seconds);
  // setScale(9, DOWN): whole seconds and microseconds do not always add up to what was written.
  std::string_view text = seconds.view();
  constexpr size_t kDigitsMax = 9;
  const size_t point = text.find('.');
  if (text.find('E') == std::string_view::npos && point != std::string_view::npos) {
    text = text.substr(0, point + 1 + kDigitsMax);
  }
  AppendPlainDecimal(WithoutTrailingZeros(*ParseDecimal(text, arena), arena), out);
  out.push_back('S');
}

Decoded DecodeInterval(const ColumnType& type, std::string_view text, Arena& arena, Value& value) {
  const std::optional<Interval> interval = ParseInterval(text);
  if (!interval) return Decoded::kMalformed;
  if (type.types->interval == config::IntervalMode::kNumeric) {
    value = Value::Integer(DurationMicros(*interval));
    return Decoded::kDone;
  }
  value = Value::String(arena.Compose([&](Buffer& out) { AppendIsoInterval(*interval, arena, out); }));
  return Decoded::kDone;
}

}  // namespace

bool CompileInterval(const TypeInfo& type, Arena&, Schema& schema, ColumnType& column) {
  if (type.oid != pg::kInterval) return false;
  const bool text = column.types->interval == config::IntervalMode::kString;
  column.decode = DecodeInterval;
  schema.type = text ? Type::kString : Type::kInt64;
  schema.name = text ? "io.debezium.time.Interval" : "io.debezium.time.MicroDuration";
  schema.version = 1;
  return true;
}

}  // namespace postrider::connect
