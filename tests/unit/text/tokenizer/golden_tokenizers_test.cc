// Ids, decodings and incremental decodings of the reference implementations: Hugging Face's
// tokenizers, and for gguf_llama the sentencepiece library, which trained that vocabulary.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tools/golden/tokenizers.h"

namespace switchboard::golden {
namespace {

constexpr char kData[] = SWITCHBOARD_TEST_DATA "/golden/text";

TEST(GoldenTokenizers, AgreeWithTheReference) {
  Report report;
  JudgeTokenizers(DataFolder(kData, ""), &report);
  EXPECT_EQ(report.Close(/*strict=*/true), 0);
}

TEST(GoldenTokenizers, AreJudgedWrongWhenOneIdDiffers) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "golden_wrong_id";
  std::filesystem::create_directories(folder / "tokenizers" / "gpt2");
  std::ofstream(folder / "tokenizers" / "gpt2" / "vectors.jsonl")
      << R"({"text": "a", "ids": [64]})" << "\n"
      << R"({"text": "a", "ids": [65]})" << "\n";
  Report report;
  JudgeTokenizers(DataFolder(folder.string(), kData), &report);
  EXPECT_EQ(report.Close(/*strict=*/false), 1);
}

}  // namespace
}  // namespace switchboard::golden
