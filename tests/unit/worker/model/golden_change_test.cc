// Proof that the judges of tools/golden notice one wrong value, and survive malformed ones.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "base/mapped_file.h"
#include "tools/golden/examples.h"
#include "tools/golden/text_models.h"
#include "tools/golden/vision_models.h"

namespace switchboard::golden {
namespace {

const std::filesystem::path kGolden = std::filesystem::path(SWITCHBOARD_TEST_DATA) / "golden";
constexpr char kText[] = "models/glm4v_text/expected.json";
constexpr char kVision[] = "models/a_fp32/golden.jsonl";

// A folder that holds changed files and is gone at the end of the test.
class GoldenChangeTest : public testing::Test {
 protected:
  GoldenChangeTest()
      : folder_(std::filesystem::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {}
  ~GoldenChangeTest() override { std::filesystem::remove_all(folder_); }

  // A copy of KIND's file with the first `old_text` replaced.
  void Change(const std::string& kind, const std::string& file, const std::string& old_text,
              const std::string& new_text) {
    std::string content = *ReadFile((kGolden / kind / file).string(), size_t{64} << 20);
    const size_t place = content.find(old_text);
    ASSERT_NE(place, std::string::npos) << old_text;
    content.replace(place, old_text.size(), new_text);
    Write(file, content);
  }
  void Write(const std::string& file, const std::string& content) {
    std::filesystem::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file, std::ios::binary) << content;
  }
  // Turns one bit near the end of a tensor file: the exponent of its last number.
  void ChangeTensor(const std::string& kind, const std::string& file) {
    std::string content = *ReadFile((kGolden / kind / file).string(), size_t{64} << 20);
    content[content.size() - 1] ^= 1;
    Write(file, content);
  }
  DataFolder Data(const std::string& kind) const {
    return DataFolder(folder_.string(), (kGolden / kind).string());
  }
  int JudgeText() const {
    Report report;
    JudgeTextModels(Data("text"), &report);
    return report.Close(/*strict=*/false);
  }
  int JudgeVision() const {
    Report report;
    JudgeVisionModels(Data("vision"), &report);
    return report.Close(/*strict=*/false);
  }
  int JudgeModel() const {
    Report report;
    JudgeExamples(Data("examples"), SWITCHBOARD_MODELS "/autoglm-phone-tiny", &report);
    return report.Close(/*strict=*/false);
  }

 private:
  const std::filesystem::path folder_;
};

TEST_F(GoldenChangeTest, ChangedTextValuesAreNoticed) {
  for (const auto& [from, to] : {std::pair{"\"steps\": [{\"id\": 160", "\"steps\": [{\"id\": 161"},
                                 {"\"first_logit_position\": 0", "\"first_logit_position\": 1"},
                                 {"\"hidden\": null", "\"hidden\": 7"},
                                 {"\"steps\": [{", "\"steps\": [5, {"},
                                 {"\"top_ids\": [", "\"top_ids\": [-1, "},
                                 {"\"top_logprobs\": [", "\"top_logprobs\": [\"x\", "},
                                 {"\"ids\": [146]", "\"ids\": [99999999]"},
                                 {"\"ids\": [146]", "\"ids\": []"}}) {
    Change("text", kText, from, to);
    EXPECT_EQ(JudgeText(), 1) << from;
  }
}

TEST_F(GoldenChangeTest, ChangedTextTensorIsNoticed) {
  ChangeTensor("text", "models/glm4v_text/expected.safetensors");
  EXPECT_EQ(JudgeText(), 1);
}

TEST_F(GoldenChangeTest, ChangedVisionValuesAreNoticed) {
  for (const auto& [from, to] : {std::pair{"\"rope_delta\": -6", "\"rope_delta\": -7"},
                                 {"\"greedy\": [50", "\"greedy\": [51"},
                                 {"\"margins\": [3.33222", "\"margins\": [\"x\""},
                                 {"\"first_logit_position\": 0", "\"first_logit_position\": -1"},
                                 {"\"input_ids\": [258", "\"input_ids\": [-258"}}) {
    Change("vision", kVision, from, to);
    EXPECT_EQ(JudgeVision(), 1) << from;
  }
}

TEST_F(GoldenChangeTest, ChangedVisionTensorsAreNoticed) {
  ChangeTensor("vision", "models/a_fp32/golden.safetensors");
  EXPECT_EQ(JudgeVision(), 1);
}

TEST_F(GoldenChangeTest, PictureWithoutPixelValuesIsNoticed) {
  Change("vision", "model_images/pixel_values.safetensors", "A.pixel_values", "Z.pixel_values");
  EXPECT_EQ(JudgeVision(), 1);
}

TEST_F(GoldenChangeTest, ChangedExamplesAreNoticed) {
  for (const auto& [from, to] : {std::pair{"\"output_ids\": [1668", "\"output_ids\": [1669"},
                                 {"\"margins\": [0.7475", "\"margins\": [null"},
                                 {"\"input_ids\": [2512", "\"input_ids\": [-1"},
                                 {"\"finish\": \"stop\"", "\"finish\": \"length\""}}) {
    Change("examples", "demo.jsonl", from, to);
    EXPECT_EQ(JudgeModel(), 1) << from;
  }
  Write("demo.jsonl", "");
  EXPECT_EQ(JudgeModel(), 1);
}

}  // namespace
}  // namespace switchboard::golden
