#include "text/template/numbers.h"

#include <gtest/gtest.h>

#include <limits>

namespace switchboard::text::jinja {
namespace {

TEST(Numbers, IntsPrintInAnyBase) {
  EXPECT_EQ(IntToString(0), "0");
  EXPECT_EQ(IntToString(-255), "-255");
  EXPECT_EQ(IntToString(-255, 16), "-ff");
  EXPECT_EQ(IntToString(Int(std::numeric_limits<uint64_t>::max())), "18446744073709551615");
}

TEST(Numbers, FloatsPrintAsReprDoes) {
  EXPECT_EQ(FloatToString(1), "1.0");
  EXPECT_EQ(FloatToString(-0.0), "-0.0");
  EXPECT_EQ(FloatToString(0.1), "0.1");
  EXPECT_EQ(FloatToString(1e16), "1e+16");
  EXPECT_EQ(FloatToString(1234567890123456), "1234567890123456.0");
  EXPECT_EQ(FloatToString(0.0001), "0.0001");
  EXPECT_EQ(FloatToString(0.00001), "1e-05");
  EXPECT_EQ(FloatToString(5e-324), "5e-324");
  EXPECT_EQ(FloatToString(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(Numbers, IntsAreReadAsPythonReadsThem) {
  EXPECT_EQ(ParseInt(" -42\n", 10), Int(-42));
  EXPECT_EQ(ParseInt("1_000", 10), Int(1000));
  EXPECT_EQ(ParseInt("0x1f", 16), Int(31));
  EXPECT_EQ(ParseInt("1f", 16), Int(31));
  EXPECT_EQ(ParseInt("0b11", 0), Int(3));
  EXPECT_EQ(ParseInt("000", 0), Int(0));
}

TEST(Numbers, WhatIsNoIntIsRefused) {
  for (const char* text : {"", " ", "-", "1_", "_1", "1__0", "0x", "1.0", "12a", "+-1"}) {
    EXPECT_EQ(ParseInt(text, 10), std::nullopt) << text;
  }
  EXPECT_EQ(ParseInt("012", 0), std::nullopt);
  EXPECT_EQ(ParseInt(std::string(50, '9'), 10), std::nullopt);
}

TEST(Numbers, FloatsAreReadAsPythonReadsThem) {
  EXPECT_EQ(ParseFloat(" 1.5e3 "), 1500.0);
  EXPECT_EQ(ParseFloat("-.5"), -0.5);
  EXPECT_EQ(ParseFloat("1_0.2"), 10.2);
  EXPECT_EQ(ParseFloat("-Infinity"), -std::numeric_limits<double>::infinity());
  for (const char* text : {"", "0x1p3", "1.5x", "--1", "1e", "nan(1)"}) {
    EXPECT_EQ(ParseFloat(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace switchboard::text::jinja
