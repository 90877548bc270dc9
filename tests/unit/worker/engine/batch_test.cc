#include "worker/engine/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/unit/worker/engine/rig.h"

namespace switchboard::engine {
namespace {

using model::Position;
using testing::ElementsAre;
using testing::IsEmpty;

class BatchTest : public testing::Test {
 protected:
  // Text 3, image 2x3 tokens at [3, 9), text 1: positions 0 1 2, (3..), 6; delta -3.
  BatchTest() {
    Request request = TextRequest(3, 10);
    AppendImage(4, 6, 0.5f, &request);
    request.prompt_ids.push_back(8);
    active_ = std::make_unique<ActiveRequest>(1, request, nullptr, absl::ZeroDuration(),
                                              SmallOptions(), &pool_);
    active_->positions = FakePositions(10, active_->images.Ranges());
    while (!active_->images.complete()) EXPECT_TRUE(active_->images.Step(&model_).ok());
    sequence().tokens = request.prompt_ids;
    sequence().pages.GrowTo(1);
  }

  Sequence& sequence() { return active_->choices()[0]; }

  FakeModel model_;
  PagePool pool_{4};
  std::unique_ptr<ActiveRequest> active_;
  Batch batch_{64};
};

TEST_F(BatchTest, WantsLogitsOnlyOfTheLastKnownToken) {
  batch_.Add(sequence(), 9);
  EXPECT_EQ(batch_.logit_rows(), 0);
  batch_.Clear();
  batch_.Add(sequence(), 10);
  EXPECT_EQ(batch_.logit_rows(), 1);
  EXPECT_EQ(batch_.Slices()[0].logit_rows, 1);
}

TEST_F(BatchTest, TakesTokensPositionsAndPagesAfterTheComputedOnes) {
  sequence().computed = 1;
  batch_.Add(sequence(), 3);
  const model::SequenceSlice& slice = batch_.Slices()[0];
  EXPECT_EQ(slice.first, 1);
  EXPECT_THAT(slice.token_ids, ElementsAre(7, 14, kImageToken));
  EXPECT_THAT(slice.positions,
              ElementsAre(Position{1, 1, 1}, Position{2, 2, 2}, Position{3, 3, 3}));
  EXPECT_THAT(slice.pages, ElementsAre(0));
}

TEST_F(BatchTest, PutsGeneratedTokensAtIndexPlusDelta) {
  sequence().tokens.insert(sequence().tokens.end(), {20, 21});
  sequence().computed = 9;
  batch_.Add(sequence(), 3);
  // delta is -3: index 10 stands at 7.
  EXPECT_THAT(batch_.Slices()[0].positions,
              ElementsAre(Position{6, 6, 6}, Position{7, 7, 7}, Position{8, 8, 8}));
}

TEST_F(BatchTest, GivesEachSliceItsOwnImageRows) {
  batch_.Add(sequence(), 5);
  sequence().computed = 9;
  batch_.Add(sequence(), 1);
  sequence().computed = 4;
  batch_.Add(sequence(), 5);
  const absl::Span<const model::SequenceSlice> slices = batch_.Slices();
  ASSERT_EQ(slices[0].images.size(), 1u);
  EXPECT_EQ(slices[0].images[0].row, 3);
  EXPECT_EQ(slices[0].images[0].count, 2);
  EXPECT_THAT(slices[1].images, IsEmpty());
  ASSERT_EQ(slices[2].images.size(), 1u);
  EXPECT_EQ(slices[2].images[0].row, 0);
  EXPECT_EQ(slices[2].images[0].count, 5);
}

}  // namespace
}  // namespace switchboard::engine
