// The judge of the other back ends: every op in plain loops, sums and functions in double. Slow;
// for tests.
#ifndef SWITCHBOARD_WORKER_BACKEND_CPU_REFERENCE_REFERENCE_BACKEND_H_
#define SWITCHBOARD_WORKER_BACKEND_CPU_REFERENCE_REFERENCE_BACKEND_H_

#include <memory>

#include "worker/backend/ops.h"

namespace switchboard::backend {

// Single-threaded. Matrices are kept as floats whatever their storage, rounded as that storage
// rounds.
std::unique_ptr<Backend> NewReferenceBackend();

}  // namespace switchboard::backend

#endif  // SWITCHBOARD_WORKER_BACKEND_CPU_REFERENCE_REFERENCE_BACKEND_H_
