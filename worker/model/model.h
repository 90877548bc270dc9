// What the engine needs of a model: sizes, a forward pass over many sequences at once, image
// encoding. A family is one implementation of this interface (see model_factory.h).
#ifndef SWITCHBOARD_WORKER_MODEL_MODEL_H_
#define SWITCHBOARD_WORKER_MODEL_MODEL_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace switchboard::model {

// Tokens per page of the KV cache: fixed, because attention reduces in tiles of this many tokens.
inline constexpr int kPageTokens = 64;

// Pages that hold `tokens` tokens.
constexpr int PagesFor(int tokens) { return (tokens + kPageTokens - 1) / kPageTokens; }

// Sizes that the engine plans with. Constant for the life of a model.
struct ModelShape {
  int vocab_size = 0;         // rows of the output layer
  int hidden_size = 0;        // width of an embedding row
  int max_positions = 0;      // longest sequence the model was built for
  int64_t kv_page_bytes = 0;  // one page over all layers
  bool has_vision = false;
};

// Where a token stands on the three position axes (time, height, width); all equal for text.
using Position = std::array<int32_t, 3>;

// An image's place in a prompt: tokens [offset, offset + grid_h * grid_w / merge^2). Grid in
// patches.
struct ImageRange {
  int32_t offset = 0;
  int32_t grid_h = 0, grid_w = 0;
};

// Positions of a whole prompt, and of what is generated after it.
struct PositionPlan {
  std::vector<Position> prompt;  // one per prompt token
  // A generated token at index n of the sequence stands at n + delta on every axis.
  int32_t delta = 0;
};

// Rows of an image that replace token embeddings in one slice: slice rows
// [row, row + count) take embeddings[0, count) (float [count, hidden_size], borrowed for the call).
struct ImageRows {
  int32_t row = 0, count = 0;
  const float* embeddings = nullptr;
};

// Consecutive tokens of one sequence to be computed in a step; everything is borrowed for the call.
struct SequenceSlice {
  absl::Span<const int32_t> token_ids;   // [rows]
  absl::Span<const Position> positions;  // [rows]
  // Index in the sequence of row 0: the KV of tokens [0, first) is in the pages already.
  int32_t first = 0;
  // Page table: token i of the sequence lies in pages[i / kPageTokens]; covers first + rows.
  absl::Span<const int32_t> pages;
  absl::Span<const ImageRows> images;
  // Logits are wanted for the last `logit_rows` rows (0 to rows).
  int32_t logit_rows = 0;
};

// Keys and values of all sequences, in pages of kPageTokens; pages are numbered [0, pages()). Owned
// by the engine, made by the model it belongs to. Not thread-safe: engine thread only.
class KvCache {
 public:
  virtual ~KvCache() = default;
  virtual int pages() const = 0;
  // Copies a page's first `tokens` tokens over another page (all layers); what lies behind
  // them there is undefined.
  virtual void CopyPage(int from, int to, int tokens) = 0;
};

// An image on its way through the vision tower, so that other work can run between its blocks.
class ImageEncoding {
 public:
  virtual ~ImageEncoding() = default;
  // Computes the next vision block (or the stem, or the merger). True when the encoding is
  // complete. REQUIRES: not complete yet.
  virtual bool Step() = 0;
  // float [grid_h * grid_w / merge^2, hidden_size], row-major over merged blocks. REQUIRES:
  // complete.
  virtual absl::Span<const float> Embeddings() const = 0;
};

// All methods are called from one thread (the engine's); implementations run on the backend's own
// team of threads inside. A result never depends on what else is in the batch.
class Model {
 public:
  virtual ~Model() = default;

  virtual const ModelShape& shape() const = 0;

  // A KV cache of that many pages. ResourceExhausted when the memory cannot be had.
  virtual absl::StatusOr<std::unique_ptr<KvCache>> NewKvCache(int pages) = 0;

  // Positions of a prompt of `tokens` tokens with these images, in order of offset. InvalidArgument
  // when the ranges do not fit the prompt.
  virtual absl::StatusOr<PositionPlan> PlanPositions(int32_t tokens,
                                                     absl::Span<const ImageRange> images) const = 0;

  // Computes all slices: writes their keys and values to `cache`, and the wanted logits, slice
  // after slice, to `logits` (float [sum of logit_rows, vocab_size]).
  virtual void Forward(absl::Span<const SequenceSlice> slices, KvCache* cache, float* logits) = 0;

  // Starts encoding an image given as normalised patch rows (float [grid_h * grid_w, patch width],
  // in the order of media/patches.h; moved in). REQUIRES: shape().has_vision.
  virtual std::unique_ptr<ImageEncoding> EncodeImage(std::vector<float> patches, int grid_h,
                                                     int grid_w) = 0;
};

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_MODEL_H_
