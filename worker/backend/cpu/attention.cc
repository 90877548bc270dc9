// A group is the query rows that read the same KV head and see the same tokens: in causal attention
// the heads of one token, in full attention some tokens of one head. A unit is what one thread
// computes without a break: a few groups side by side, so that a tile serves them all while it is
// in the cache.
#include "worker/backend/cpu/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/check.h"

namespace switchboard::backend {
namespace {

constexpr int64_t kChunkTokens = int64_t{kTileTokens} * kChunkTiles;
constexpr int64_t kTokensPerUnit = 4;
constexpr int64_t kRowsPerFullUnit = 2 * kAttentionRows;

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

float ScoreScale(int head_dim) { return 1.0f / std::sqrt(static_cast<float>(head_dim)); }

// Softmax states of some rows in one block of floats: maxima, sums, outputs.
class States {
 public:
  States(float* memory, int64_t rows, int head_dim)
      : memory_(memory), rows_(rows), head_dim_(head_dim) {}
  static int64_t Floats(int64_t rows, int head_dim) { return rows * (head_dim + 2); }

  void Reset() const {
    std::fill_n(memory_, rows_, -std::numeric_limits<float>::infinity());
    std::fill_n(memory_ + rows_, rows_ * (head_dim_ + 1), 0.0f);
  }
  AttentionState from(int64_t row) const {
    return {memory_ + row, memory_ + rows_ + row, memory_ + 2 * rows_ + row * head_dim_, head_dim_};
  }
  int64_t rows() const { return rows_; }

  // y [head_dim] = the finished softmax of a row.
  void Finish(int64_t row, float* y) const {
    const AttentionState state = from(row);
    for (int i = 0; i < head_dim_; ++i) y[i] = state.out[i] / *state.sum;
  }

 private:
  float* const memory_;
  const int64_t rows_;
  const int head_dim_;
};

// Some neighbouring tokens of a sequence, one KV head.
struct Unit {
  const SequenceRows* sequence;
  int kv_head;
  int64_t first, count;  // tokens, counted from the slice's first
  int window;            // of the layer; 0: none

  // Token t of the unit sees [Begin(t), End(t)) of the sequence.
  int64_t End(int64_t t) const { return sequence->position + first + t + 1; }
  int64_t Begin(int64_t t) const { return window == 0 ? 0 : std::max<int64_t>(0, End(t) - window); }
  // The chunks that some token sees something of.
  int64_t first_chunk() const { return Begin(0) / kChunkTokens; }
  int64_t end_chunk() const { return CeilDiv(End(count - 1), kChunkTokens); }
  int64_t chunks() const { return end_chunk() - first_chunk(); }
};

// One call of Paged.
struct PagedJob {
  const Kernels& kernels;
  ConstRows qkv;
  const HeadShape& shape;
  int layer;
  const CpuKvPages& kv;
  Rows y;

