#include "worker/backend/cpu/kernels.h"

namespace switchboard::backend {

const Kernels& KernelsFor(Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::kAvx2) return internal::Avx2Kernels();
#endif
  return internal::ScalarKernels();
}

}  // namespace switchboard::backend
