#include "worker/backend/cpu/isa.h"

namespace switchboard::backend {

Isa DetectIsa() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("f16c")) {
    return Isa::kAvx2;
  }
#endif
  return Isa::kScalar;
}

const char* NameOf(Isa isa) { return isa == Isa::kAvx2 ? "avx2" : "scalar"; }

}  // namespace switchboard::backend