  int group() const { return shape.heads / shape.kv_heads; }
  int64_t StateRows(const Unit& unit) const { return unit.count * group(); }
  void AttendChunk(const Unit& unit, int64_t chunk, const States& states) const;
  void AttendGroups(const Unit& unit, int64_t tile, const States& states) const;
  void Merge(const States& from, const States& to) const;
  void Finish(const Unit& unit, const States& states) const;
};

void PagedJob::AttendChunk(const Unit& unit, int64_t chunk, const States& states) const {
  const int64_t begin = std::max(chunk * kChunkTiles, unit.Begin(0) / kTileTokens);
  const int64_t end =
      std::min((chunk + 1) * kChunkTiles, CeilDiv(unit.End(unit.count - 1), kTileTokens));
  states.Reset();
  for (int64_t tile = begin; tile < end; ++tile) AttendGroups(unit, tile, states);
}

// One tile for every token of the unit that sees some of it.
void PagedJob::AttendGroups(const Unit& unit, int64_t tile, const States& states) const {
  const float* data = kv.tile(unit.sequence->pages[static_cast<size_t>(tile)], layer, unit.kv_head);
  for (int64_t t = 0; t < unit.count; ++t) {
    const int64_t first = std::max<int64_t>(0, unit.Begin(t) - tile * kTileTokens);
    const int64_t tokens = std::min<int64_t>(kTileTokens, unit.End(t) - tile * kTileTokens);
    if (first >= tokens) continue;
    const float* q = qkv.row(unit.sequence->row + unit.first + t) +
                     int64_t{unit.kv_head} * group() * shape.head_dim;
    for (int g = 0; g < group(); g += kAttentionRows) {
      kernels.attend_tile({.q = q + int64_t{g} * shape.head_dim,
                           .q_stride = shape.head_dim,
                           .rows = std::min(kAttentionRows, group() - g),
                           .head_dim = shape.head_dim,
                           .keys = kv.layout().keys(data),
                           .values = kv.layout().values(data),
                           .first = static_cast<int>(first),
                           .tokens = static_cast<int>(tokens),
                           .scale = ScoreScale(shape.head_dim)},
                          states.from(t * group() + g));
    }
  }
}

void PagedJob::Merge(const States& from, const States& to) const {
  kernels.merge_attention(from.from(0), static_cast<int>(from.rows()), shape.head_dim, to.from(0));
}

void PagedJob::Finish(const Unit& unit, const States& states) const {
  for (int64_t t = 0; t < unit.count; ++t) {
    float* y_row = y.row(unit.sequence->row + unit.first + t) +
                   int64_t{unit.kv_head} * group() * shape.head_dim;
    for (int g = 0; g < group(); ++g) {
      states.Finish(t * group() + g, y_row + int64_t{g} * shape.head_dim);
    }
  }
}

std::vector<Unit> UnitsOf(absl::Span<const SequenceRows> sequences, const HeadShape& shape) {
  std::vector<Unit> units;
  for (int head = 0; head < shape.kv_heads; ++head) {
    for (const SequenceRows& sequence : sequences) {
      for (int64_t first = 0; first < sequence.rows; first += kTokensPerUnit) {
        units.push_back({&sequence, head, first, std::min(kTokensPerUnit, sequence.rows - first),
                         shape.window});
      }
    }
  }
  return units;
}

// Each thread takes every n-th unit: later units of a prompt see more tokens.
void RunInterleaved(Team* team, int64_t units, int64_t cost, absl::FunctionRef<void(int64_t)> f) {
  const int64_t members = team->members();
  team->Run(members, cost, [&](int64_t begin, int64_t end) {
    for (int64_t member = begin; member < end; ++member) {
      for (int64_t unit = member; unit < units; unit += members) f(unit);
    }
  });
}

// A unit's chunks one after the other.
void AttendWhole(const PagedJob& job, const Unit& unit) {
  const int64_t rows = job.StateRows(unit), size = States::Floats(rows, job.shape.head_dim);
  std::vector<float> memory(static_cast<size_t>(2 * size));
  const States total(memory.data(), rows, job.shape.head_dim);
  const States chunk(memory.data() + size, rows, job.shape.head_dim);
  total.Reset();
  for (int64_t c = unit.first_chunk(); c < unit.end_chunk(); ++c) {
    job.AttendChunk(unit, c, chunk);
    job.Merge(chunk, total);
  }
  job.Finish(unit, total);
}

// The chunks of all units shared out, then each unit's merged: for few rows with long contexts. The
// bits are those of AttendWhole: also the merging is the team's work, so that subnormals are
// flushed.
void AttendByChunk(const PagedJob& job, const std::vector<Unit>& units, int64_t cost, Team* team,
                   Scratch* scratch) {
  struct Part {
    size_t unit;
    int64_t chunk;  // counted from the unit's first
  };
  std::vector<Part> parts;
  std::vector<int64_t> offsets;  // of each unit's states: the total, then its chunks
  int64_t floats = 0;
  for (size_t u = 0; u < units.size(); ++u) {
    offsets.push_back(floats);
    for (int64_t c = 0; c < units[u].chunks(); ++c) parts.push_back({u, c});
    floats += (1 + units[u].chunks()) * States::Floats(job.StateRows(units[u]), job.shape.head_dim);
  }
  float* memory = scratch->Grow(floats);
  const auto states = [&](size_t u, int64_t index) {
    const int64_t rows = job.StateRows(units[u]);
    const int64_t at = offsets[u] + index * States::Floats(rows, job.shape.head_dim);
    return States(memory + at, rows, job.shape.head_dim);
  };
  RunInterleaved(team, static_cast<int64_t>(parts.size()), cost, [&](int64_t i) {
    const Part& part = parts[static_cast<size_t>(i)];
    const Unit& unit = units[part.unit];
    job.AttendChunk(unit, unit.first_chunk() + part.chunk, states(part.unit, 1 + part.chunk));
  });
  RunInterleaved(team, static_cast<int64_t>(units.size()), 4 * floats, [&](int64_t i) {
    const size_t u = static_cast<size_t>(i);
    const States total = states(u, 0);
    total.Reset();
    for (int64_t c = 0; c < units[u].chunks(); ++c) job.Merge(states(u, 1 + c), total);
    job.Finish(units[u], total);
  });
}

}  // namespace

void Attention::Paged(ConstRows qkv, const HeadShape& shape,
                      absl::Span<const SequenceRows> sequences, int layer, const CpuKvPages& kv,
                      Rows y) {
  const PagedJob job = {kernels_, qkv, shape, layer, kv, y};
  const std::vector<Unit> units = UnitsOf(sequences, shape);
  int64_t seen = 0, chunks = 0;
  for (const Unit& unit : units) {
    seen += unit.count * (unit.End(unit.count - 1) - unit.Begin(0));
    chunks = std::max(chunks, unit.chunks());
  }
  const int64_t cost = 4 * seen * job.group() * shape.head_dim;
  const int64_t count = static_cast<int64_t>(units.size());
  if (chunks > 1 && team_->members() > 1 && count < int64_t{2} * team_->members()) {
    AttendByChunk(job, units, cost, team_, &partials_);
    return;
  }
  RunInterleaved(team_, count, cost,
                 [&](int64_t i) { AttendWhole(job, units[static_cast<size_t>(i)]); });
}

namespace {

// One call of Full: `count` rows of one head against all tokens.
struct FullJob {
  const Kernels& kernels;
  ConstRows qkv;
  const HeadShape& shape;
  const KvTile& layout;
  const float* tiles;  // [kv head][tile]
  Rows y;

