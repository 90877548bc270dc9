#include "worker/engine/kv/page_pool.h"

#include <gtest/gtest.h>

namespace switchboard::engine {
namespace {

TEST(PagePool, HandsOutTheLowestPagesFirst) {
  PagePool pool(3);
  EXPECT_EQ(pool.free_pages(), 3);
  for (int page = 0; page < 3; ++page) EXPECT_EQ(pool.Allocate(), page);
  EXPECT_EQ(pool.free_pages(), 0);
  for (int page = 0; page < 3; ++page) pool.Release(page);
}

TEST(PagePool, HandsOutThePageThatWasFreedLast) {
  PagePool pool(3);
  for (int i = 0; i < 3; ++i) pool.Allocate();
  pool.Release(0);
  pool.Release(2);
  EXPECT_EQ(pool.Allocate(), 2);
  EXPECT_EQ(pool.Allocate(), 0);
  for (int page = 0; page < 3; ++page) pool.Release(page);
}

TEST(PagePool, FreesAPageWithItsLastHolder) {
  PagePool pool(1);
  const int32_t page = pool.Allocate();
  pool.AddReference(page);
  EXPECT_EQ(pool.references(page), 2);
  pool.Release(page);
  EXPECT_EQ(pool.used_pages(), 1);
  pool.Release(page);
  EXPECT_EQ(pool.used_pages(), 0);
  EXPECT_EQ(pool.references(page), 0);
}

TEST(PagePoolDeathTest, DiesOfMisuse) {
  EXPECT_DEATH(PagePool(1).Release(0), "references_");
  EXPECT_DEATH(PagePool(0).Allocate(), "free_");
  EXPECT_DEATH(PagePool(1).Allocate(), "used_pages");
}

}  // namespace
}  // namespace switchboard::engine
