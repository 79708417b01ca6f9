// Dates and times: from PostgreSQL's text (DateStyle ISO) to the numbers and texts that java.time makes of them.
//
// Debezium 3.6.1: connection/DateTimeFormat (reading), io.debezium.time.* and org.apache.kafka.connect.data.Values
// (writing). The Gregorian calendar goes back for ever, year 0 is 1 BC. Where a number does not fit, each function does
// what its Java twin does: saturate, wrap or fail. Time zone: UTC, as in Debezium's images. Pure. Tested by
// tests/unit/connect/java_time_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include "connect/buffer.h"

namespace postrider::connect {

inline constexpr int64_t kSecondsPerDay = 86'400;
inline constexpr int64_t kNanosPerSecond = 1'000'000'000;
inline constexpr int64_t kNanosPerDay = kSecondsPerDay * kNanosPerSecond;
inline constexpr int64_t kMillisPerDay = kSecondsPerDay * 1000;

// java.time.Instant; a timestamp without time zone is taken as UTC.
struct Moment {
  int64_t seconds = 0;  // since 1970
  int32_t nanos = 0;    // 0 <= nanos < 1e9

  int64_t days() const { return seconds / kSecondsPerDay - (seconds % kSecondsPerDay < 0 ? 1 : 0); }
  int64_t nanos_of_day() const { return (seconds - days() * kSecondsPerDay) * kNanosPerSecond + nanos; }
};

// nullopt for what is not such a text, `infinity` included.
std::optional<int64_t> ParseDate(std::string_view text);          // days since 1970
std::optional<int64_t> ParseTime(std::string_view text);          // nanoseconds since midnight; 24:00:00 is a whole day
std::optional<int64_t> ParseTimeWithZone(std::string_view text);  // the same, shifted to UTC: below a day
std::optional<Moment> ParseTimestamp(std::string_view text);      // with a zone or without

// What java.sql.Date and Timestamp, which pgjdbc makes of the elements of arrays, do to days since 1970 before
// 1582-10-15.
int64_t JulianDays(int64_t days);                 // GregorianCalendar: year, month and day are of the Julian calendar
std::optional<int64_t> WithoutEra(int64_t days);  // toLocalDate: 44 BC is 44; nullopt for a leap day that is none then

std::optional<int64_t> ToMillis(Moment moment);  // Instant.toEpochMilli: rounded down; nullopt where it overflows
int64_t ToMicros(Moment moment);                 // Conversions.toEpochMicros: seconds saturate, the sum wraps
std::optional<int64_t> ToNanos(Moment moment);   // NanoTimestamp.toEpochNanos: nullopt where it overflows

void AppendIsoDate(int64_t days, Buffer& out);                               // 2026-01-02, +12345-01-02, -0043-01-02
void AppendIsoTime(int64_t nanos_of_day, Buffer& out);                       // 03:04:05, 03:04:05.5
void AppendIsoTime(int64_t nanos_of_day, int fraction_digits, Buffer& out);  // exactly so many, 1 to 9
void AppendDateText(int64_t unix_ms, Buffer& out);                           // java.util.Date.toString
void AppendDateByMagnitude(int64_t unix_ms, Buffer& out);                    // Values.dateFormatFor: time, date or both

}  // namespace postrider::connect
