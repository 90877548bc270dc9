#include "worker/model/gguf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "base/mapped_file.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/worker/model/gguf_builder.h"
#include "worker/model/safetensors.h"
#include "worker/model/stored_tensor.h"

namespace switchboard::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;

std::string Data(const std::string& name) {
  return *ReadFile(SWITCHBOARD_TEST_DATA "/golden/gguf/" + name, 1 << 20);
}

// One tensor and one key.
GgufBuilder Small() {
  GgufBuilder file;
  file.Text("general.architecture", "llama");
  file.Tensor("a.weight", {2, 3}, GgufBuilder::kF32, std::string(24, '\0'));
  return file;
}

TEST(GgufTest, ScalarsOfEveryTypeAreRead) {
  const std::string bytes = Data("types.gguf");
  const auto content = ParseGguf(bytes);
  ASSERT_THAT(content, IsOk());
  const GgufMetadata& metadata = content->metadata;
  EXPECT_EQ(metadata.Int("u8")->value(), 255);
  EXPECT_EQ(metadata.Int("i8")->value(), -128);
  EXPECT_EQ(metadata.Int("u16")->value(), 65535);
  EXPECT_EQ(metadata.Int("i16")->value(), -32768);
  EXPECT_EQ(metadata.Int("u32")->value(), 4294967295);
  EXPECT_EQ(metadata.Int("i32")->value(), INT32_MIN);
  EXPECT_EQ(metadata.Int("i64")->value(), INT64_MIN);
  EXPECT_EQ(metadata.Float("f32")->value(), 0.1f);
  EXPECT_EQ(metadata.Float("f64")->value(), 0.1);
  EXPECT_TRUE(metadata.Bool("yes")->value());
  EXPECT_EQ(metadata.Text("text")->value(), "h\xc3\xa9llo");
  EXPECT_EQ(metadata.Text("general.architecture")->value(), "llama");
}

TEST(GgufTest, ArraysAreRead) {
  const std::string bytes = Data("types.gguf");
  const auto content = ParseGguf(bytes);
  ASSERT_THAT(content, IsOk());
  EXPECT_THAT(*content->metadata.Texts("texts"), ElementsAre("a", "", "\xe4\xbd\xa0\xe5\xa5\xbd"));
  EXPECT_THAT(*content->metadata.Ints("ints"), ElementsAre(1, -2, 3));
  EXPECT_THAT(*content->metadata.Floats("floats"), ElementsAre(0.5f, -1.5f));
  EXPECT_EQ(content->metadata.Find("bools")->count, 2u);
}

TEST(GgufTest, AbsentKeysAreNoError) {
  const GgufMetadata metadata({});
  EXPECT_EQ(*metadata.Int("x"), std::nullopt);
  EXPECT_EQ(*metadata.Float("x"), std::nullopt);
  EXPECT_EQ(*metadata.Bool("x"), std::nullopt);
  EXPECT_EQ(*metadata.Text("x"), std::nullopt);
  EXPECT_TRUE(metadata.Texts("x")->empty());
  EXPECT_TRUE(metadata.Ints("x")->empty());
  EXPECT_TRUE(metadata.Floats("x")->empty());
}

TEST(GgufTest, C148_ValuesOfAnotherTypeAreRefusedByTheGetters) {
  GgufBuilder file;
  file.Pair("tokenizer.ggml.token_type", GgufType::kArray, RawArray(GgufType::kUint8, 2, "\1\3"));
  file.Pair("huge", GgufType::kUint64, Raw(UINT64_MAX));
  file.Pair("high", GgufType::kArray, RawArray(GgufType::kUint32, 1, Raw(0x80000000u)));
  const std::string bytes = file.Build();
  const auto content = ParseGguf(bytes);
  ASSERT_THAT(content, IsOk());
  const GgufMetadata& metadata = content->metadata;
  EXPECT_THAT(metadata.Ints("tokenizer.ggml.token_type"),
              StatusIs(kInvalid,
                       "metadata key 'tokenizer.ggml.token_type' must be an array of "
                       "int32s, but is an array of uint8s"));
  EXPECT_THAT(metadata.Int("tokenizer.ggml.token_type"), StatusIs(kInvalid, HasSubstr("whole")));
  EXPECT_THAT(metadata.Int("huge"), StatusIs(kInvalid, HasSubstr("below 2^63, but is uint64")));
  EXPECT_THAT(metadata.Ints("high"), StatusIs(kInvalid, HasSubstr("below 2^31")));
  EXPECT_THAT(metadata.Text("huge"), StatusIs(kInvalid, HasSubstr("must be a string")));
  EXPECT_THAT(metadata.Texts("huge"), StatusIs(kInvalid, HasSubstr("array of strings")));
  EXPECT_THAT(metadata.Floats("high"), StatusIs(kInvalid, HasSubstr("array of float32s")));
  EXPECT_THAT(metadata.Float("huge"), StatusIs(kInvalid, HasSubstr("must be a float")));
  EXPECT_THAT(metadata.Bool("huge"), StatusIs(kInvalid, HasSubstr("must be a bool")));
}

