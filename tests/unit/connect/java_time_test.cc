#include "connect/java_time.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace postrider::connect {
namespace {

template <typename Write>
std::string Written(Write write) {
  Buffer out;
  write(out);
  return std::string(out.view());
}

TEST(JavaTime, DatesAreDaysOfTheGregorianCalendar) {
  EXPECT_EQ(ParseDate("2026-01-02"), 20455);
  EXPECT_EQ(ParseDate("1969-12-31"), -1);
  EXPECT_EQ(ParseDate("0044-03-15 BC"), -735160);
  EXPECT_EQ(ParseDate("294276-12-31"), 106762939);
  for (const char* const text : {"", "infinity", "2026-01", "2026-13-01", "2026-01-02x", "02.01.2026", "-2026-01-02"}) {
    EXPECT_EQ(ParseDate(text), std::nullopt) << text;
  }
}

TEST(JavaTime, TimesAreNanosecondsOfTheDay) {
  EXPECT_EQ(ParseTime("03:04:05.5"), 11'045'500'000'000);
  EXPECT_EQ(ParseTime("24:00:00"), kNanosPerDay);
  EXPECT_EQ(ParseTime("00:00"), 0);
  EXPECT_EQ(ParseTime("24:00:01"), std::nullopt);
  EXPECT_EQ(ParseTime("3 o'clock"), std::nullopt);
  EXPECT_EQ(ParseTimeWithZone("03:04:05+05:30"), (21 * 3600 + 34 * 60 + 5) * kNanosPerSecond);
  EXPECT_EQ(ParseTimeWithZone("23:00:00-05"), 4 * 3600 * kNanosPerSecond);
  EXPECT_EQ(ParseTimeWithZone("24:00:00+00"), 0);
  EXPECT_EQ(ParseTimeWithZone("03:04:05"), std::nullopt);
}

TEST(JavaTime, TimestampsAreMoments) {
  const auto parsed = [](const char* text) {
    const std::optional<Moment> moment = ParseTimestamp(text);
    return moment ? std::to_string(moment->seconds) + "." + std::to_string(moment->nanos) : "none";
  };
  EXPECT_EQ(parsed("2026-01-02 03:04:05.678901"), "1767323045.678901000");
  EXPECT_EQ(parsed("2026-01-02 03:04:05.678901+02"), "1767315845.678901000");
  EXPECT_EQ(parsed("1960-01-01 00:00:00.000001"), "-315619200.1000");
  EXPECT_EQ(parsed("0044-03-15 12:00:00+00 BC"), "-63517780800.0");
  EXPECT_EQ(parsed("1900-01-01 00:00:00+05:53:28"), parsed("1899-12-31 18:06:32"));
  EXPECT_EQ(parsed("1970-01-01"), "0.0");
  EXPECT_EQ(parsed("02.01.2026 03:04:05"), "none");
  EXPECT_EQ(parsed("2026-01-02 03:04:05 AD"), "none");
}

TEST(JavaTime, MomentsBeyondALongDoWhatJavaDoes) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const Moment late = *ParseTimestamp("294276-12-31 23:59:59");
  EXPECT_EQ(ToMicros(late), kMax);                                   // seconds saturate
  EXPECT_LT(ToMicros({.seconds = late.seconds, .nanos = 1000}), 0);  // and the sum wraps
  EXPECT_EQ(ToMillis(late), 9'224'318'015'999'000);
  EXPECT_EQ(ToNanos(late), std::nullopt);
  EXPECT_EQ(ToMillis({.seconds = kMax / 100}), std::nullopt);
  EXPECT_EQ(ToMillis(*ParseTimestamp("1960-01-01 00:00:00.0009")), -315'619'200'000);  // rounded down
  EXPECT_EQ(ToNanos(*ParseTimestamp("1960-01-01 00:00:00.000001")), -315'619'199'999'999'000);
}

TEST(JavaTime, IsoDatesHaveSignsBeyondFourDigits) {
  const auto iso = [](const char* date) { return Written([&](Buffer& out) { AppendIsoDate(*ParseDate(date), out); }); };
  EXPECT_EQ(iso("2026-01-02"), "2026-01-02");
  EXPECT_EQ(iso("12345-01-02"), "+12345-01-02");
  EXPECT_EQ(iso("0044-03-15 BC"), "-0043-03-15");
  EXPECT_EQ(iso("0001-01-01 BC"), "0000-01-01");
}

TEST(JavaTime, IsoTimesHaveAsManyDigitsAsNeededOrAsAskedFor) {
  const int64_t nanos = *ParseTime("03:04:05.5");
  EXPECT_EQ(Written([&](Buffer& out) { AppendIsoTime(nanos, out); }), "03:04:05.5");
  EXPECT_EQ(Written([&](Buffer& out) { AppendIsoTime(nanos, 6, out); }), "03:04:05.500000");
  EXPECT_EQ(Written([&](Buffer& out) { AppendIsoTime(nanos, 0, out); }), "03:04:05");
  EXPECT_EQ(Written([&](Buffer& out) { AppendIsoTime(0, out); }), "00:00:00");
}

TEST(JavaTime, DateTextIsJavaUtilDates) {
  const auto text = [](int64_t unix_ms) { return Written([&](Buffer& out) { AppendDateText(unix_ms, out); }); };
  EXPECT_EQ(text(1'767'323'045'678), "Fri Jan 02 03:04:05 UTC 2026");
  EXPECT_EQ(text(-1), "Wed Dec 31 23:59:59 UTC 1969");
  EXPECT_EQ(text(*ParseDate("1582-10-15") * kMillisPerDay), "Fri Oct 15 00:00:00 UTC 1582");
  EXPECT_EQ(text(*ParseDate("1582-10-14") * kMillisPerDay), "Thu Oct 04 00:00:00 UTC 1582");  // the Julian calendar
  EXPECT_EQ(text(*ParseDate("0044-03-15 BC") * kMillisPerDay), "Fri Mar 17 00:00:00 UTC 44");
}

TEST(JavaTime, HeaderDatesDependOnTheirSize) {
  const auto text = [](int64_t unix_ms) { return Written([&](Buffer& out) { AppendDateByMagnitude(unix_ms, out); }); };
  EXPECT_EQ(text(11'045'500), "03:04:05.500Z");
  EXPECT_EQ(text(-1), "23:59:59.999Z");
  EXPECT_EQ(text(kMillisPerDay), "1970-01-02");
  EXPECT_EQ(text(1'767'323'045'678), "2026-01-02T03:04:05.678Z");
}

}  // namespace
}  // namespace postrider::connect
