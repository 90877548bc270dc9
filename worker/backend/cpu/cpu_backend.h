// The float back end for processors: packed weights, one team of threads, kernels per instruction
// set.
#ifndef SWITCHBOARD_WORKER_BACKEND_CPU_CPU_BACKEND_H_
#define SWITCHBOARD_WORKER_BACKEND_CPU_CPU_BACKEND_H_

#include <memory>

#include "worker/backend/cpu/isa.h"
#include "worker/backend/ops.h"

namespace switchboard::backend {

// REQUIRES: threads >= 1, and the processor supports `isa`. The bits of every result are the same
// for all threads and instruction sets.
std::unique_ptr<Backend> NewCpuBackend(int threads, Isa isa);

}  // namespace switchboard::backend

#endif  // SWITCHBOARD_WORKER_BACKEND_CPU_CPU_BACKEND_H_
