#include "worker/engine/kv/page_table.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace switchboard::engine {

PageTable::PageTable(PageTable&& other) noexcept
    : pool_(other.pool_), pages_(std::exchange(other.pages_, {})) {}

int PageTable::exclusive_pages() const {
  return static_cast<int>(std::count_if(
      pages_.begin(), pages_.end(), [this](int32_t page) { return pool_->references(page) == 1; }));
}

void PageTable::GrowTo(int size) {
  while (this->size() < size) pages_.push_back(pool_->Allocate());
}

void PageTable::Share(const PageTable& other, int count) {
  CHECK(pages_.empty() && pool_ == other.pool_ && count <= other.size());
  for (int i = 0; i < count; ++i) {
    pool_->AddReference(other.pages_[i]);
    pages_.push_back(other.pages_[i]);
  }
}

void PageTable::Clear() {
  // From the end, so that the pool hands them out again in the same order.
  for (auto page = pages_.rbegin(); page != pages_.rend(); ++page) pool_->Release(*page);
  pages_.clear();
}

}  // namespace switchboard::engine
