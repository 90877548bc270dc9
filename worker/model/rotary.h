// How fast the pairs of a rotary embedding turn.
#ifndef SWITCHBOARD_WORKER_MODEL_ROTARY_H_
#define SWITCHBOARD_WORKER_MODEL_ROTARY_H_

#include <vector>

#include "worker/model/config.h"

namespace switchboard::model {

// theta^(-i / pairs) radians per position for i in [0, pairs), with the same bits on every machine.
// REQUIRES: 1 <= theta <= 1e300, pairs >= 0.
std::vector<float> RotaryFrequencies(double theta, int pairs);

// The same, changed by the config's scaling.
std::vector<float> ScaledFrequencies(const RotaryConfig& config);

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_ROTARY_H_
