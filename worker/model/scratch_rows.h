// Rows in scratch memory, and how many of them an MLP takes at a time.
#ifndef SWITCHBOARD_WORKER_MODEL_SCRATCH_ROWS_H_
#define SWITCHBOARD_WORKER_MODEL_SCRATCH_ROWS_H_

#include <cstdint>

#include "worker/backend/memory.h"
#include "worker/backend/ops.h"

namespace switchboard::model {

// Rows of an MLP that are computed together: bounds the memory of its wide middle, and is enough
// for each weight to be read from the cache. Rows do not depend on each other, so it does not show
// in the results.
inline constexpr int64_t kMlpRows = 256;

// [rows, width] floats in `memory`, valid until its next use; the content is undefined.
inline backend::Rows Use(backend::Scratch* memory, int64_t rows, int64_t width) {
  return {memory->Grow(rows * width), rows, width};
}

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_SCRATCH_ROWS_H_
