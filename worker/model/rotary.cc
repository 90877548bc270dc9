#include "worker/model/rotary.h"

#include "base/check.h"
#include "base/fixed_math.h"

namespace switchboard::model {
namespace {

constexpr double kTwoPi = 6.283185307179586;

// In double, where the errors of log, quotient and exp together stay below 1e-14 of the value for
// the thetas of models: rounding to float hides them.
double Frequency(double log_theta, int i, int pairs) { return FixedExp(-log_theta * i / pairs); }

double Llama3(const RopeScaling& s, double f) {
  const double waves = s.original_length * f / kTwoPi;  // in the original length
  if (waves > s.high_factor) return f;
  if (waves < s.low_factor) return f / s.factor;
  const double t = (waves - s.low_factor) / (s.high_factor - s.low_factor);
  return (1 - t) * f / s.factor + t * f;
}

double Scaled(const RopeScaling& s, double f, size_t pair) {
  switch (s.kind) {
    case RopeScaling::Kind::kNone:
      return f;
    case RopeScaling::Kind::kLinear:
      return f / s.factor;
    case RopeScaling::Kind::kLlama3:
      return Llama3(s, f);
    case RopeScaling::Kind::kDivisors:
      return f / s.divisors[pair];
  }
  return f;
}

}  // namespace

std::vector<float> RotaryFrequencies(double theta, int pairs) {
  RotaryConfig config;
  config.theta = theta;
  config.pairs = pairs;
  return ScaledFrequencies(config);
}

std::vector<float> ScaledFrequencies(const RotaryConfig& config) {
  CHECK(config.theta >= 1 && config.theta <= 1e300 && config.pairs >= 0);
  const double log_theta = FixedLog(config.theta);
  std::vector<float> frequencies;
  for (int i = 0; i < config.pairs; ++i) {
    const double f = Frequency(log_theta, i, config.pairs);
    frequencies.push_back(static_cast<float>(Scaled(config.scaling, f, static_cast<size_t>(i))));
  }
  return frequencies;
}

}  // namespace switchboard::model
