// The kernels for AVX2, FMA and F16C; this file alone is compiled for them, so it includes nothing
// whose inline functions the linker could share with the rest of the program.
#include "worker/backend/cpu/kernels.h"
// The order matters: each uses the names of those above it.
#include "worker/backend/cpu/lanes_avx2.h"
//
#include "worker/backend/cpu/math_inl.h"
//
#include "worker/backend/cpu/gemm_inl.h"
//
#include "worker/backend/cpu/attention_inl.h"
#include "worker/backend/cpu/rows_inl.h"

namespace switchboard::backend::internal {

const Kernels& Avx2Kernels() {
  static constexpr Kernels kKernels = {Gemm<float>, Gemm<Bf16>,     Gemm<F16>,
                                       AttendTile,  MergeAttention, RmsNorm,
                                       LayerNorm,   SiluMul,        Gelu};
  return kKernels;
}

}  // namespace switchboard::backend::internal
