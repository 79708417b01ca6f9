#include "connect/java_number.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

namespace postrider::connect {
namespace {

std::string Double(double value) {
  Buffer out;
  AppendDouble(value, out);
  return std::string(out.view());
}
std::string Float(float value) {
  Buffer out;
  AppendFloat(value, out);
  return std::string(out.view());
}

TEST(JavaNumber, DoublesAreSpelledAsJdk19Does) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::pair<double, const char*> cases[] = {
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {1.0, "1.0"},
      {100.0, "100.0"},
      {0.1, "0.1"},
      {1.1, "1.1"},
      {0.01, "0.01"},
      {0.015, "0.015"},
      {0.001, "0.001"},
      {0.0009, "9.0E-4"},
      {1e-5, "1.0E-5"},
      {9999999.0, "9999999.0"},
      {9999999.99, "9999999.99"},
      {1e7, "1.0E7"},
      {12345678.9, "1.23456789E7"},
      {123456789.123456789, "1.2345678912345679E8"},
      {1e22, "1.0E22"},
      {1e23, "1.0E23"},
      {2e-3, "0.002"},
      {-19.99, "-19.99"},
      {4.9e-324, "4.9E-324"},
      {1e-323, "9.9E-324"},
      {2e-323, "2.0E-323"},
      {8.41e21, "8.41E21"},
      {1.7976931348623157e308, "1.7976931348623157E308"},
      {2.2250738585072014e-308, "2.2250738585072014E-308"},
      {kInfinity, "Infinity"},
      {-kInfinity, "-Infinity"},
      {std::nan(""), "NaN"},
  };
  for (const auto& [value, expected] : cases) EXPECT_EQ(Double(value), expected);
}

TEST(JavaNumber, FloatsAreSpelledAsJdk19Does) {
  const std::pair<float, const char*> cases[] = {{0.1f, "0.1"},
                                                 {1.5f, "1.5"},
                                                 {16777216.0f, "1.6777216E7"},
                                                 {1e-10f, "1.0E-10"},
                                                 {0.01f, "0.01"},
                                                 {3.4028235e38f, "3.4028235E38"},
                                                 {1.17549435e-38f, "1.1754944E-38"},
                                                 {1.4e-45f, "1.4E-45"},
                                                 {33554432.0f, "3.3554432E7"},
                                                 {-0.0f, "-0.0"}};
  for (const auto& [value, expected] : cases) EXPECT_EQ(Float(value), expected);
}

TEST(JavaNumber, EveryDoubleReadsBackAsItself) {
  std::mt19937_64 random(42);
  for (int i = 0; i < 20'000; ++i) {
    // Any bits, and numbers of a few decimals, which take the short way.
    const double any = std::bit_cast<double>(random());
    const double few = static_cast<double>(random() % 2'000'000'000) / std::pow(10, static_cast<double>(random() % 5));
    for (const double value : {any, few}) {
      if (!std::isfinite(value)) continue;
      const std::string text = Double(value);
      ASSERT_EQ(std::strtod(text.c_str(), nullptr), value) << text;
      ASSERT_LE(text.size(), 25u);
    }
  }
}

std::string Text(const std::optional<Value>& decimal) {
  if (!decimal) return "none";
  Buffer out;
  AppendDecimal(*decimal, out);
  return std::string(out.view());
}

TEST(JavaNumber, DecimalsAreSpelledAsBigDecimalDoes) {
  Arena arena;
  const std::pair<const char*, const char*> cases[] = {{"12.50", "12.50"},
                                                       {"-0.01", "-0.01"},
                                                       {"0", "0"},
                                                       {"0.00", "0.00"},
                                                       {"0.0000000", "0E-7"},
                                                       {"0.000001", "0.000001"},
                                                       {"0.0000001", "1E-7"},
                                                       {"-0.00000012", "-1.2E-7"},
                                                       {"1E3", "1E+3"},
                                                       {"1.5e-7", "1.5E-7"},
                                                       {"+7", "7"},
                                                       {"007.10", "7.10"},
                                                       {"-0", "0"},
                                                       {".5", "0.5"},
                                                       {"", "none"},
                                                       {"NaN", "none"},
                                                       {"1.2.3", "none"},
                                                       {"1e", "none"},
                                                       {"-", "none"},
                                                       {"1e99999", "none"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(Text(ParseDecimal(text, arena)), expected) << text;
}

TEST(JavaNumber, PlainDecimalsHaveNoExponent) {
  Arena arena;
  const std::pair<const char*, const char*> cases[] = {
      {"0.0000001", "0.0000001"}, {"1E3", "1000"}, {"0E3", "0"}, {"-12.5", "-12.5"}, {"0.00", "0.00"}};
  for (const auto& [text, expected] : cases) {
    Buffer out;
    AppendPlainDecimal(*ParseDecimal(text, arena), out);
    EXPECT_EQ(out.view(), expected);
  }
}

TEST(JavaNumber, ScalesChange) {
  Arena arena;
  const Value decimal = *ParseDecimal("-12.50", arena);
  EXPECT_EQ(Text(WithScale(decimal, 4, arena)), "-12.5000");
  EXPECT_EQ(Text(WithScale(decimal, 1, arena)), "-12.5");
  EXPECT_EQ(Text(WithScale(decimal, 0, arena)), "none");
  EXPECT_EQ(Text(WithScale(*ParseDecimal("0.00", arena), 0, arena)), "0");
  EXPECT_EQ(Text(WithScaleHalfUp(decimal, 0, arena)), "-13");
  EXPECT_EQ(Text(WithScaleHalfUp(*ParseDecimal("9.995", arena), 2, arena)), "10.00");
  EXPECT_EQ(Text(WithScaleHalfUp(*ParseDecimal("0.004", arena), 2, arena)), "0.00");
  EXPECT_EQ(Text(WithScaleHalfUp(*ParseDecimal("0.5", arena), 0, arena)), "1");
  EXPECT_EQ(Text(WithoutTrailingZeros(*ParseDecimal("100.10", arena), arena)), "100.1");
  EXPECT_EQ(Text(WithoutTrailingZeros(*ParseDecimal("1000", arena), arena)), "1000");
  EXPECT_EQ(Text(WithoutTrailingZeros(*ParseDecimal("0.00", arena), arena)), "0");
}

std::string Unscaled(const char* text) {
  Arena arena;
  Buffer out;
  AppendUnscaledBytes(*ParseDecimal(text, arena), out);
  std::string hex;
  for (const char byte : out.view()) {
    constexpr char kDigits[] = "0123456789abcdef";
    hex.push_back(kDigits[static_cast<unsigned char>(byte) >> 4]);
    hex.push_back(kDigits[static_cast<unsigned char>(byte) & 0xf]);
  }
  return hex;
}

TEST(JavaNumber, UnscaledBytesAreThoseOfBigInteger) {
  const std::pair<const char*, const char*> cases[] = {
      {"0", "00"},
      {"1", "01"},
      {"-1", "ff"},
      {"127", "7f"},
      {"128", "0080"},
      {"-128", "80"},
      {"-129", "ff7f"},
      {"255", "00ff"},
      {"256", "0100"},
      {"-256", "ff00"},
      {"12.50", "04e2"},
      {"4294967296", "0100000000"},
      {"-4294967296", "ff00000000"},
      {"-2147483648", "80000000"},
      {"2147483648", "0080000000"},
      {"-1234567890123456789012345678901234567890.123456789", "ff27c00fa8a21a605644c8f45a1a5267d751c67eeb"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(Unscaled(text), expected) << text;
}

TEST(JavaNumber, DecimalsBecomeTheNearestDouble) {
  Arena arena;
  EXPECT_EQ(DecimalToDouble(*ParseDecimal("12.50", arena)), 12.5);
  EXPECT_EQ(DecimalToDouble(*ParseDecimal("-0.1", arena)), -0.1);
  EXPECT_EQ(DecimalToDouble(*ParseDecimal("1e400", arena)), std::numeric_limits<double>::infinity());
  EXPECT_EQ(DecimalToDouble(*ParseDecimal("1e-400", arena)), 0.0);
}

}  // namespace
}  // namespace postrider::connect
