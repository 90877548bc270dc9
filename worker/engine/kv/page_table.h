// The pages of one sequence, in order of its tokens.
#ifndef SWITCHBOARD_WORKER_ENGINE_KV_PAGE_TABLE_H_
#define SWITCHBOARD_WORKER_ENGINE_KV_PAGE_TABLE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "worker/engine/kv/page_pool.h"

namespace switchboard::engine {

// A sequence may write only pages that it holds alone. Each table is used with one pool for all its
// life, which must outlive it. Not thread-safe.
class PageTable {
 public:
  explicit PageTable(PagePool* pool) : pool_(pool) {}
  ~PageTable() { Clear(); }
  PageTable(PageTable&& other) noexcept;
  PageTable& operator=(PageTable&&) = delete;

  absl::Span<const int32_t> pages() const { return pages_; }
  int size() const { return static_cast<int>(pages_.size()); }
  // Pages that Clear would free: those without another holder.
  int exclusive_pages() const;

  // Lets the table grow to `size` pages. REQUIRES: the pool has that many.
  void GrowTo(int size);
  // Takes part in the first `count` pages of another table. REQUIRES: this one is empty.
  void Share(const PageTable& other, int count);
  // Gives all pages back.
  void Clear();

 private:
  PagePool* const pool_;
  std::vector<int32_t> pages_;
};

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_WORKER_ENGINE_KV_PAGE_TABLE_H_
