#include "worker/model/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/unit/worker/model/gguf_builder.h"
#include "tests/unit/worker/model/tiny_checkpoint.h"

namespace switchboard::model {
namespace {

using testing::HasSubstr;

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;

class CheckpointTest : public testing::Test {
 protected:
  CheckpointTest()
      : dir_(std::filesystem::path(testing::TempDir()) /
             testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(dir_);
  }
  ~CheckpointTest() override { std::filesystem::remove_all(dir_); }

  void Put(const std::string& name, const std::string& bytes) { WriteFile(dir_ / name, bytes); }
  void PutShards() {
    Put("s1.safetensors", SafetensorsOf({{"b", {"F32", {1}, "bbbb"}}}));
    Put("s2.safetensors", SafetensorsOf({{"a", {"BF16", {1}, "aa"}}, {"c", {"U8", {0}, ""}}}));
  }
  void PutIndex(const std::string& map) {
    Put("model.safetensors.index.json",
        R"({"metadata":{"total_size":6},"weight_map":)" + map + "}");
  }
  absl::StatusOr<std::unique_ptr<Checkpoint>> Open() { return Checkpoint::Open(dir_.string()); }

  const std::filesystem::path dir_;
};

TEST_F(CheckpointTest, ShardsAreOneListSortedByName) {
  PutShards();
  PutIndex(R"({"a":"s2.safetensors","b":"s1.safetensors","c":"s2.safetensors"})");
  const auto checkpoint = Open();
  ASSERT_THAT(checkpoint, IsOk());
  std::string names, bytes;
  for (const StoredTensor* tensor : (*checkpoint)->tensors()) {
    names += tensor->name;
    bytes += std::string(tensor->bytes);
  }
  EXPECT_EQ(names, "abc");
  EXPECT_EQ(bytes, "aabbbb");
}

TEST_F(CheckpointTest, FolderWithoutWeightsIsNotFound) {
  EXPECT_THAT(Open(),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("neither model.safetensors nor")));
}

TEST_F(CheckpointTest, C149_ErrorsNameTheFile) {
  Put("model.safetensors", "not a checkpoint");
  EXPECT_THAT(Open(), StatusIs(kInvalid, HasSubstr((dir_ / "model.safetensors").string())));
}

TEST_F(CheckpointTest, GgufFileIsOpenedUnderHuggingFaceNames) {
  GgufBuilder file;
  file.Text("general.architecture", "llama").Uint("llama.attention.head_count", 1);
  file.Tensor("output_norm.weight", {1}, GgufBuilder::kF32, "norm");
  file.Tensor("blk.0.attn_norm.weight", {1}, GgufBuilder::kF32, "attn");
  Put("m.gguf", file.Build());
  const auto checkpoint = Checkpoint::Open((dir_ / "m.gguf").string());
  ASSERT_THAT(checkpoint, IsOk());
  ASSERT_EQ((*checkpoint)->tensors().size(), 2u);
  EXPECT_EQ((*checkpoint)->tensors()[0]->name, "model.layers.0.input_layernorm.weight");
  EXPECT_EQ((*checkpoint)->tensors()[0]->bytes, "attn");
  EXPECT_EQ((*checkpoint)->tensors()[1]->name, "model.norm.weight");
  EXPECT_EQ((*checkpoint)->Fingerprint().size(), 32u);
}

TEST_F(CheckpointTest, C148_ErrorsNameTheGgufFile) {
  Put("m.gguf", "GGUF");
  const std::string path = (dir_ / "m.gguf").string();
  EXPECT_THAT(Checkpoint::Open(path), StatusIs(kInvalid, HasSubstr(path)));
  EXPECT_THAT(Checkpoint::Open(path + "x.gguf"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(path)));
}

TEST_F(CheckpointTest, MissingShardIsNamed) {
  PutIndex(R"({"a":"s2.safetensors"})");
  EXPECT_THAT(Open(), StatusIs(absl::StatusCode::kNotFound, HasSubstr("s2.safetensors")));
}

TEST_F(CheckpointTest, C149_IndexMayNotLeaveTheFolder) {
  PutShards();
  for (const char* file :
       {"../s1.safetensors", "/etc/passwd", "sub/s1.safetensors", "..", "s1.safetensors/..", "",
        "s1.bin", ".safetensors", "..\\\\s1.safetensors", "s1\\u0000.safetensors"}) {
    PutIndex(absl::StrCat(R"({"a":")", file, R"("})"));
    EXPECT_THAT(Open(), StatusIs(kInvalid, HasSubstr("not a .safetensors file in the same folder")))
        << file;
  }
  PutIndex(R"({"a":7})");
  EXPECT_THAT(Open(), StatusIs(kInvalid, HasSubstr("not a .safetensors file")));
}

TEST_F(CheckpointTest, C149_IndexAndShardsMustListTheSameTensors) {
  PutShards();
  PutIndex(R"({"a":"s2.safetensors","b":"s1.safetensors"})");
  EXPECT_THAT(Open(), StatusIs(kInvalid, HasSubstr("holds tensor 'c'")));
  PutIndex(R"({"a":"s2.safetensors","b":"s2.safetensors","c":"s2.safetensors"})");
  EXPECT_THAT(Open(), StatusIs(kInvalid, HasSubstr("lists 3 tensors, the shards hold 2")));
  PutIndex(R"({"a":"s1.safetensors","b":"s1.safetensors","c":"s2.safetensors"})");
  EXPECT_THAT(Open(), StatusIs(kInvalid, HasSubstr("does not place there")));
}

TEST_F(CheckpointTest, C149_BrokenIndexIsRefused) {
  for (const char* index : {"", "[]", "{}", R"({"weight_map":[]})", R"({"weight_map":{}})"}) {
    Put("model.safetensors.index.json", index);
    EXPECT_THAT(Open(), StatusIs(kInvalid, HasSubstr("index.json"))) << index;
  }
}

TEST_F(CheckpointTest, FingerprintTellsNamesTypesShapesAndBytesApart) {
  std::set<std::string> seen;
  const std::map<std::string, TinyTensor> variants[] = {
      {{"a", {"F32", {2}, "01234567"}}},
      {{"b", {"F32", {2}, "01234567"}}},
      {{"a", {"I32", {2}, "01234567"}}},
      {{"a", {"F32", {2, 1}, "01234567"}}},
      {{"a", {"F32", {2}, "01234568"}}},
      {{"a", {"F32", {1}, "0123"}}, {"b", {"F32", {1}, "4567"}}}};
  for (const auto& variant : variants) {
    Put("model.safetensors", SafetensorsOf(variant));
    const auto checkpoint = Open();
    ASSERT_THAT(checkpoint, IsOk());
    EXPECT_EQ((*checkpoint)->Fingerprint().size(), 32u);
    seen.insert((*checkpoint)->Fingerprint());
  }
  EXPECT_EQ(seen.size(), 6u);
}

TEST_F(CheckpointTest, FingerprintIsThatOfTheTensorsNotOfTheFiles) {
  PutShards();
  PutIndex(R"({"a":"s2.safetensors","b":"s1.safetensors","c":"s2.safetensors"})");
  const std::string sharded = (*Open())->Fingerprint();
  Put("model.safetensors",
      SafetensorsOf(
          {{"a", {"BF16", {1}, "aa"}}, {"b", {"F32", {1}, "bbbb"}}, {"c", {"U8", {0}, ""}}}));
  EXPECT_EQ((*Open())->Fingerprint(), sharded);
}

}  // namespace
}  // namespace switchboard::model
