#include "worker/service/fingerprint.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace switchboard::worker {
namespace {

ModelFiles SomeFiles() {
  ModelFiles files;
  files.tokenizer_json = "{}";
  files.eos_token_ids = {1, 2};
  files.images.emplace();
  return files;
}

TEST(FingerprintOf, DiffersWithEverythingThatDecidesTokens) {
  const std::vector<std::function<void(ModelFiles*)>> changes = {
      [](ModelFiles*) {},
      [](ModelFiles* files) { files->tokenizer_json = "{ }"; },
      [](ModelFiles* files) { files->chat_template = "x"; },
      [](ModelFiles* files) { files->bos_token = "x"; },
      [](ModelFiles* files) { files->eos_token = "x"; },
      [](ModelFiles* files) { files->eos_token_ids = {12}; },
      [](ModelFiles* files) { files->images.reset(); },
      [](ModelFiles* files) { files->images->image_token_id = 7; },
      [](ModelFiles* files) { files->images->image_token = "x"; },
      [](ModelFiles* files) { files->images->placeholder = "x"; },
      [](ModelFiles* files) { files->images->grid.patch_size = 16; },
      [](ModelFiles* files) { files->images->grid.merge_size = 1; },
      [](ModelFiles* files) { files->images->grid.temporal_patch_size = 1; },
      [](ModelFiles* files) { files->images->grid.min_pixels = 1; },
      [](ModelFiles* files) { files->images->grid.max_pixels = 100000; },
      [](ModelFiles* files) { files->images->normalization.mean[2] += 1e-6f; },
      [](ModelFiles* files) { files->images->normalization.deviation[0] += 1e-6f; },
  };
  std::set<std::string> seen = {FingerprintOf("v", "n", SomeFiles()),
                                FingerprintOf("w", "m", SomeFiles())};
  for (const auto& change : changes) {
    ModelFiles files = SomeFiles();
    change(&files);
    seen.insert(FingerprintOf("w", "n", files));
  }
  EXPECT_EQ(seen.size(), changes.size() + 2);
}

TEST(FingerprintOf, IsSixteenHexDigitsThatSamplingDefaultsDoNotChange) {
  ModelFiles files = SomeFiles();
  const std::string before = FingerprintOf("w", "n", files);
  files.sampling.temperature = 0.3f;
  EXPECT_EQ(FingerprintOf("w", "n", files), before);
  EXPECT_EQ(before.size(), 16u);
  EXPECT_EQ(before.find_first_not_of("0123456789abcdef"), std::string::npos);
}

}  // namespace
}  // namespace switchboard::worker
