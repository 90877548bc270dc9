// The arrays of one forward pass.
#ifndef SWITCHBOARD_WORKER_ENGINE_BATCH_H_
#define SWITCHBOARD_WORKER_ENGINE_BATCH_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "worker/engine/active_request.h"
#include "worker/model/model.h"

namespace switchboard::engine {

// Borrows tokens, pages and embeddings of the sequences, which must stay as they are until the pass
// is over.
class Batch {
 public:
  // `max_tokens`: of all slices together.
  explicit Batch(int max_tokens) { positions_.reserve(max_tokens); }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  void Clear();
  // The next `tokens` tokens after the computed ones; with logits of the last one when it is the
  // last known token. REQUIRES: the sequence's pages cover them.
  void Add(const Sequence& sequence, int tokens);

  // Valid until the next Clear or Add.
  absl::Span<const model::SequenceSlice> Slices();
  int logit_rows() const { return logit_rows_; }

 private:
  absl::Span<const model::Position> PositionsOf(const Sequence& sequence, int tokens);

  std::vector<model::SequenceSlice> slices_;
  // Positions of slices that reach beyond the prompt; never reallocated, so that spans into it stay
  // valid.
  std::vector<model::Position> positions_;
  std::vector<model::ImageRows> images_;
  std::vector<size_t> first_image_;  // of each slice, in images_
  int logit_rows_ = 0;
};

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_WORKER_ENGINE_BATCH_H_
