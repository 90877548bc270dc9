// Renderings of the reference implementation.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tools/golden/templates.h"

namespace switchboard::golden {
namespace {

constexpr char kData[] = SWITCHBOARD_TEST_DATA "/golden/text";

TEST(GoldenTemplates, AgreeWithTheReference) {
  Report report;
  JudgeTemplates(DataFolder(kData, ""), &report);
  EXPECT_EQ(report.Close(/*strict=*/true), 0);
}

// Judges one row of snippets.jsonl alone.
int JudgeSnippet(const char* name, const char* row) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / name;
  std::filesystem::create_directories(folder / "templates");
  std::ofstream(folder / "templates" / "snippets.jsonl") << row << "\n";
  Report report;
  JudgeTemplates(DataFolder(folder.string(), ""), &report);
  return report.Close(/*strict=*/false);
}

TEST(GoldenTemplates, AreJudgedWrongWhenOneByteDiffers) {
  EXPECT_EQ(JudgeSnippet("golden_right", R"({"template": "a", "context": {}, "text": "a"})"), 0);
  EXPECT_EQ(JudgeSnippet("golden_wrong", R"({"template": "a", "context": {}, "text": "b"})"), 1);
}

TEST(GoldenTemplates, MayGiveTheDigestInsteadOfTheText) {
  EXPECT_EQ(JudgeSnippet("golden_digest",
                         R"({"template": "abc", "context": {}, "bytes": 3, "sha256": )"
                         R"("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"})"),
            0);
}

TEST(GoldenTemplates, AskForTheMessageOfARaisedError) {
  EXPECT_EQ(JudgeSnippet("golden_raised", R"({"template": "{{ raise_exception('m') }}", )"
                                          R"("context": {}, "error": "TemplateError", )"
                                          R"("message": "m"})"),
            0);
  EXPECT_EQ(JudgeSnippet("golden_other", R"({"template": "{{ raise_exception('m') }}", )"
                                         R"("context": {}, "error": "TemplateError", )"
                                         R"("message": "n"})"),
            1);
}

}  // namespace
}  // namespace switchboard::golden
