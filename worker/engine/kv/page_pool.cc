#include "worker/engine/kv/page_pool.h"

#include <numeric>

#include "base/check.h"

namespace switchboard::engine {

PagePool::PagePool(int pages) : free_(pages), references_(pages, 0) {
  std::iota(free_.rbegin(), free_.rend(), 0);
}

PagePool::~PagePool() { CHECK(used_pages() == 0); }

int32_t PagePool::Allocate() {
  CHECK(!free_.empty());
  const int32_t page = free_.back();
  free_.pop_back();
  references_[page] = 1;
  return page;
}

void PagePool::AddReference(int32_t page) {
  CHECK(references_[page] > 0);
  ++references_[page];
}

void PagePool::Release(int32_t page) {
  CHECK(references_[page] > 0);
  if (--references_[page] == 0) free_.push_back(page);
}

}  // namespace switchboard::engine
