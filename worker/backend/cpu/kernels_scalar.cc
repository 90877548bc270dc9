// The kernels without any instruction set beyond the compiler's default.
#include "worker/backend/cpu/kernels.h"
// The order matters: each uses the names of those above it.
#include "worker/backend/cpu/lanes_scalar.h"
//
#include "worker/backend/cpu/math_inl.h"
//
#include "worker/backend/cpu/gemm_inl.h"
//
#include "worker/backend/cpu/attention_inl.h"
#include "worker/backend/cpu/rows_inl.h"

namespace switchboard::backend::internal {

const Kernels& ScalarKernels() {
  static constexpr Kernels kKernels = {Gemm<float>, Gemm<Bf16>,     Gemm<F16>,
                                       AttendTile,  MergeAttention, RmsNorm,
                                       LayerNorm,   SiluMul,        Gelu};
  return kKernels;
}

}  // namespace switchboard::backend::internal
