#include "worker/engine/sample/philox.h"

namespace switchboard::engine {
namespace {

constexpr int kRounds = 10;
constexpr uint64_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
// Weyl sequence that moves the key from round to round.
constexpr uint32_t kBump0 = 0x9E3779B9, kBump1 = 0xBB67AE85;

// `kLanes` blocks side by side, so that the compiler can use vector multiplications.
template <int kLanes>
void Rounds(uint32_t (&a)[kLanes], uint32_t (&b)[kLanes], uint32_t (&c)[kLanes],
            uint32_t (&d)[kLanes], PhiloxKey key) {
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kLanes; ++i) {
      const uint64_t p0 = kMultiplier0 * a[i];
      const uint64_t p1 = kMultiplier1 * c[i];
      a[i] = static_cast<uint32_t>(p1 >> 32) ^ b[i] ^ key[0];
      b[i] = static_cast<uint32_t>(p1);
      c[i] = static_cast<uint32_t>(p0 >> 32) ^ d[i] ^ key[1];
      d[i] = static_cast<uint32_t>(p0);
    }
    key[0] += kBump0;
    key[1] += kBump1;
  }
}

}  // namespace

PhiloxBlock Philox(const PhiloxBlock& counter, const PhiloxKey& key) {
  uint32_t a[1] = {counter[0]}, b[1] = {counter[1]}, c[1] = {counter[2]}, d[1] = {counter[3]};
  Rounds<1>(a, b, c, d, key);
  return {a[0], b[0], c[0], d[0]};
}

void PhiloxRun(const PhiloxBlock& counter, const PhiloxKey& key,
               std::array<uint32_t, 4 * kPhiloxRun>* out) {
  uint32_t a[kPhiloxRun], b[kPhiloxRun], c[kPhiloxRun], d[kPhiloxRun];
  for (int i = 0; i < kPhiloxRun; ++i) {
    a[i] = counter[0] + static_cast<uint32_t>(i);
    b[i] = counter[1];
    c[i] = counter[2];
    d[i] = counter[3];
  }
  Rounds<kPhiloxRun>(a, b, c, d, key);
  for (int i = 0; i < kPhiloxRun; ++i) {
    (*out)[4 * i] = a[i];
    (*out)[4 * i + 1] = b[i];
    (*out)[4 * i + 2] = c[i];
    (*out)[4 * i + 3] = d[i];
  }
}

}  // namespace switchboard::engine
