#include "worker/model/rotary.h"

#include "base/check.h"
#include "base/fixed_math.h"

namespace switchboard::model {

// In double, where the errors of log, quotient and exp together stay below 1e-14 of the value for
// the thetas of models: rounding to float hides them.
std::vector<float> RotaryFrequencies(double theta, int pairs) {
  CHECK(theta >= 1 && theta <= 1e300 && pairs >= 0);
  const double log_theta = FixedLog(theta);
  std::vector<float> frequencies;
  for (int i = 0; i < pairs; ++i) {
    frequencies.push_back(static_cast<float>(FixedExp(-log_theta * i / pairs)));
  }
  return frequencies;
}

}  // namespace switchboard::model