TEST(GgufTest, TensorsHaveTheirShapeOutermostFirstAndTheirBytes) {
  GgufBuilder file;
  file.Tensor("a", {2, 3}, GgufBuilder::kF16, "abcdefghijkl");
  file.Tensor("b", {32}, GgufBuilder::kQ8_0, std::string(34, 'q'));
  const std::string bytes = file.Build();
  const auto content = ParseGguf(bytes);
  ASSERT_THAT(content, IsOk());
  ASSERT_EQ(content->tensors.size(), 2u);
  const GgufTensor& a = content->tensors[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.type, "F16");
  EXPECT_THAT(a.shape, ElementsAre(2, 3));
  EXPECT_EQ(a.bytes, "abcdefghijkl");
  EXPECT_EQ(bytes.substr(a.offset, 12), "abcdefghijkl");
  EXPECT_EQ(content->tensors[1].bytes, std::string(34, 'q'));
}

// Expected values by the `gguf` package of PyPI.
TEST(GgufTest, EveryTypeIsWidenedBitForBit) {
  const std::string bytes = Data("types.gguf"), floats = Data("types.safetensors");
  const auto content = ParseGguf(bytes);
  const auto expected = ParseSafetensors(floats);
  ASSERT_THAT(content, IsOk());
  ASSERT_THAT(expected, IsOk());
  ASSERT_EQ(content->tensors.size(), 9u);
  for (size_t i = 0; i < content->tensors.size(); ++i) {
    const GgufTensor& from = content->tensors[i];
    const StoredTensor& want = (*expected)[i];
    ASSERT_EQ(from.name, want.name);
    ASSERT_EQ(from.shape, want.shape);
    const auto view = AsFloats({from.name, from.type, from.shape, from.bytes, 0});
    ASSERT_THAT(view, IsOk());
    const std::vector<float> got = backend::ToFloats(*view);
    ASSERT_EQ(got.size() * sizeof(float), want.bytes.size());
    EXPECT_EQ(std::memcmp(got.data(), want.bytes.data(), want.bytes.size()), 0) << from.name;
    EXPECT_EQ(view->stored_bytes(), static_cast<int64_t>(from.bytes.size()));
    std::vector<float> row(static_cast<size_t>(view->columns()));
    backend::WidenRow(*view, 3, row.data());
    EXPECT_EQ(std::memcmp(row.data(), got.data() + 3 * row.size(), row.size() * 4), 0);
  }
}

TEST(GgufTest, UnknownTensorTypesAreRefusedOnlyWhenTheyAreRead) {
  GgufBuilder file = Small();
  file.Tensor("blk.0.odd", {32}, 77, std::string(5, 'x'));
  file.Tensor("blk.1.odd", {32}, 6, std::string(22, 'x'));
  const std::string bytes = file.Build();
  const auto content = ParseGguf(bytes);
  ASSERT_THAT(content, IsOk());
  for (const size_t i : {size_t{1}, size_t{2}}) {
    const GgufTensor& tensor = content->tensors[i];
    EXPECT_THAT(AsFloats({tensor.name, tensor.type, tensor.shape, tensor.bytes, 0}),
                StatusIs(kInvalid, HasSubstr(i == 1 ? "'blk.0.odd': weights of type type 77"
                                                    : "'blk.1.odd': weights of type Q5_0")));
  }
}

