#include "connect/java_time.h"

#include <charconv>
#include <limits>

#include "absl/time/civil_time.h"
#include "connect/java_number.h"

namespace postrider::connect {
namespace {

constexpr int64_t kYearMax = 1'000'000'000;
constexpr int64_t kGregorianStartDays = -141'427;  // 1582-10-15: java.util.Date counts by the Julian calendar before it

// Reads a text from the left; after the first fault nothing matches any more.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool Accept(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool Accept(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void Expect(char c) {
    if (!Accept(c)) ok_ = false;
  }
  int64_t Number(int64_t max) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || value < 0 || value > max || rest_.starts_with('-')) {
      ok_ = false;
      return 0;
    }
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }
  // ".5" as 500,000,000; nothing as 0.
  int64_t FractionNanos() {
    if (!Accept('.')) return 0;
    int64_t nanos = 0;
    int digits = 0;
    for (; !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9' && digits < 9; rest_.remove_prefix(1), ++digits) {
      nanos = nanos * 10 + (rest_[0] - '0');
    }
    for (; digits < 9; ++digits) nanos *= 10;
    return nanos;
  }
  bool at_sign() const { return rest_.starts_with('+') || rest_.starts_with('-'); }
  bool done() const { return ok_ && rest_.empty(); }
  bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

struct YearMonthDay {
  int64_t year, month, day;
};

YearMonthDay ScanDate(Scanner& scanner) {
  YearMonthDay date{};
  date.year = scanner.Number(kYearMax);
  scanner.Expect('-');
  date.month = scanner.Number(12);
  scanner.Expect('-');
  date.day = scanner.Number(31);
  return date;
}

int64_t DaysOf(YearMonthDay date, bool before_christ) {
  const int64_t year = before_christ ? 1 - date.year : date.year;
  return absl::CivilDay(year, date.month, date.day) - absl::CivilDay(1970, 1, 1);
}

int64_t ScanTimeNanos(Scanner& scanner) {
  const int64_t hours = scanner.Number(24);
  scanner.Expect(':');
  const int64_t minutes = scanner.Number(59);
  int64_t seconds = 0;
  int64_t nanos = 0;
  if (scanner.Accept(':')) {
    seconds = scanner.Number(60);
    nanos = scanner.FractionNanos();
  }
  return (hours * 3600 + minutes * 60 + seconds) * kNanosPerSecond + nanos;
}

// +02, -03:30, +05:53:28
int64_t ScanOffsetSeconds(Scanner& scanner) {
  const bool west = scanner.Accept('-');
  if (!west) scanner.Expect('+');
  int64_t seconds = scanner.Number(99) * 3600;
  if (scanner.Accept(':')) seconds += scanner.Number(59) * 60;
  if (scanner.Accept(':')) seconds += scanner.Number(59);
  return west ? -seconds : seconds;
}

void AppendPadded(int64_t value, size_t width, Buffer& out) {
  char buffer[24];
  const char* const end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  const auto size = static_cast<size_t>(end - buffer);
  if (size < width) out.append(width - size, '0');
  out.append({buffer, size});
}

int64_t FloorDivide(int64_t value, int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

constexpr int64_t kJulianDayOf1970 = 2'440'588;

// Richards' algorithm on the Julian day number.
YearMonthDay JulianDate(int64_t days) {
  const int64_t c = days + kJulianDayOf1970 + 32'082;
  const int64_t d = FloorDivide(4 * c + 3, 1461);
  const int64_t e = c - FloorDivide(1461 * d, 4);
  const int64_t m = (5 * e + 2) / 153;
  return {.year = d - 4800 + m / 10, .month = m + 3 - 12 * (m / 10), .day = e - (153 * m + 2) / 5 + 1};
}

YearMonthDay GregorianDate(int64_t days) {
  const absl::CivilDay day = absl::CivilDay(1970, 1, 1) + days;
  return {.year = day.year(), .month = day.month(), .day = day.day()};
}

}  // namespace

std::optional<int64_t> ParseDate(std::string_view text) {
  Scanner scanner(text);
  const YearMonthDay date = ScanDate(scanner);
  const bool before_christ = scanner.Accept(" BC");
  if (!scanner.done()) return std::nullopt;
  return DaysOf(date, before_christ);
}

std::optional<int64_t> ParseTime(std::string_view text) {
  Scanner scanner(text);
  const int64_t nanos = ScanTimeNanos(scanner);
  if (!scanner.done() || nanos > kNanosPerDay) return std::nullopt;
  return nanos;
}

std::optional<int64_t> ParseTimeWithZone(std::string_view text) {
  Scanner scanner(text);
  const int64_t nanos = ScanTimeNanos(scanner) - ScanOffsetSeconds(scanner) * kNanosPerSecond;
  if (!scanner.done()) return std::nullopt;
  return nanos - FloorDivide(nanos, kNanosPerDay) * kNanosPerDay;
}

std::optional<Moment> ParseTimestamp(std::string_view text) {
  Scanner scanner(text);
  const YearMonthDay date = ScanDate(scanner);
  int64_t nanos = 0;
  if (scanner.Accept(' ')) nanos = ScanTimeNanos(scanner);
  const int64_t offset = scanner.at_sign() ? ScanOffsetSeconds(scanner) : 0;
  const bool before_christ = scanner.Accept(" BC");
  if (!scanner.done()) return std::nullopt;
  return Moment{.seconds = DaysOf(date, before_christ) * kSecondsPerDay + nanos / kNanosPerSecond - offset,
                .nanos = static_cast<int32_t>(nanos % kNanosPerSecond)};
}