  int64_t tile_count() const { return CeilDiv(qkv.rows, kTileTokens); }
  void AttendTile(int head, int64_t first, int64_t count, int64_t tile, const States& states) const;
  void Attend(int head, int64_t first, int64_t count) const;
};

void FullJob::AttendTile(int head, int64_t first, int64_t count, int64_t tile,
                         const States& states) const {
  const int64_t kv_head = head / (shape.heads / shape.kv_heads);
  const float* data = tiles + (kv_head * tile_count() + tile) * layout.floats();
  const int64_t tokens = std::min<int64_t>(kTileTokens, qkv.rows - tile * kTileTokens);
  for (int64_t r = 0; r < count; r += kAttentionRows) {
    kernels.attend_tile({.q = qkv.row(first + r) + int64_t{head} * shape.head_dim,
                         .q_stride = qkv.width,
                         .rows = static_cast<int>(std::min<int64_t>(kAttentionRows, count - r)),
                         .head_dim = shape.head_dim,
                         .keys = layout.keys(data),
                         .values = layout.values(data),
                         .first = 0,
                         .tokens = static_cast<int>(tokens),
                         .scale = ScoreScale(shape.head_dim)},
                        states.from(r));
  }
}

void FullJob::Attend(int head, int64_t first, int64_t count) const {
  const int64_t size = States::Floats(count, shape.head_dim);
  std::vector<float> memory(static_cast<size_t>(2 * size));
  const States total(memory.data(), count, shape.head_dim);
  const States chunk(memory.data() + size, count, shape.head_dim);
  total.Reset();
  for (int64_t tile = 0; tile < tile_count(); ++tile) {
    if (tile % kChunkTiles == 0) chunk.Reset();
    AttendTile(head, first, count, tile, chunk);
    if (tile % kChunkTiles == kChunkTiles - 1 || tile + 1 == tile_count()) {
      kernels.merge_attention(chunk.from(0), static_cast<int>(count), shape.head_dim,
                              total.from(0));
    }
  }
  for (int64_t r = 0; r < count; ++r) {
    total.Finish(r, y.row(first + r) + int64_t{head} * shape.head_dim);
  }
}

}  // namespace

void Attention::Full(ConstRows qkv, const HeadShape& shape, Rows y) {
  const KvTile layout(shape.head_dim);
  const int64_t tile_count = CeilDiv(qkv.rows, kTileTokens);
  float* tiles = tiles_.Grow(shape.kv_heads * tile_count * layout.floats());
  team_->Run(qkv.rows, qkv.rows * shape.kv_heads * shape.head_dim, [&](int64_t begin, int64_t end) {
    for (int64_t token = begin; token < end; ++token) {
      for (int head = 0; head < shape.kv_heads; ++head) {
        const float* k = qkv.row(token) + shape.q_width() + int64_t{head} * shape.head_dim;
        const float* v = k + int64_t{shape.kv_heads} * shape.head_dim;
        layout.Write(k, v, static_cast<int>(token % kTileTokens),
                     tiles + (head * tile_count + token / kTileTokens) * layout.floats());
      }
    }
  });
  const FullJob job = {kernels_, qkv, shape, layout, tiles, y};
  const int64_t blocks = CeilDiv(qkv.rows, kRowsPerFullUnit);
  const int64_t cost = 4 * qkv.rows * qkv.rows * shape.q_width();
  team_->Run(shape.heads * blocks, cost, [&](int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t first = unit % blocks * kRowsPerFullUnit;
      job.Attend(static_cast<int>(unit / blocks), first,
                 std::min(kRowsPerFullUnit, qkv.rows - first));
    }
  });
}

}  // namespace switchboard::backend