TEST(GgufTest, AlignmentIsThatOfTheFile) {
  GgufBuilder file;
  file.alignment = 64;
  file.Uint("general.alignment", 64);
  file.Tensor("a", {1}, GgufBuilder::kF32, "aaaa").Tensor("b", {1}, GgufBuilder::kF32, "bbbb");
  const std::string bytes = file.Build();
  const auto content = ParseGguf(bytes);
  ASSERT_THAT(content, IsOk());
  EXPECT_EQ(content->tensors[1].bytes, "bbbb");
  EXPECT_EQ(content->tensors[1].offset % 64, 0u);
}

TEST(GgufTest, OldVersionsAndOtherByteOrdersAreRefusedByName) {
  GgufBuilder file = Small();
  for (const uint32_t version : {1u, 2u, 4u}) {
    file.version = version;
    EXPECT_THAT(ParseGguf(file.Build()),
                StatusIs(kInvalid, HasSubstr("only version 3 is; convert the model again")));
  }
  file.version = 0x03000000;
  EXPECT_THAT(ParseGguf(file.Build()), StatusIs(kInvalid, HasSubstr("big-endian")));
  file.magic = "PK\3\4";
  EXPECT_THAT(ParseGguf(file.Build()), StatusIs(kInvalid, HasSubstr("not a GGUF file")));
}

struct Hostile {
  const char* name;
  std::function<void(GgufBuilder*)> change;
  const char* message;
};

class HostileGgufTest : public testing::TestWithParam<Hostile> {};

TEST_P(HostileGgufTest, C148_IsRefusedWithTheReason) {
  GgufBuilder file = Small();
  GetParam().change(&file);
  const std::string bytes = file.Build();
  ASSERT_LE(bytes.size(), 2048u);
  EXPECT_THAT(ParseGguf(bytes), StatusIs(kInvalid, HasSubstr(GetParam().message)));
}

void Add(GgufBuilder* file, const std::vector<int64_t>& shape, uint32_t type = 0) {
  file->Tensor("b", shape, type, std::string(64, 'b'));
}

// The offset of the table's last entry is its last 8 bytes.
void SetOffset(GgufBuilder* file, uint64_t offset) {
  file->table.replace(file->table.size() - 8, 8, Raw(offset));
}

