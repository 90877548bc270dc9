#include "worker/backend/cpu/kv_pages.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/status_macros.h"
#include "worker/backend/cpu/kernels.h"

namespace switchboard::backend {
namespace {

int64_t ValuePanels(int head_dim) { return (head_dim + kPanel - 1) / kPanel; }

}  // namespace

KvTile::KvTile(int head_dim)
    : head_dim_(head_dim),
      key_floats_(int64_t{kTileTokens} * head_dim),
      value_floats_(ValuePanels(head_dim) * kPanel * kTileTokens) {}

void KvTile::Write(const float* key, const float* value, int slot, float* tile) const {
  float* key_lane = tile + int64_t{slot / kPanel} * head_dim_ * kPanel + slot % kPanel;
  for (int i = 0; i < head_dim_; ++i) key_lane[i * kPanel] = key[i];
  float* value_row = tile + key_floats_ + slot * kPanel;
  for (int i = 0; i < head_dim_; i += kPanel) {
    const int count = std::min(kPanel, head_dim_ - i);
    std::memcpy(value_row + int64_t{i} * kTileTokens, value + i, count * sizeof(float));
  }
}

int64_t CpuKvPages::PageBytes(const HeadShape& shape, int layers) {
  return KvTile(shape.head_dim).floats() * shape.kv_heads * layers *
         static_cast<int64_t>(sizeof(float));
}

absl::StatusOr<std::unique_ptr<CpuKvPages>> CpuKvPages::Map(const HeadShape& shape, int layers,
                                                            int pages) {
  CHECK(pages >= 0);
  ASSIGN_OR_RETURN(Memory memory, Memory::Map(PageBytes(shape, layers) * pages, "the KV cache"));
  return std::unique_ptr<CpuKvPages>(new CpuKvPages(shape, layers, pages, std::move(memory)));
}

void CpuKvPages::CopyPage(int from, int to, int tokens) {
  CHECK(tokens >= 0 && tokens <= kTileTokens);
  if (tokens == 0 || from == to) return;
  // Whole, because the tokens of a panel are interleaved; nobody reads behind a sequence's last
  // token.
  std::memcpy(tile(to, 0, 0), tile(from, 0, 0),
              static_cast<size_t>(layout_.floats() * layers_ * kv_heads_) * sizeof(float));
}

float* CpuKvPages::tile(int page, int layer, int head) const {
  CHECK(page >= 0 && page < pages_);
  const int64_t index = (int64_t{page} * layers_ + layer) * kv_heads_ + head;
  return static_cast<float*>(memory_.data()) + index * layout_.floats();
}

}  // namespace switchboard::backend
