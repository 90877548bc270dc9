// KV pages of the CPU back end, in the layout that the attention kernel reads.
#ifndef SWITCHBOARD_WORKER_BACKEND_CPU_KV_PAGES_H_
#define SWITCHBOARD_WORKER_BACKEND_CPU_KV_PAGES_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "worker/backend/memory.h"
#include "worker/backend/ops.h"

namespace switchboard::backend {

// One KV head's 64 tokens, float: keys [4 panels of 16 tokens][head_dim][16], then values [panels
// of 16 channels][64 tokens][16]; channels behind head_dim are never written.
class KvTile {
 public:
  explicit KvTile(int head_dim);
  int64_t floats() const { return key_floats_ + value_floats_; }
  const float* keys(const float* tile) const { return tile; }
  const float* values(const float* tile) const { return tile + key_floats_; }
  // Writes the key and value of token `slot` (0 to 63).
  void Write(const float* key, const float* value, int slot, float* tile) const;

 private:
  const int head_dim_;
  const int64_t key_floats_, value_floats_;
};

// Tiles as [page][layer][kv head].
class CpuKvPages final : public KvPages {
 public:
  static absl::StatusOr<std::unique_ptr<CpuKvPages>> Map(const HeadShape& shape, int layers,
                                                         int pages);
  static int64_t PageBytes(const HeadShape& shape, int layers);

  int pages() const override { return pages_; }
  void CopyPage(int from, int to, int tokens) override;

  const KvTile& layout() const { return layout_; }
  // REQUIRES: page, layer and head exist.
  float* tile(int page, int layer, int head) const;

 private:
  CpuKvPages(const HeadShape& shape, int layers, int pages, Memory memory)
      : layout_(shape.head_dim),
        kv_heads_(shape.kv_heads),
        layers_(layers),
        pages_(pages),
        memory_(std::move(memory)) {}

  const KvTile layout_;
  const int kv_heads_, layers_, pages_;
  const Memory memory_;
};

}  // namespace switchboard::backend

#endif  // SWITCHBOARD_WORKER_BACKEND_CPU_KV_PAGES_H_