const Hostile kHostile[] = {
    {"tensor_count", [](GgufBuilder* f) { f->tensors = uint64_t{1} << 61; },
     "tensor count 2305843009213693952 is more than the file can hold"},
    {"pair_count", [](GgufBuilder* f) { f->pairs = UINT64_MAX; },
     "metadata count 18446744073709551615 is more than the file can hold"},
    {"shape_overflow", [](GgufBuilder* f) { Add(f, {1, 1, 1ll << 33, 1ll << 33}); },
     "tensor 'b': the product of its dimensions overflows"},
    {"byte_overflow", [](GgufBuilder* f) { Add(f, {1ll << 61}); },
     "tensor 'b': its size in bytes overflows"},
    {"zero_dimension", [](GgufBuilder* f) { Add(f, {1, 1, 1, 0}); },
     "tensor 'b': has a dimension of 0"},
    {"negative_dimension", [](GgufBuilder* f) { Add(f, {INT64_MIN}); },
     "tensor 'b': has a dimension of -9223372036854775808"},
    {"no_dimensions", [](GgufBuilder* f) { Add(f, {}); }, "tensor 'b': has 0 dimensions"},
    {"five_dimensions", [](GgufBuilder* f) { Add(f, {1, 1, 1, 1, 1}); },
     "tensor 'b': has 5 dimensions"},
    {"many_dimensions",
     [](GgufBuilder* f) {
       f->table += RawText("b") + Raw(UINT32_MAX);
       f->table.resize(f->table.size() + 40);
       ++f->tensors;
     },
     "tensor 'b': has 4294967295 dimensions"},
    {"part_of_a_block", [](GgufBuilder* f) { Add(f, {4, 33}, GgufBuilder::kQ8_0); },
     "tensor 'b': rows of 33 values are no whole Q8_0 blocks of 32"},
    {"string_length",
     [](GgufBuilder* f) { f->Pair("s", GgufType::kString, Raw(uint64_t{1} << 63)); },
     "metadata key 's': byte "},
    {"array_length",
     [](GgufBuilder* f) {
       f->Pair("a", GgufType::kArray, RawArray(GgufType::kUint64, uint64_t{1} << 61, ""));
     },
     "metadata key 'a': 2305843009213693952 elements are more than the file holds"},
    {"string_array_length",
     [](GgufBuilder* f) {
       f->Pair("a", GgufType::kArray, RawArray(GgufType::kString, UINT64_MAX, ""));
     },
     "metadata key 'a': byte "},
    {"nested_array",
     [](GgufBuilder* f) {
       f->Pair("a", GgufType::kArray,
               RawArray(GgufType::kArray, 1, RawArray(GgufType::kUint8, 1, "x")));
     },
     "metadata key 'a': arrays of arrays are not supported"},
    {"value_type", [](GgufBuilder* f) { f->Pair("v", static_cast<GgufType>(13), ""); },
     "metadata key 'v': value type 13 is not known"},
    {"element_type",
     [](GgufBuilder* f) {
       f->Pair("v", GgufType::kArray, RawArray(static_cast<GgufType>(99), 0, ""));
     },
     "metadata key 'v': value type 99 is not known"},
    {"bool", [](GgufBuilder* f) { f->Pair("v", GgufType::kBool, "\2"); },
     "metadata key 'v': a bool is neither 0 nor 1"},
    {"empty_key", [](GgufBuilder* f) { f->Uint("", 1); }, "metadata entry 1 has a key of 0 bytes"},
    {"double_key", [](GgufBuilder* f) { f->Text("general.architecture", "x"); },
     "metadata key 'general.architecture': occurs twice"},
    {"alignment_zero", [](GgufBuilder* f) { f->Uint("general.alignment", 0); },
     "metadata key 'general.alignment': is 0, not a power of two from 8 to 65536"},
    {"alignment_three", [](GgufBuilder* f) { f->Uint("general.alignment", 3); },
     "metadata key 'general.alignment': is 3,"},
    {"alignment_huge", [](GgufBuilder* f) { f->Uint("general.alignment", 1u << 31); },
     "metadata key 'general.alignment': is 2147483648,"},
    {"alignment_type",
     [](GgufBuilder* f) { f->Pair("general.alignment", GgufType::kInt32, Raw<int32_t>(32)); },
     "metadata key 'general.alignment': must be a uint32"},
    {"offset_past_the_end", [](GgufBuilder* f) { SetOffset(f, 64); },
     "tensor 'a.weight': 24 bytes at offset 64 are not within the 32 bytes of data"},
    {"offset_overflow", [](GgufBuilder* f) { SetOffset(f, UINT64_MAX - 31); },
     "tensor 'a.weight': 24 bytes at offset 18446744073709551584 are not within"},
    {"offset_unaligned", [](GgufBuilder* f) { SetOffset(f, 4); },
     "tensor 'a.weight': its offset 4 is no multiple of the alignment 32"},
    {"longer_than_the_data", [](GgufBuilder* f) { Add(f, {1024}); },
     "tensor 'b': 4096 bytes at offset 32 are not within the 96 bytes of data"},
    {"overlap",
     [](GgufBuilder* f) {
       Add(f, {1});
       SetOffset(f, 0);
     },
     "overlaps the tensor before it"},
    {"double_name", [](GgufBuilder* f) { f->Tensor("a.weight", {1}, GgufBuilder::kF32, "1234"); },
     "tensor 'a.weight': occurs twice"},
    {"empty_name", [](GgufBuilder* f) { f->Tensor("", {1}, GgufBuilder::kF32, "1234"); },
     "a tensor has a name of 0 bytes"},
    {"long_name",
     [](GgufBuilder* f) { f->Tensor(std::string(1025, 'n'), {1}, GgufBuilder::kF32, "1234"); },
     "a tensor has a name of 1025 bytes"},
};

INSTANTIATE_TEST_SUITE_P(All, HostileGgufTest, testing::ValuesIn(kHostile),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(GgufTest, C148_EveryTruncationIsRefused) {
  GgufBuilder file = Small();
  file.Pair("ints", GgufType::kArray, RawArray(GgufType::kInt32, 2, std::string(8, '\1')));
  std::string bytes = file.Build();
  bytes.resize(bytes.size() - 8);  // the padding behind the last tensor
  ASSERT_THAT(ParseGguf(bytes), IsOk());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THAT(ParseGguf(bytes.substr(0, size)), StatusIs(kInvalid, testing::_)) << size;
  }
}

}  // namespace
}  // namespace switchboard::model
