// How fast the pairs of a rotary embedding turn.
#ifndef SWITCHBOARD_WORKER_MODEL_ROTARY_H_
#define SWITCHBOARD_WORKER_MODEL_ROTARY_H_

#include <vector>

namespace switchboard::model {

// theta^(-i / pairs) radians per position for i in [0, pairs), with the same bits on every machine.
// REQUIRES: 1 <= theta <= 1e300, pairs >= 0.
std::vector<float> RotaryFrequencies(double theta, int pairs);

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_ROTARY_H_
