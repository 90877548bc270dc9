// The quantised formats of GGUF files: blocks of numbers that share their scales, widened to floats
// bit for bit as the formats' reference (ggml) defines them.
#ifndef SWITCHBOARD_WORKER_BACKEND_QUANT_H_
#define SWITCHBOARD_WORKER_BACKEND_QUANT_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace switchboard::backend {

struct BlockFormat {
  absl::string_view name;  // "Q4_1", as the tensor's type is called
  int64_t values = 0;      // of a block
  int64_t bytes = 0;       // of a block
  // Writes the `values` floats of the block to y. The block need not be aligned.
  void (*widen)(const char* block, float* y) = nullptr;
};

// Q4_0, Q4_1, Q8_0, Q4_K, Q5_K, Q6_K; nullptr for every other name. The format lives forever.
const BlockFormat* FindBlockFormat(absl::string_view name);

}  // namespace switchboard::backend

#endif  // SWITCHBOARD_WORKER_BACKEND_QUANT_H_
