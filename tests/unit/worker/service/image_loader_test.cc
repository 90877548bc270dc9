#include "worker/service/image_loader.h"

#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/mapped_file.h"
#include "tests/support/status_matchers.h"

namespace switchboard::worker {
namespace {

using testing::AllOf;
using testing::HasSubstr;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr int32_t kImageToken = 2524;

ModelFiles TinyFiles() { return *ReadModelFiles(SWITCHBOARD_MODELS "/autoglm-phone-tiny"); }

// A 360x800 screenshot, which the demonstration model sees as 22 x 10 patches, 55 tokens.
v1::MediaItem Screenshot() {
  v1::MediaItem item;
  item.set_content(*ReadFile(SWITCHBOARD_TEST_DATA "/golden/examples/screen_000.png", 1 << 20));
  item.set_sha256(Sha256Of(item.content()));
  item.set_grid_h(22);
  item.set_grid_w(10);
  item.set_tokens(55);
  item.set_prompt_offset(2);
  return item;
}

v1::GenerateRequest RequestWith(const v1::MediaItem& item) {
  v1::GenerateRequest request;
  for (int id : {1, 2520}) request.add_prompt_ids(id);
  for (int i = 0; i < 55; ++i) request.add_prompt_ids(kImageToken);
  request.add_prompt_ids(2521);
  *request.add_media() = item;
  return request;
}

TEST(PrepareImage, MakesThePatchesOfAScreenshot) {
  absl::StatusOr<engine::PreparedImage> image = PrepareImage(Screenshot(), *TinyFiles().images);
  ASSERT_THAT(image, IsOk());
  EXPECT_EQ(image->grid_h, 22);
  EXPECT_EQ(image->grid_w, 10);
  EXPECT_EQ(image->tokens, 55);
  EXPECT_EQ(image->prompt_offset, 2);
  EXPECT_EQ(image->patches.size(), 22u * 10 * 3 * 2 * 14 * 14);
}

TEST(PrepareImage, RefusesAGridThatIsNotItsOwn) {
  v1::MediaItem item = Screenshot();
  item.set_grid_h(20);
  EXPECT_THAT(PrepareImage(item, *TinyFiles().images), StatusIs(kInvalid, HasSubstr("22x10")));
}

TEST(PrepareImage, RefusesDamagedBytes) {
  v1::MediaItem item = Screenshot();
  item.mutable_content()->back() ^= 1;
  EXPECT_THAT(PrepareImage(item, *TinyFiles().images),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("SHA-256")));
  item.mutable_content()->resize(200);
  item.set_sha256(Sha256Of(item.content()));
  EXPECT_THAT(PrepareImage(item, *TinyFiles().images), StatusIs(kInvalid, testing::Ne("")));
}

TEST(CheckPlacements, AcceptsAnImageOnItsPlaceholders) {
  EXPECT_THAT(CheckPlacements(RequestWith(Screenshot()), TinyFiles(), 1), IsOk());
}

TEST(CheckPlacements, RefusesPlacesThatAreNotItsPlaceholders) {
  const ModelFiles files = TinyFiles();
  for (auto [offset, tokens] : {std::pair{-1, 55},
                                {1, 55},
                                {3, 55},
                                {2, 56},
                                {2, 0},
                                {2, -5},
                                {2, INT32_MAX},
                                {INT32_MAX, 55}}) {
    v1::MediaItem item = Screenshot();
    item.set_prompt_offset(offset);
    item.set_tokens(tokens);
    EXPECT_THAT(CheckPlacements(RequestWith(item), files, 1),
                StatusIs(kInvalid, HasSubstr("media[0]")))
        << offset << " " << tokens;
  }
  v1::GenerateRequest twice = RequestWith(Screenshot());
  *twice.add_media() = Screenshot();
  EXPECT_THAT(CheckPlacements(twice, files, 2), StatusIs(kInvalid, HasSubstr("media[1]")));
  EXPECT_THAT(CheckPlacements(twice, files, 1), StatusIs(kInvalid, HasSubstr("at most 1")));
  ModelFiles text_only = files;
  text_only.images.reset();
  EXPECT_THAT(CheckPlacements(RequestWith(Screenshot()), text_only, 1),
              StatusIs(kInvalid, HasSubstr("does not take images")));
}

TEST(CheckPixels, AddsTheImagesUpAndNamesTheOneThatGoesBeyond) {
  v1::GenerateRequest request = RequestWith(Screenshot());
  *request.add_media() = Screenshot();
  EXPECT_THAT(CheckPixels(request, 2 * 360 * 800), IsOk());
  EXPECT_THAT(CheckPixels(request, 2 * 360 * 800 - 1),
              StatusIs(kInvalid, AllOf(HasSubstr("media[1]"), HasSubstr("360x800"),
                                       HasSubstr("576000 pixels"), HasSubstr("575999"))));
}

TEST(CheckPixels, RefusesWhatIsNoImage) {
  v1::GenerateRequest request = RequestWith(Screenshot());
  request.add_media()->set_content("GIF89a");
  EXPECT_THAT(CheckPixels(request, INT64_MAX), StatusIs(kInvalid, HasSubstr("media[1]")));
}

TEST(MaxRequestPixels, LeaveRoomForOneImageOfAnySizeAndForAsManyPhotosAsAllowed) {
  EXPECT_EQ(MaxRequestPixels(1), 178956970);
  EXPECT_EQ(MaxRequestPixels(10), 178956970);
  EXPECT_GT(MaxRequestPixels(10), 10 * 3840 * 2160);
  EXPECT_EQ(MaxRequestPixels(100), 100 * 4096 * 4096);
}

TEST(ImageBytes, CountsPatchRowsAndEmbeddings) {
  // 55 tokens of 2 x 2 patches of 3 * 2 * 14 * 14 floats, and 64 floats of embedding each.
  EXPECT_EQ(ImageBytes(RequestWith(Screenshot()), *TinyFiles().images, 64),
            55 * (4 * 1176 + 64) * 4);
}

}  // namespace
}  // namespace switchboard::worker
