#include "worker/engine/prompt_images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/unit/worker/engine/rig.h"

namespace switchboard::engine {
namespace {

using testing::HasSubstr;

// text 5, image 2x3 tokens at [5, 11), text 2, image 1x2 tokens at [13, 15)
Request TwoImages() {
  Request request = TextRequest(5, 1);
  AppendImage(4, 6, 0.25f, &request);
  request.prompt_ids.insert(request.prompt_ids.end(), {1, 2});
  AppendImage(2, 4, 0.75f, &request);
  return request;
}

class PromptImagesTest : public testing::Test {
 protected:
  void EncodeNext() {
    for (int block = 1; block < kVisionBlocks; ++block) {
      EXPECT_FALSE(images_.Step(&model_).value());
    }
    EXPECT_TRUE(images_.Step(&model_).value());
  }

  FakeModel model_;
  PromptImages images_{TwoImages().images};
};

TEST_F(PromptImagesTest, KnowTheirPlaces) {
  const std::vector<model::ImageRange> ranges = images_.Ranges();
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[1].offset, 13);
  EXPECT_EQ(ranges[1].grid_h, 2);
  EXPECT_EQ(ranges[1].grid_w, 4);
}

TEST_F(PromptImagesTest, LetThePromptBeComputedUpToTheFirstThatIsNotEncoded) {
  EXPECT_EQ(images_.ComputableTokens(20), 5);
  EncodeNext();
  EXPECT_EQ(images_.ComputableTokens(20), 13);
  EXPECT_FALSE(images_.complete());
  EncodeNext();
  EXPECT_EQ(images_.ComputableTokens(20), 20);
  EXPECT_TRUE(images_.complete());
}

TEST_F(PromptImagesTest, GiveTheRowsThatFallIntoASlice) {
  EncodeNext();
  EncodeNext();
  const std::vector<float> first = FakeEmbeddings(std::vector<float>(4 * 6 * 2, 0.25f), 4, 6);
  const std::vector<float> second = FakeEmbeddings(std::vector<float>(2 * 4 * 2, 0.75f), 2, 4);
  std::vector<model::ImageRows> rows;
  images_.AppendRows(8, 6, &rows);  // tokens 8 to 13
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].row, 0);
  EXPECT_EQ(rows[0].count, 3);
  EXPECT_EQ(rows[0].embeddings[0], first[3 * kFakeHidden]) << "the image's fourth token";
  EXPECT_EQ(rows[1].row, 5);
  EXPECT_EQ(rows[1].count, 1);
  EXPECT_EQ(rows[1].embeddings[0], second[0]);
}

TEST_F(PromptImagesTest, GiveNoRowsBesideTheImages) {
  EncodeNext();
  EncodeNext();
  std::vector<model::ImageRows> rows;
  images_.AppendRows(0, 5, &rows);
  images_.AppendRows(11, 2, &rows);
  images_.AppendRows(15, 100, &rows);
  EXPECT_TRUE(rows.empty());
}

TEST_F(PromptImagesTest, FailWhenEmbeddingsDoNotMatchThePlaceholders) {
  model_.short_embeddings = true;
  for (int block = 1; block < kVisionBlocks; ++block) ASSERT_THAT(images_.Step(&model_), IsOk());
  EXPECT_THAT(images_.Step(&model_),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("placeholders")));
}

}  // namespace
}  // namespace switchboard::engine
