// The reference's values, and proof that the judge of them notices a single wrong one.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "tools/golden/data_folder.h"
#include "tools/golden/images.h"
#include "tools/golden/report.h"

namespace switchboard::golden {
namespace {

const char kGolden[] = SWITCHBOARD_TEST_DATA "/golden/vision";

int Judge(const DataFolder& data) {
  Report report;
  JudgeImages(data, &report);
  return report.Close(/*strict=*/false);
}

std::string ReadGolden(const std::string& name) {
  absl::StatusOr<std::string> bytes = DataFolder(kGolden, "").Read(name);
  EXPECT_TRUE(bytes.ok()) << name;
  return bytes.ok() ? *std::move(bytes) : "";
}

// The whole line of `file` that contains `text`.
std::string LineWith(const std::string& file, const std::string& text) {
  const std::string content = ReadGolden(file);
  const size_t place = content.find(text);
  EXPECT_NE(place, std::string::npos) << text;
  const size_t begin = content.rfind('\n', place) + 1;  // npos + 1 is 0
  return content.substr(begin, content.find('\n', place) + 1 - begin);
}

// Judges the reference with these files in place of its own.
int JudgeWith(const std::map<std::string, std::string>& files) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) /
      testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::create_directories(folder);
  for (const auto& [name, content] : files) {
    std::ofstream(folder / name, std::ios::binary) << content;
  }
  const int code = Judge(DataFolder(folder.string(), kGolden));
  std::filesystem::remove_all(folder);
  return code;
}

// One row alone is right as it stands and wrong with `new_text` in it.
void ExpectNoticed(const std::string& file, const std::string& old_text,
                   const std::string& new_text) {
  std::string line = LineWith(file, old_text);
  EXPECT_EQ(JudgeWith({{file, line}}), 0);
  line.replace(line.find(old_text), old_text.size(), new_text);
  EXPECT_EQ(JudgeWith({{file, line}}), 1) << old_text;
}

TEST(GoldenImagesTest, EveryValueOfTheReferenceIsReproduced) {
  EXPECT_EQ(Judge(DataFolder(kGolden, "")), 0);
}

TEST(GoldenImagesTest, AChangedCountIsNoticed) {
  ExpectNoticed("images.jsonl", "\"tokens\": 391", "\"tokens\": 392");
}

TEST(GoldenImagesTest, AChangedGridAtAnotherLimitIsNoticed) {
  ExpectNoticed("images.jsonl", "[1, 168, 74]", "[1, 168, 75]");
}

TEST(GoldenImagesTest, AChangedDigestIsNoticed) {
  ExpectNoticed("images.jsonl", "\"fast\": \"df37", "\"fast\": \"df38");
}

TEST(GoldenImagesTest, AChangedRefusalIsNoticed) {
  ExpectNoticed("images.jsonl", "\"stage\": \"resize\"", "\"stage\": \"decode\"");
}

TEST(GoldenImagesTest, AChangedSizeRowIsNoticed) {
  ExpectNoticed("smart_resize.jsonl", "\"out_w\": 1148", "\"out_w\": 1176");
}

TEST(GoldenImagesTest, MissingAndEmptyFilesAreNoticed) {
  EXPECT_EQ(JudgeWith({{"smart_resize.jsonl", ""},
                       {"images.jsonl", LineWith("images.jsonl", "tiny_1x1")}}),
            1);
  EXPECT_EQ(JudgeWith({{"images.jsonl", ""}}), 1);
  EXPECT_EQ(Judge(DataFolder(testing::TempDir() + "/nothing", "")), 1);
}

// The last bytes of a tensor file belong to the pixels of a GIF; the bytes before, to a PNG.
TEST(GoldenImagesTest, AChangedPixelIsNoticed) {
  std::string content = ReadGolden("decoded.safetensors");
  content[content.size() - 9216 - 1] ^= 1;
  EXPECT_EQ(JudgeWith({{"decoded.safetensors", content},
                       {"images.jsonl", LineWith("images.jsonl", "tiny_600x3")}}),
            1);
}

TEST(GoldenImagesTest, AChangedPatchPixelIsNoticed) {
  std::string content = ReadGolden("processed.safetensors");
  content[content.size() - 2 * 28224 - 1] ^= 1;
  EXPECT_EQ(JudgeWith({{"processed.safetensors", content},
                       {"images.jsonl", LineWith("images.jsonl", "tiny_600x3")}}),
            1);
}

}  // namespace
}  // namespace switchboard::golden
