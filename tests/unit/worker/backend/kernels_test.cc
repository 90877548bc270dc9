// The functions inside the kernels, through the ops that show them.
#include "worker/backend/cpu/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/unit/worker/backend/random_rows.h"

namespace switchboard::backend {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// e^(score - largest) of a single tile, seen through the attention of one-dimensional heads.
struct OneHead {
  std::vector<float> keys = std::vector<float>(64), values = std::vector<float>(16 * 64);
  float max = -kInfinity, sum = 0, out[1] = {0};

  void Attend(const Kernels& kernels, float q, int tokens) {
    kernels.attend_tile({.q = &q,
                         .q_stride = 1,
                         .rows = 1,
                         .head_dim = 1,
                         .keys = keys.data(),
                         .values = values.data(),
                         .first = 0,
                         .tokens = tokens,
                         .scale = 1.0f},
                        {&max, &sum, out, 1});
  }
};

TEST(KernelsTest, SoftmaxSumsExponentialsToTwoUnitsInTheLastPlace) {
  for (int i = 0; i <= 8700; ++i) {
    OneHead head;
    const float score = static_cast<float>(i) * -0.01f;
    head.keys[0] = 0;
    head.keys[1] = score;
    head.Attend(KernelsFor(DetectIsa()), 1.0f, 2);
    const double want = 1.0 + std::exp(double{score});
    ASSERT_NEAR(head.sum, want, want * 1.3e-7) << score;
  }
}

TEST(KernelsTest, SoftmaxOfVeryDistantScoresIsExactlyTheLargest) {
  OneHead head;
  head.keys[0] = -1e30f;
  head.keys[1] = 3;
  head.values[0] = 100;
  head.values[16] = 7;
  head.Attend(KernelsFor(DetectIsa()), 1.0f, 2);
  EXPECT_EQ(head.max, 3.0f);
  EXPECT_EQ(head.sum, 1.0f);
  EXPECT_EQ(head.out[0], 7.0f);
}

TEST(KernelsTest, LaterTileWithALargerScoreRescalesWhatWasThere) {
  OneHead head;
  head.keys[0] = 0;
  head.values[0] = 1;
  head.Attend(KernelsFor(DetectIsa()), 1.0f, 1);
  head.keys[0] = 1000;
  head.values[0] = 5;
  head.Attend(KernelsFor(DetectIsa()), 1.0f, 1);
  EXPECT_EQ(head.max, 1000.0f);
  EXPECT_EQ(head.sum, 1.0f);
  EXPECT_EQ(head.out[0], 5.0f);
}

TEST(KernelsTest, C152_NanScoreMakesItsRowNan) {
  for (const Isa isa : {Isa::kScalar, DetectIsa()}) {
    OneHead head;
    head.keys[1] = std::nanf("");
    head.Attend(KernelsFor(isa), 1.0f, 3);
    EXPECT_TRUE(std::isnan(head.sum)) << NameOf(isa);
  }
}

TEST(KernelsTest, C152_NanPassesThroughNormsAndActivations) {
  for (const Isa isa : {Isa::kScalar, DetectIsa()}) {
    const Kernels& kernels = KernelsFor(isa);
    std::vector<float> x(20, 1.0f), weight(20, 1.0f), y(20);
    x[18] = std::nanf("");
    kernels.rms_norm(x.data(), weight.data(), 1e-5f, 20, y.data());
    EXPECT_TRUE(std::isnan(y[0]));
    kernels.silu_mul(x.data(), weight.data(), 20, y.data());
    EXPECT_TRUE(std::isnan(y[18]));
    EXPECT_FALSE(std::isnan(y[0]));
    kernels.gelu(x.data(), 20);
    EXPECT_TRUE(std::isnan(x[18]));
  }
}

}  // namespace
}  // namespace switchboard::backend
