// The free list of the KV cache's pages, with reference counts: pages of a shared prompt stand in
// several tables.
#ifndef SWITCHBOARD_WORKER_ENGINE_KV_PAGE_POOL_H_
#define SWITCHBOARD_WORKER_ENGINE_KV_PAGE_POOL_H_

#include <cstdint>
#include <vector>

namespace switchboard::engine {

// Not thread-safe. Only numbers: the memory is the model's KvCache.
class PagePool {
 public:
  // Pages [0, pages), all free.
  explicit PagePool(int pages);
  // All pages must have been given back.
  ~PagePool();
  PagePool(const PagePool&) = delete;
  PagePool& operator=(const PagePool&) = delete;

  int pages() const { return static_cast<int>(references_.size()); }
  int free_pages() const { return static_cast<int>(free_.size()); }
  int used_pages() const { return pages() - free_pages(); }

  // A free page with one reference: the one freed last, at first the lowest. REQUIRES: free_pages()
  // > 0.
  int32_t Allocate();
  // One more holder. REQUIRES: the page is in use.
  void AddReference(int32_t page);
  // One holder less; the last one frees the page. REQUIRES: the page is in use.
  void Release(int32_t page);
  // Holders of the page; 0 = free.
  int references(int32_t page) const { return references_[page]; }

 private:
  std::vector<int32_t> free_;  // a stack
  std::vector<int32_t> references_;
};

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_WORKER_ENGINE_KV_PAGE_POOL_H_
