#include "worker/engine/kv/page_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace switchboard::engine {
namespace {

using testing::ElementsAre;

TEST(PageTable, GrowsAndNeverShrinks) {
  PagePool pool(4);
  PageTable table(&pool);
  table.GrowTo(2);
  table.GrowTo(1);
  EXPECT_THAT(table.pages(), ElementsAre(0, 1));
  table.GrowTo(3);
  EXPECT_THAT(table.pages(), ElementsAre(0, 1, 2));
}

TEST(PageTable, GivesItsPagesBackWhenClearedOrDestroyed) {
  PagePool pool(4);
  {
    PageTable table(&pool);
    table.GrowTo(3);
    table.Clear();
    EXPECT_EQ(pool.free_pages(), 4);
    table.GrowTo(2);
    EXPECT_THAT(table.pages(), ElementsAre(0, 1)) << "the same pages in the same order";
  }
  EXPECT_EQ(pool.free_pages(), 4);
}

TEST(PageTable, SharesTheFirstPagesOfAnother) {
  //  a: [0][1][2]
  //  b: [0][1][3]
  PagePool pool(4);
  PageTable a(&pool), b(&pool);
  a.GrowTo(3);
  b.Share(a, 2);
  b.GrowTo(3);
  EXPECT_THAT(b.pages(), ElementsAre(0, 1, 3));
  EXPECT_EQ(pool.free_pages(), 0);
  EXPECT_EQ(a.exclusive_pages(), 1);
  a.Clear();
  EXPECT_EQ(pool.free_pages(), 1);
  EXPECT_EQ(b.exclusive_pages(), 3);
}

TEST(PageTable, MovesWithItsPages) {
  PagePool pool(2);
  PageTable a(&pool);
  a.GrowTo(2);
  const PageTable b(std::move(a));
  EXPECT_THAT(b.pages(), ElementsAre(0, 1));
}

}  // namespace
}  // namespace switchboard::engine
