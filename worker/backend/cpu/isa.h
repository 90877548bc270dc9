// The instruction sets that the float kernels exist for. All give the same bits.
#ifndef SWITCHBOARD_WORKER_BACKEND_CPU_ISA_H_
#define SWITCHBOARD_WORKER_BACKEND_CPU_ISA_H_

namespace switchboard::backend {

enum class Isa { kScalar, kAvx2 };

// The best one that this processor and the system support (AVX2 needs FMA and F16C too).
Isa DetectIsa();

// "scalar", "avx2".
const char* NameOf(Isa isa);

}  // namespace switchboard::backend

#endif  // SWITCHBOARD_WORKER_BACKEND_CPU_ISA_H_
