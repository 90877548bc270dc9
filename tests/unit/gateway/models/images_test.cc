#include "gateway/models/images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "base/digest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/gateway/byte_card.h"
#include "tests/unit/gateway/openai/error_case.h"

namespace switchboard::gateway {
namespace {

using openai::ImageSource;
using openai::Verdict;
using testing::ElementsAre;

// A PNG of one colour, 28 x 28 pixels.
constexpr char kPng[] =
    "iVBORw0KGgoAAAANSUhEUgAAABwAAAAcCAIAAAD9b0jDAAAANElEQVR4AWM4ISdHdcRAdROBBo4aOhpRVA6B0SRF5QAdza"
    "ajSWo0SVE5BEaTFJUDlFalFAA8dBxuprD3GQAAAABJRU5ErkJggg==";

std::string DataUrl(const std::string& payload) { return "data:image/png;base64," + payload; }

const ImageInput& Input() {
  static const ImageInput* const input = new ImageInput(*ByteCard().image_input);
  return *input;
}

TEST(ImagesTest, DataUrlAndBareBase64GiveTheSameImage) {
  const std::string url = DataUrl(kPng);
  const ImageSource kSources[] = {{"a", url, true}, {"b", kPng, false}};
  const absl::StatusOr<std::vector<PromptImage>> images = ReadImages(kSources, &Input());
  ASSERT_THAT(images, IsOk());
  ASSERT_EQ(images->size(), 2u);
  std::string content;
  ASSERT_TRUE(absl::Base64Unescape(kPng, &content));
  for (const PromptImage& image : *images) {
    EXPECT_EQ(image.content, content);
    EXPECT_EQ(image.sha256, Sha256Of(content));
    // 84 x 84 pixels are 6 x 6 patches of 14, and 9 tokens.
    EXPECT_EQ(image.grid_h, 6);
    EXPECT_EQ(image.grid_w, 6);
    EXPECT_EQ(image.tokens, 9);
  }
  EXPECT_EQ((*images)[1].param, "b");
}

TEST(ImagesTest, WhatIsNoImageIsRefusedByItsPlace) {
  const struct {
    std::string encoded;
    bool must_be_url;
    const char* code;
  } kRows[] = {
      {"", true, "invalid_image_url"},
      {"hello", true, "invalid_image_url"},
      {"http://169.254.169.254/x.png", true, "invalid_image_url"},
      {"file:///etc/passwd", true, "invalid_image_url"},
      {"ftp://127.0.0.1/x.png", true, "invalid_image_url"},
      {DataUrl("@@@@"), true, "invalid_base64"},
      {DataUrl(""), true, "invalid_base64"},
      {"@@@@", false, "invalid_base64"},
      {DataUrl("aGVsbG8="), true, "invalid_image"},
      {DataUrl(std::string(kPng).substr(0, 20)), true, "invalid_image"},
  };
  for (const auto& row : kRows) {
    const ImageSource source = {"messages[0].content[0].image_url.url", row.encoded,
                                row.must_be_url};
    EXPECT_EQ(Verdict(ReadImages({&source, 1}, &Input()).status()),
              std::string("400 ") + row.code + " messages[0].content[0].image_url.url")
        << row.encoded;
  }
}

TEST(ImagesTest, CountAndModelAreCheckedBeforeAnythingIsDecoded) {
  const ImageSource kSources[] = {{"a", "?", true}, {"b", "?", true}, {"c", "?", true}};
  EXPECT_EQ(Verdict(ReadImages(kSources, &Input()).status()), "400 invalid_value c");
  EXPECT_EQ(Verdict(ReadImages(kSources, nullptr).status()), "400 invalid_value a");
  EXPECT_THAT(ReadImages({}, nullptr), IsOk());
}

TEST(ImagesTest, EachPlaceholderIsRepeatedForItsImage) {
  std::vector<PromptImage> images(2);
  images[0].tokens = 2;
  images[1].tokens = 3;
  const absl::StatusOr<std::vector<int32_t>> ids =
      ExpandPlaceholders({1, 257, 2, 257, 3}, 257, absl::MakeSpan(images));
  ASSERT_THAT(ids, IsOk());
  EXPECT_THAT(*ids, ElementsAre(1, 257, 257, 2, 257, 257, 257, 3));
  EXPECT_EQ(images[0].offset, 1);
  EXPECT_EQ(images[1].offset, 4);
}

TEST(ImagesTest, PlacesAndImagesMustBeAsMany) {
  std::vector<PromptImage> images(1);
  EXPECT_EQ(Verdict(ExpandPlaceholders({1, 257, 257}, 257, absl::MakeSpan(images)).status()),
            "400 invalid_value messages");
  EXPECT_EQ(Verdict(ExpandPlaceholders({1}, 257, absl::MakeSpan(images)).status()),
            "400 invalid_value messages");
}

}  // namespace
}  // namespace switchboard::gateway
