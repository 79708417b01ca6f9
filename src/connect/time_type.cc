// date, time and timestamp under time.precision.mode.
#include <limits>
#include <string>

#include "connect/java_time.h"
#include "connect/pg_type.h"
#include "connect/type_family.h"

namespace postrider::connect {
namespace {

using config::TimePrecision;

// What Debezium makes of the infinities: pgjdbc's constants, as microseconds; a date that a LocalDate cannot say
// either.
constexpr Moment kInfinity{.seconds = 9'223'372'036'825, .nanos = 200'000'000};
constexpr Moment kMinusInfinity{.seconds = -9'223'372'036'833, .nanos = 600'000'000};
constexpr int64_t kInfinityDays = -2'147'472'692, kMinusInfinityDays = -2'147'472'691;
// In arrays they pass through java.sql.Date and Timestamp, which forget that the latter is BC: 292278994-08-16 and
// 292269055-12-02, both at 23:00.
constexpr int64_t kInfinityDaysInArray = 106'751'991'166, kMinusInfinityDaysInArray = 106'748'361'128;
constexpr int64_t kMinusInfinityTimeInArray = 23 * 3600;

Decoded Deliver(std::optional<int64_t> number, Value (*make)(int64_t), Value& value) {
  if (!number) return Decoded::kUnconvertible;
  value = make(*number);
  return Decoded::kDone;
}

template <typename Write>
Decoded DeliverText(Arena& arena, Value& value, Write write) {
  value = Value::String(arena.Compose(write));
  return Decoded::kDone;
}

Decoded DeliverDate(const ColumnType& type, int64_t days, Arena& arena, Value& value) {
  switch (type.types->time) {
    case TimePrecision::kConnect:
      return Deliver(static_cast<int32_t>(days) * kMillisPerDay, Value::Date, value);
    case TimePrecision::kIsoString:
      return DeliverText(arena, value, [&](Buffer& out) {
        AppendIsoDate(days, out);
        out.push_back('Z');
      });
    default:
      return Deliver(static_cast<int32_t>(days), Value::Integer, value);
  }
}

Decoded DecodeDate(const ColumnType& type, std::string_view text, Arena& arena, Value& value) {
  if (text == "infinity") return DeliverDate(type, type.in_array ? kInfinityDaysInArray : kInfinityDays, arena, value);
  if (text == "-infinity") {
    return DeliverDate(type, type.in_array ? kMinusInfinityDaysInArray : kMinusInfinityDays, arena, value);
  }
  std::optional<int64_t> days = ParseDate(text);
  if (!days) return Decoded::kMalformed;
  if (type.in_array) days = WithoutEra(*days);
  return days ? DeliverDate(type, *days, arena, value) : Decoded::kUnconvertible;
}

Decoded DeliverTime(const ColumnType& type, int64_t nanos, Arena& arena, Value& value) {
  switch (type.types->time) {
    case TimePrecision::kConnect:
      return Deliver(nanos / 1'000'000, Value::Date, value);
    case TimePrecision::kIsoString:
      return DeliverText(arena, value, [&](Buffer& out) {
        AppendIsoTime(nanos % kNanosPerDay, out);
        out.push_back('Z');
      });
    case TimePrecision::kNanoseconds:
      return Deliver(nanos, Value::Integer, value);
    case TimePrecision::kAdaptive:
      return Deliver(nanos / (type.scale <= 3 ? 1'000'000 : 1000), Value::Integer, value);
    case TimePrecision::kAdaptiveTimeMicroseconds:
    case TimePrecision::kMicroseconds:
      return Deliver(nanos / 1000, Value::Integer, value);
  }
  return Decoded::kUnconvertible;
}

Decoded DecodeTime(const ColumnType& type, std::string_view text, Arena& arena, Value& value) {
  std::optional<int64_t> nanos = ParseTime(text);
  if (!nanos) return Decoded::kMalformed;
  // In an array it passes through java.sql.Time: milliseconds, and 24:00:00 is midnight.
  if (type.in_array) *nanos = *nanos % kNanosPerDay / 1'000'000 * 1'000'000;
  return DeliverTime(type, *nanos, arena, value);
}

Decoded DecodeTimetz(const ColumnType& type, std::string_view text, Arena& arena, Value& value) {
  std::optional<int64_t> nanos = ParseTimeWithZone(text);
  if (!nanos) return Decoded::kMalformed;
  // In an array even the milliseconds are lost.
  if (type.in_array) *nanos -= *nanos % kNanosPerSecond;
  return DeliverText(arena, value, [&](Buffer& out) {
    AppendIsoTime(*nanos, out);
    out.push_back('Z');
  });
}

bool UsesMillis(const ColumnType& type) {
  return type.scale <= 3 &&
         (type.types->time == TimePrecision::kAdaptive || type.types->time == TimePrecision::kAdaptiveTimeMicroseconds);
}

void AppendIsoMoment(Moment moment, Buffer& out) {
  AppendIsoDate(moment.days(), out);
  out.push_back('T');
  AppendIsoTime(moment.nanos_of_day(), out);
  out.push_back('Z');
}

Decoded DeliverTimestamp(const ColumnType& type, Moment moment, Arena& arena, Value& value) {
  if (UsesMillis(type)) return Deliver(ToMillis(moment), Value::Integer, value);
  switch (type.types->time) {
    case TimePrecision::kConnect:
      return Deliver(ToMillis(moment), Value::Date, value);
    case TimePrecision::kIsoString:
      return DeliverText(arena, value, [&](Buffer& out) { AppendIsoMoment(moment, out); });
    case TimePrecision::kNanoseconds:
      return Deliver(ToNanos(moment), Value::Integer, value);
    default:
      return Deliver(ToMicros(moment), Value::Integer, value);
  }
}

// The same time on another day.
Moment AtDays(Moment moment, int64_t days) {
  return {.seconds = moment.seconds + (days - moment.days()) * kSecondsPerDay, .nanos = moment.nanos};
}

Decoded DecodeTimestamp(const ColumnType& type, std::string_view text, Arena& arena, Value& value) {
  const bool infinite = text == "infinity", minus_infinite = text == "-infinity";
  if ((infinite || minus_infinite) && type.types->time == TimePrecision::kNanoseconds) {
    value = Value::Integer(infinite ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min());
    return Decoded::kDone;
  }
  if (infinite) return DeliverTimestamp(type, kInfinity, arena, value);
  if (minus_infinite) return DeliverTimestamp(type, kMinusInfinity, arena, value);
  std::optional<Moment> moment = ParseTimestamp(text);
  if (!moment) return Decoded::kMalformed;
  if (!type.in_array) return DeliverTimestamp(type, *moment, arena, value);
  *moment = AtDays(*moment, JulianDays(moment->days()));
  static_cast<void>(DeliverTimestamp(type, *moment, arena, value));  // null where it has no form
  return Decoded::kDone;
}

Decoded DecodeTimestamptz(const ColumnType& type, std::string_view text, Arena& arena, Value& value) {
  const bool forgets_era = type.in_array && text == "-infinity";
  if (!forgets_era && (text == "infinity" || text == "-infinity")) {
    value = Value::String(text);
    return Decoded::kDone;
  }
  std::optional<Moment> moment = forgets_era ? Moment{.seconds = kMinusInfinityTimeInArray} : ParseTimestamp(text);
  if (!moment) return Decoded::kMalformed;
  if (type.in_array) {
    const std::optional<int64_t> days = forgets_era ? kMinusInfinityDaysInArray : WithoutEra(moment->days());
    if (!days) return Decoded::kUnconvertible;
    *moment = AtDays(*moment, *days);
  }
  return DeliverText(arena, value, [&](Buffer& out) {
    AppendIsoDate(moment->days(), out);
    out.push_back('T');
    AppendIsoTime(moment->nanos_of_day(), type.scale, out);
    out.push_back('Z');
  });
}

void Set(Type type, std::string_view name, Schema& schema, Logical logical = Logical::kNone) {
  schema.type = type;
  schema.name = name;
  schema.version = 1;
  schema.logical = logical;
}

void SetDate(const ColumnType& column, Schema& schema) {
  switch (column.types->time) {
    case TimePrecision::kConnect:
      return Set(Type::kInt32, "org.apache.kafka.connect.data.Date", schema, Logical::kDate);
    case TimePrecision::kIsoString:
      return Set(Type::kString, "io.debezium.time.IsoDate", schema);
    default:
      return Set(Type::kInt32, "io.debezium.time.Date", schema);
  }
}

void SetTime(const ColumnType& column, Schema& schema) {
  switch (column.types->time) {
    case TimePrecision::kConnect:
      return Set(Type::kInt32, "org.apache.kafka.connect.data.Time", schema, Logical::kTime);
    case TimePrecision::kIsoString:
      return Set(Type::kString, "io.debezium.time.IsoTime", schema);
    case TimePrecision::kNanoseconds:
      return Set(Type::kInt64, "io.debezium.time.NanoTime", schema);
    default:
      if (column.types->time == TimePrecision::kAdaptive && column.scale <= 3) {
        return Set(Type::kInt32, "io.debezium.time.Time", schema);
      }
      return Set(Type::kInt64, "io.debezium.time.MicroTime", schema);
  }
}

void SetTimestamp(const ColumnType& column, Schema& schema) {
  switch (column.types->time) {
    case TimePrecision::kConnect:
      return Set(Type::kInt64, "org.apache.kafka.connect.data.Timestamp", schema, Logical::kTimestamp);
    case TimePrecision::kIsoString:
      return Set(Type::kString, "io.debezium.time.IsoTimestamp", schema);
    case TimePrecision::kNanoseconds:
      return Set(Type::kInt64, "io.debezium.time.NanoTimestamp", schema);
    default:
      return Set(Type::kInt64, UsesMillis(column) ? "io.debezium.time.Timestamp" : "io.debezium.time.MicroTimestamp",
                 schema);
  }
}

}  // namespace

Decoded DecodeTimeDefault(const ColumnType& type, std::string_view text, Arena& arena, Value& value) {
  constexpr Moment kMax{.seconds = 31'556'889'832'780'799, .nanos = 999'999'999};
  constexpr Moment kMin{.seconds = -31'557'014'135'596'800, .nanos = 0};
  if (type.oid == pg::kTime && text == "24:00:00") return DeliverTime(type, kNanosPerDay - 1, arena, value);
  if (text != "infinity" && text != "-infinity") return type.decode(type, text, arena, value);
  const Moment moment = text == "infinity" ? kMax : kMin;
  if (type.oid == pg::kDate) return DeliverDate(type, moment.days(), arena, value);
  if (type.oid == pg::kTimestamp) return DeliverTimestamp(type, moment, arena, value);
  return Decoded::kUnconvertible;
}

bool CompileTime(const TypeInfo& type, Arena&, Schema& schema, ColumnType& column) {
  column.scale = type.modifier < 0 ? 6 : type.modifier;  // digits of the fraction
  switch (type.oid) {
    case pg::kDate:
      column.decode = DecodeDate;
      SetDate(column, schema);
      return true;
    case pg::kTime:
      column.decode = DecodeTime;
      SetTime(column, schema);
      return true;
    case pg::kTimetz:
      column.decode = DecodeTimetz;
      Set(Type::kString, "io.debezium.time.ZonedTime", schema);
      return true;
    case pg::kTimestamp:
      column.decode = DecodeTimestamp;
      SetTimestamp(column, schema);
      return true;
    case pg::kTimestamptz:
      column.decode = DecodeTimestamptz;
      Set(Type::kString, "io.debezium.time.ZonedTimestamp", schema);
      return true;
    default:
      return false;
  }
}

}  // namespace postrider::connect
