// Expected values: correctly rounded, computed with 50 decimal digits.
#include "base/fixed_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

namespace switchboard {
namespace {

struct Case {
  double x, expected;
};

int64_t UnitsApart(double a, double b) {
  return std::abs(std::bit_cast<int64_t>(a) - std::bit_cast<int64_t>(b));
}

TEST(FixedLog, IsTheNaturalLogarithm) {
  for (const auto& [x, expected] : {
           Case{0x1.56e1fc2f8f359p-997, -0x1.5963447f87fb5p+9},
           Case{0x1p-33, -0x1.6dfb516f20bbfp+4},
           Case{0x1.999999999999ap-4, -0x1.26bb1bbb55515p+1},
           Case{0x1p-1, -0x1.62e42fefa39efp-1},
           Case{0x1.6a09e65dc27dfp-1, -0x1.62e4300c77ae8p-2},
           Case{0x1.6a09e7098ef50p-1, -0x1.62e42e268c249p-2},
           Case{0x1.ffffffff00000p-1, -0x1.0000000040000p-33},
           Case{1.0, 0.0},
           Case{1.5, 0x1.9f323ecbf984cp-2},
           Case{2.0, 0x1.62e42fefa39efp-1},
           Case{3.0, 0x1.193ea7aad030bp+0},
           Case{10.0, 0x1.26bb1bbb55516p+1},
           Case{0x1.81cd6c8b43958p+13, 0x1.2d79559791e31p+3},
           Case{0x1.7e43c8800759cp+996, 0x1.5963447f87fb5p+9},
       }) {
    EXPECT_LE(UnitsApart(FixedLog(x), expected), 2) << x << " gives " << FixedLog(x);
  }
}

TEST(FixedExp, IsTheExponential) {
  for (const auto& [x, expected] : {
           Case{0.0, 1.0},
           Case{-0x1.79ca10c924223p-67, 1.0},
           Case{-0.25, 0x1.8ebef9eac820bp-1},
           Case{-0x1.62e42fefa39eep-2, 0x1.6a09e667f3bcdp-1},
           Case{-0x1.6666666666666p-2, 0x1.68cce09671f71p-1},
           Case{-1.0, 0x1.78b56362cef38p-2},
           Case{-10.0, 0x1.7cd79b5647c9bp-15},
           Case{-100.5, 0x1.01a0e5643644fp-145},
           Case{-0x1.5df3333333333p+9, 0x1.32132bfae6577p-1010},
           Case{1.0, 0x1.5bf0a8b145769p+1},
           Case{0.5, 0x1.a61298e1e069cp+0},
           Case{20.0, 0x1.ceb088b68e804p+28},
       }) {
    EXPECT_LE(UnitsApart(FixedExp(x), expected), 2) << x << " gives " << FixedExp(x);
  }
}

TEST(FixedExp, IsZeroFarBelow) {
  EXPECT_EQ(FixedExp(-700.5), 0.0);
  EXPECT_EQ(FixedExp(-1e300), 0.0);
}

TEST(FixedMath, AgreesWithTheLibraryEverywhere) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-690, 690);
  for (int i = 0; i < 200000; ++i) {
    const double x = exponent(random);
    const double power = FixedExp(x);
    ASSERT_LE(UnitsApart(power, std::exp(x)), 3) << x;
    ASSERT_LE(UnitsApart(FixedLog(power), std::log(power)), 3) << power;
  }
}

}  // namespace
}  // namespace switchboard
