// Philox4x32-10: a counter-based random generator. The numbers are a pure function of (counter,
// key), so a token's randomness is found again from its place alone, on any machine, in any order.
// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#ifndef SWITCHBOARD_WORKER_ENGINE_SAMPLE_PHILOX_H_
#define SWITCHBOARD_WORKER_ENGINE_SAMPLE_PHILOX_H_

#include <array>
#include <cstdint>

namespace switchboard::engine {

using PhiloxBlock = std::array<uint32_t, 4>;
using PhiloxKey = std::array<uint32_t, 2>;

// The block of four random words at `counter`.
PhiloxBlock Philox(const PhiloxBlock& counter, const PhiloxKey& key);

// Blocks computed together by PhiloxRun.
inline constexpr int kPhiloxRun = 8;

// The blocks at (counter[0] + i, counter[1], counter[2], counter[3]) for i in [0, kPhiloxRun), one
// after another: out[4 * i + lane].
void PhiloxRun(const PhiloxBlock& counter, const PhiloxKey& key,
               std::array<uint32_t, 4 * kPhiloxRun>* out);

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_WORKER_ENGINE_SAMPLE_PHILOX_H_
