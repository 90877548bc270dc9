// The greatest of many floats, in a form that compilers turn into vector code (std::max_element
// stays scalar).
#ifndef SWITCHBOARD_WORKER_ENGINE_SAMPLE_GREATEST_H_
#define SWITCHBOARD_WORKER_ENGINE_SAMPLE_GREATEST_H_

#include <algorithm>
#include <cstddef>

#include "absl/types/span.h"

namespace switchboard::engine {

// REQUIRES: at least one, none of them NaN.
inline float Greatest(absl::Span<const float> values) {
  constexpr size_t kLanes = 16;
  float lanes[kLanes];
  std::fill_n(lanes, kLanes, values[0]);
  size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const float value = values[i + lane];
      lanes[lane] = value > lanes[lane] ? value : lanes[lane];
    }
  }
  float greatest = *std::max_element(lanes, lanes + kLanes);
  for (; i < values.size(); ++i) greatest = std::max(greatest, values[i]);
  return greatest;
}

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_WORKER_ENGINE_SAMPLE_GREATEST_H_
