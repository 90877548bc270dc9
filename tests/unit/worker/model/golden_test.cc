// The judges of tools/golden, run on the copies of the reference results in this repository.
#include <gtest/gtest.h>

#include "tools/golden/examples.h"
#include "tools/golden/text_models.h"
#include "tools/golden/vision_models.h"

namespace switchboard::golden {
namespace {

constexpr char kData[] = SWITCHBOARD_TEST_DATA "/golden";

// Close is 0 when something was judged and nothing failed.
TEST(GoldenTest, TextModelGivesTheReferenceLogitsHiddenStatesAndContinuations) {
  Report report;
  JudgeTextModels(DataFolder(std::string(kData) + "/text", ""), &report);
  EXPECT_EQ(report.Close(/*strict=*/true), 0);
}

TEST(GoldenTest, VisionModelsGiveTheReferenceStagesPositionsLogitsAndContinuations) {
  Report report;
  JudgeVisionModels(DataFolder(std::string(kData) + "/vision", ""), &report);
  EXPECT_EQ(report.Close(/*strict=*/false), 0);  // video cases are skipped
}

TEST(GoldenTest, DemonstrationModelAnswersAsTheReferenceDid) {
  Report report;
  JudgeExamples(DataFolder(std::string(kData) + "/examples", ""),
                SWITCHBOARD_MODELS "/autoglm-phone-tiny", &report);
  EXPECT_EQ(report.Close(/*strict=*/true), 0);
}

}  // namespace
}  // namespace switchboard::golden
