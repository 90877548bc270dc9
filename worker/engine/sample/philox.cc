#include "worker/engine/sample/philox.h"

namespace switchboard::engine {
namespace {

constexpr int kRounds = 10;
constexpr uint64_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
// Weyl sequence that moves the key from round to round.
constexpr uint32_t kBump0 = 0x9E3779B9, kBump1 = 0xBB67AE85;

constexpr uint64_t kLow = 0xFFFFFFFF;

// Four blocks side by side, a 32-bit word in each 64-bit lane: compilers turn the masked products
// into vector multiplications, of which even the oldest x86-64 has one.
typedef uint64_t Lanes __attribute__((vector_size(32)));
constexpr int kLanes = 4;

}  // namespace

PhiloxBlock Philox(const PhiloxBlock& counter, const PhiloxKey& key) {
  auto [a, b, c, d] = counter;
  auto [key0, key1] = key;
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t product0 = kMultiplier0 * a, product1 = kMultiplier1 * c;
    a = static_cast<uint32_t>(product1 >> 32) ^ b ^ key0;
    b = static_cast<uint32_t>(product1);
    c = static_cast<uint32_t>(product0 >> 32) ^ d ^ key1;
    d = static_cast<uint32_t>(product0);
    key0 += kBump0;
    key1 += kBump1;
  }
  return {a, b, c, d};
}

void PhiloxRun(const PhiloxBlock& counter, const PhiloxKey& key,
               std::array<uint32_t, 4 * kPhiloxRun>* out) {
  for (uint32_t first = 0; first < kPhiloxRun; first += kLanes) {
    Lanes a = {0, 1, 2, 3};
    a = (a + counter[0] + first) & kLow;
    Lanes b = Lanes{} + counter[1], c = Lanes{} + counter[2], d = Lanes{} + counter[3];
    Lanes key0 = Lanes{} + key[0], key1 = Lanes{} + key[1];
    for (int round = 0; round < kRounds; ++round) {
      const Lanes product0 = (a & kLow) * kMultiplier0, product1 = (c & kLow) * kMultiplier1;
      a = (product1 >> 32) ^ b ^ key0;
      b = product1 & kLow;
      c = (product0 >> 32) ^ d ^ key1;
      d = product0 & kLow;
      key0 = (key0 + kBump0) & kLow;
      key1 = (key1 + kBump1) & kLow;
    }
    uint32_t* const blocks = out->data() + 4 * first;
    for (int i = 0; i < kLanes; ++i) {
      blocks[4 * i] = static_cast<uint32_t>(a[i]);
      blocks[4 * i + 1] = static_cast<uint32_t>(b[i]);
      blocks[4 * i + 2] = static_cast<uint32_t>(c[i]);
      blocks[4 * i + 3] = static_cast<uint32_t>(d[i]);
    }
  }
}

}  // namespace switchboard::engine
