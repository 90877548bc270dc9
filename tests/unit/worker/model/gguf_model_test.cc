#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/mapped_file.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/worker/model/gguf_builder.h"
#include "worker/model/gguf.h"

namespace switchboard::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;
constexpr char kGolden[] = SWITCHBOARD_TEST_DATA "/golden/gguf/";

class GgufModelTest : public testing::Test {
 protected:
  GgufModelTest()
      : dir_(std::filesystem::path(testing::TempDir()) /
             testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(dir_);
  }
  ~GgufModelTest() override { std::filesystem::remove_all(dir_); }

  std::string Path(const std::string& name) const { return (dir_ / name).string(); }
  void Put(const std::string& name, const GgufBuilder& file) {
    std::ofstream(Path(name), std::ios::binary) << file.Build();
  }
  // File `number` of `count`, with a tensor of that name.
  static GgufBuilder Part(uint16_t number, uint16_t count, const std::string& tensor) {
    GgufBuilder file;
    file.Pair("split.no", GgufType::kUint16, Raw(number));
    file.Pair("split.count", GgufType::kUint16, Raw(count));
    file.Pair("split.tensors.count", GgufType::kInt32, Raw<int32_t>(2));
    file.Tensor(tensor, {1}, GgufBuilder::kF32, "1234");
    return file;
  }

  const std::filesystem::path dir_;
};

std::vector<std::string> NamesOf(const GgufModel& model) {
  std::vector<std::string> names;
  for (const GgufTensor& tensor : model.content().tensors) names.push_back(tensor.name);
  return names;
}

TEST_F(GgufModelTest, AnyFileOfASplitOpensAllOfIt) {
  for (const char* name : {"split-00001-of-00003.gguf", "split-00003-of-00003.gguf"}) {
    const auto model = GgufModel::Open(std::string(kGolden) + name);
    ASSERT_THAT(model, IsOk());
    EXPECT_THAT(NamesOf(**model),
                ElementsAre("F32.weight", "F16.weight", "BF16.weight", "Q4_K.weight", "Q5_K.weight",
                            "Q6_K.weight", "last.weight"));
    EXPECT_EQ((*model)->content().metadata.Text("general.name")->value(), "split");
  }
}

TEST_F(GgufModelTest, TensorsOfASplitAreThoseOfTheWholeFile) {
  const auto split = GgufModel::Open(std::string(kGolden) + "split-00001-of-00003.gguf");
  const auto whole = GgufModel::Open(std::string(kGolden) + "types.gguf");
  ASSERT_THAT(split, IsOk());
  ASSERT_THAT(whole, IsOk());
  EXPECT_EQ((*split)->content().tensors[4].bytes, (*whole)->content().tensors[7].bytes);
}

TEST_F(GgufModelTest, ErrorsNameTheFile) {
  Put("short.gguf", GgufBuilder());
  std::filesystem::resize_file(Path("short.gguf"), 10);
  EXPECT_THAT(GgufModel::Open(Path("short.gguf")), StatusIs(kInvalid, HasSubstr("short.gguf")));
  EXPECT_THAT(GgufModel::Open(Path("gone.gguf")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("gone.gguf")));
}

TEST_F(GgufModelTest, MissingFileOfASplitIsNamed) {
  Put("m-00001-of-00002.gguf", Part(0, 2, "a"));
  EXPECT_THAT(GgufModel::Open(Path("m-00001-of-00002.gguf")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("m-00002-of-00002.gguf")));
}

TEST_F(GgufModelTest, FileOfASplitUnderAnotherNameIsRefused) {
  Put("renamed.gguf", Part(0, 2, "a"));
  EXPECT_THAT(GgufModel::Open(Path("renamed.gguf")),
              StatusIs(kInvalid, HasSubstr("is file 1 of a split of 2, but its name does not end "
                                           "with -00001-of-00002.gguf")));
}

TEST_F(GgufModelTest, FilesOfDifferentSplitsAreRefused) {
  Put("m-00001-of-00002.gguf", Part(0, 2, "a"));
  Put("m-00002-of-00002.gguf", Part(0, 2, "b"));
  EXPECT_THAT(
      GgufModel::Open(Path("m-00001-of-00002.gguf")),
      StatusIs(kInvalid, HasSubstr("split.no 0 and split.count 2 do not belong to file 2")));
}

TEST_F(GgufModelTest, TensorsMissingFromASplitAreNoticed) {
  Put("m-00001-of-00002.gguf", Part(0, 2, "a"));
  GgufBuilder second;
  second.Pair("split.no", GgufType::kUint16, Raw<uint16_t>(1));
  second.Pair("split.count", GgufType::kUint16, Raw<uint16_t>(2));
  Put("m-00002-of-00002.gguf", second);
  EXPECT_THAT(GgufModel::Open(Path("m-00001-of-00002.gguf")),
              StatusIs(kInvalid, HasSubstr("have 1 tensors, split.tensors.count is 2")));
}

TEST_F(GgufModelTest, C148_TensorInTwoFilesIsRefused) {
  Put("m-00001-of-00002.gguf", Part(0, 2, "a"));
  Put("m-00002-of-00002.gguf", Part(1, 2, "a"));
  EXPECT_THAT(GgufModel::Open(Path("m-00001-of-00002.gguf")),
              StatusIs(kInvalid, HasSubstr("tensor 'a': occurs in two files")));
}

TEST_F(GgufModelTest, C148_HugeSplitCountIsRefused) {
  Put("m.gguf", Part(0, 65535, "a"));
  EXPECT_THAT(GgufModel::Open(Path("m.gguf")),
              StatusIs(kInvalid, HasSubstr("split.count is 65535")));
}

}  // namespace
}  // namespace switchboard::model