int64_t JulianDays(int64_t days) {
  if (days >= kGregorianStartDays) return days;
  const YearMonthDay date = GregorianDate(days);
  // The year begins in March, so that its last day is the leap day.
  const bool before_march = date.month <= 2;
  const int64_t year = date.year + 4800 - (before_march ? 1 : 0), month = date.month + (before_march ? 9 : -3);
  return date.day + (153 * month + 2) / 5 + 365 * year + FloorDivide(year, 4) - 32'083 - kJulianDayOf1970;
}

std::optional<int64_t> WithoutEra(int64_t days) {
  const int64_t julian = JulianDays(days);
  if (julian >= kGregorianStartDays) return julian;  // after 1582-10-04, or one of the days that were left out then
  const YearMonthDay date = GregorianDate(days);
  if (date.year > 0) return days;
  const absl::CivilDay day(1 - date.year, date.month, date.day);
  if (day.day() != date.day) return std::nullopt;
  return day - absl::CivilDay(1970, 1, 1);
}

std::optional<int64_t> ToMillis(Moment moment) {
  int64_t millis = 0;
  if (__builtin_mul_overflow(moment.seconds, int64_t{1000}, &millis) ||
      __builtin_add_overflow(millis, int64_t{moment.nanos / 1'000'000}, &millis)) {
    return std::nullopt;
  }
  return millis;
}

int64_t ToMicros(Moment moment) {
  int64_t micros = 0;
  if (__builtin_mul_overflow(moment.seconds, int64_t{1'000'000}, &micros)) {
    micros = moment.seconds < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
  }
  return static_cast<int64_t>(static_cast<uint64_t>(micros) + static_cast<uint64_t>(moment.nanos / 1000));
}

std::optional<int64_t> ToNanos(Moment moment) {
  int64_t nanos = 0;
  if (__builtin_mul_overflow(moment.days(), kNanosPerDay, &nanos) ||
      __builtin_add_overflow(nanos, moment.nanos_of_day(), &nanos)) {
    return std::nullopt;
  }
  return nanos;
}

void AppendIsoDate(int64_t days, Buffer& out) {
  const YearMonthDay date = GregorianDate(days);
  if (date.year < 0) out.push_back('-');
  if (date.year > 9999) out.push_back('+');
  AppendPadded(date.year < 0 ? -date.year : date.year, 4, out);
  out.push_back('-');
  AppendPadded(date.month, 2, out);
  out.push_back('-');
  AppendPadded(date.day, 2, out);
}

void AppendIsoTime(int64_t nanos_of_day, Buffer& out) {
  const int64_t nanos = nanos_of_day % kNanosPerSecond;
  AppendIsoTime(nanos_of_day, nanos == 0 ? 0 : 9, out);
  if (nanos == 0) return;
  while (out.back() == '0') out.pop_back();
}

void AppendIsoTime(int64_t nanos_of_day, int fraction_digits, Buffer& out) {
  const int64_t seconds = nanos_of_day / kNanosPerSecond;
  AppendPadded(seconds / 3600, 2, out);
  out.push_back(':');
  AppendPadded(seconds / 60 % 60, 2, out);
  out.push_back(':');
  AppendPadded(seconds % 60, 2, out);
  if (fraction_digits == 0) return;
  out.push_back('.');
  AppendPadded(nanos_of_day % kNanosPerSecond, 9, out);
  out.Truncate(out.size() - static_cast<size_t>(9 - fraction_digits));
}

void AppendDateText(int64_t unix_ms, Buffer& out) {
  static constexpr std::string_view kDays[] = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};
  static constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const int64_t days = FloorDivide(unix_ms, kMillisPerDay);
  const YearMonthDay date = days < kGregorianStartDays ? JulianDate(days) : GregorianDate(days);
  out.append(kDays[days - FloorDivide(days, 7) * 7]).push_back(' ');
  out.append(kMonths[date.month - 1]).push_back(' ');
  AppendPadded(date.day, 2, out);
  out.push_back(' ');
  AppendIsoTime((unix_ms - days * kMillisPerDay) * 1'000'000, 0, out);
  out.append(" UTC ");
  AppendInteger(date.year > 0 ? date.year : 1 - date.year, out);
}

void AppendDateByMagnitude(int64_t unix_ms, Buffer& out) {
  const int64_t days = FloorDivide(unix_ms, kMillisPerDay);
  const int64_t ms_of_day = unix_ms - days * kMillisPerDay;
  if (unix_ms >= kMillisPerDay) {
    const YearMonthDay date = GregorianDate(days);
    AppendPadded(date.year, 4, out);
    out.push_back('-');
    AppendPadded(date.month, 2, out);
    out.push_back('-');
    AppendPadded(date.day, 2, out);
    if (ms_of_day == 0) return;
    out.push_back('T');
  }
  AppendIsoTime(ms_of_day * 1'000'000, 3, out);
  out.push_back('Z');
}

}  // namespace postrider::connect
