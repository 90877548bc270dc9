// Every operation of the models, with its shapes. A Backend is one rank: one device, its memory,
// its threads.
//
// Activations are float, row-major, in backend memory (on the CPU: ordinary memory). A row's result
// depends on that row alone (in attention: on its own sequence), never on the other rows, on how
// many there are, or on the number of threads; a NaN stays in its row. Ops are called from one
// thread, take effect in order, and CHECK their shapes.
#ifndef SWITCHBOARD_WORKER_BACKEND_OPS_H_
#define SWITCHBOARD_WORKER_BACKEND_OPS_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "worker/backend/tensor.h"
#include "worker/backend/tile.h"

namespace switchboard::backend {

// Borrowed rows of activations: [rows, width], dense.
struct ConstRows {
  const float* data = nullptr;
  int64_t rows = 0;
  int64_t width = 0;

  const float* row(int64_t i) const { return data + i * width; }
  ConstRows slice(int64_t first, int64_t count) const { return {row(first), count, width}; }
};

struct Rows {
  float* data = nullptr;
  int64_t rows = 0;
  int64_t width = 0;

  float* row(int64_t i) const { return data + i * width; }
  Rows slice(int64_t first, int64_t count) const { return {row(first), count, width}; }
  operator ConstRows() const { return {data, rows, width}; }  // NOLINT: a view to a const view
};

// A weight matrix [rows, columns] in the layout of the backend that made it. Immutable.
class Matrix {
 public:
  virtual ~Matrix() = default;
  virtual int64_t rows() const = 0;
  virtual int64_t columns() const = 0;
};

// Sizes of an attention layer. A row of projections is [q heads | k heads | v heads], each head_dim
// wide.
struct HeadShape {
  int heads = 0;  // a multiple of kv_heads; query head i reads KV head i / (heads / kv_heads)
  int kv_heads = 0;
  int head_dim = 0;
  // Tokens that a query sees in PagedAttention: the last `window` up to itself; 0: all of them.
  int window = 0;

  int64_t q_width() const { return int64_t{heads} * head_dim; }
  int64_t qkv_width() const { return int64_t{heads + 2 * kv_heads} * head_dim; }
};

// Keys and values of many sequences, in pages of kTileTokens. Memory is committed as pages are
// first written.
class KvPages {
 public:
  virtual ~KvPages() = default;
  virtual int pages() const = 0;
  // Copies the first `tokens` tokens of a page over another one, in all layers; what lies behind
  // them is undefined.
  virtual void CopyPage(int from, int to, int tokens) = 0;
};

// Consecutive tokens of one sequence among the rows of a batch.
struct SequenceRows {
  int64_t row = 0;  // of its first token in the batch
  int64_t rows = 0;
  int64_t position = 0;             // index of that token in its sequence
  absl::Span<const int32_t> pages;  // token i lies in pages[i / kTileTokens]
};

class Backend {
 public:
  virtual ~Backend() = default;

  // The blocks stacked one below the other, kept as `storage`. REQUIRES: equal columns().
  // ResourceExhausted when the memory cannot be had.
  virtual absl::StatusOr<std::unique_ptr<Matrix>> NewMatrix(absl::Span<const TensorView> blocks,
                                                            DType storage) = 0;
  virtual absl::StatusOr<std::unique_ptr<KvPages>> NewKvPages(const HeadShape& shape, int layers,
                                                              int pages) = 0;
  // Bytes of one page over all layers.
  virtual int64_t KvPageBytes(const HeadShape& shape, int layers) const = 0;

  // y[i] = table row ids[i]. REQUIRES: ids within the table.
  virtual void Embed(const Matrix& table, absl::Span<const int32_t> ids, Rows y) = 0;
  // y = x / sqrt(mean(x^2) + eps) * weight. y may be x.
  virtual void RmsNorm(ConstRows x, absl::Span<const float> weight, float eps, Rows y) = 0;
  // RmsNorm in place over each of the `heads` heads from `first` on, of every row; weight
  // [head_dim].
  virtual void RmsNormHeads(Rows x, int first, int heads, absl::Span<const float> weight,
                            float eps) = 0;
  // y = (x - mean) / sqrt(variance + eps) * weight + bias. y may be x.
  virtual void LayerNorm(ConstRows x, absl::Span<const float> weight, absl::Span<const float> bias,
                         float eps, Rows y) = 0;
  // y [rows, N] = x [rows, K] * W^T + bias, W [N, K]; an empty bias is none.
  virtual void Linear(ConstRows x, const Matrix& w, absl::Span<const float> bias, Rows y) = 0;
  // gate_up [rows, 2 n] = [gate | up]; y [rows, n] = silu(gate) * up, silu(g) = g / (1 + e^-g).
  virtual void SiluMul(ConstRows gate_up, Rows y) = 0;
  // x = x / 2 * (1 + erf(x / sqrt(2))).
  virtual void GeluErf(Rows x) = 0;
  // y += x.
  virtual void Add(ConstRows x, Rows y) = 0;

  // Cosine and sine of angles in [-2e7, 2e7].
  virtual void CosSin(absl::Span<const float> angles, float* cosines, float* sines) = 0;
  // Rotates the first `heads` heads of each row of x. cosines, sines [x.rows, pairs]; pair i of a
  // head is its elements (2i, 2i + 1); what lies behind 2 * pairs is left alone.
  virtual void RotateAdjacent(Rows x, int heads, int head_dim, ConstRows cosines,
                              ConstRows sines) = 0;
  // The same, pair i being the elements (i, pairs + i).
  virtual void RotateHalves(Rows x, int heads, int head_dim, ConstRows cosines,
                            ConstRows sines) = 0;

  // Writes the k and v heads of qkv [rows, qkv_width] to their places in the pages.
  virtual void WriteKv(ConstRows qkv, const HeadShape& shape,
                       absl::Span<const SequenceRows> sequences, int layer, KvPages* kv) = 0;
  // Causal attention of the q heads of qkv over the pages (which hold their own k and v already): y
  // [rows, q_width] = softmax(q k^T / sqrt(head_dim)) v. Reduces over tiles of kTileTokens tokens
  // that begin at multiples of it, within chunks of kChunkTiles tiles, chunks merged in ascending
  // order. Tiles before a query's window take no part, tokens before it within a tile neither.
  virtual void PagedAttention(ConstRows qkv, const HeadShape& shape,
                              absl::Span<const SequenceRows> sequences, int layer,
                              const KvPages& kv, Rows y) = 0;
  // The same over all rows of qkv, every row seeing every other, without pages or a window.
  virtual void FullAttention(ConstRows qkv, const HeadShape& shape, Rows y) = 0;

  // y[i] = x[indices[i]].
  virtual void GatherRows(ConstRows x, absl::Span<const int32_t> indices, Rows y) = 0;
  // y[indices[i]] = x[i].
  virtual void ScatterRows(ConstRows x, absl::Span<const int32_t> indices, Rows y) = 0;

  // y[i] += the table (side x side cells of y.width floats, row by row) sampled bicubically (A =
  // -0.75, every tap clamped to the table) at (sample_y[i], sample_x[i]) in cells.
  virtual void AddBicubic(absl::Span<const float> table, int side, absl::Span<const float> sample_y,
                          absl::Span<const float> sample_x, Rows y) = 0;
};

}  // namespace switchboard::backend

#endif  // SWITCHBOARD_WORKER_BACKEND_OPS_H_
