#include "worker/model/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/unit/worker/model/tiny_checkpoint.h"

namespace switchboard::model {
namespace {

using testing::HasSubstr;

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;

absl::StatusOr<std::vector<StoredTensor>> Parse(const std::string& header,
                                                const std::string& data) {
  static std::string bytes;  // outlives the views in the result
  bytes = SafetensorsBytes(header, data);
  return ParseSafetensors(bytes);
}

std::string Entry(const std::string& name, const std::string& rest) {
  return absl::StrCat("\"", name, "\":{", rest, "}");
}

TEST(SafetensorsTest, ReadsNamesTypesShapesAndBytes) {
  const auto tensors = Parse(
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[2],"data_offsets":[2,10]},)"
      R"("a":{"dtype":"BF16","shape":[],"data_offsets":[0,2]}})",
      "0123456789");
  ASSERT_THAT(tensors, IsOk());
  ASSERT_EQ(tensors->size(), 2u);
  EXPECT_EQ((*tensors)[0].name, "a");
  EXPECT_EQ((*tensors)[0].dtype, "BF16");
  EXPECT_TRUE((*tensors)[0].shape.empty());
  EXPECT_EQ((*tensors)[0].bytes, "01");
  EXPECT_EQ((*tensors)[1].name, "b");
  EXPECT_EQ((*tensors)[1].shape, std::vector<int64_t>{2});
  EXPECT_EQ((*tensors)[1].bytes, "23456789");
}

TEST(SafetensorsTest, EmptyTensorsTakeNoBytes) {
  EXPECT_THAT(
      Parse(absl::StrCat("{", Entry("a", R"("dtype":"F32","shape":[0,5],"data_offsets":[0,0])"),
                         ",", Entry("b", R"("dtype":"U8","shape":[2],"data_offsets":[0,2])"), "}"),
            "xx"),
      IsOk());
}

struct Hostile {
  std::string name, header, data, message;
};

class HostileHeaderTest : public testing::TestWithParam<Hostile> {};

TEST_P(HostileHeaderTest, C149_IsRefusedWithTheReason) {
  EXPECT_THAT(Parse(GetParam().header, GetParam().data),
              StatusIs(kInvalid, HasSubstr(GetParam().message)));
}

std::string One(const std::string& rest) { return "{" + Entry("w", rest) + "}"; }

INSTANTIATE_TEST_SUITE_P(
    All, HostileHeaderTest,
    testing::Values(
        Hostile{"NotJson", "{,", "", "header"},
        Hostile{"NotAnObject", "[]", "", "not a JSON object"},
        Hostile{"DeepNesting", std::string(1000, '[') + std::string(1000, ']'), "", "header"},
        Hostile{"DuplicateTensor",
                "{" + Entry("w", R"("dtype":"U8","shape":[1],"data_offsets":[0,1])") + "," +
                    Entry("w", R"("dtype":"U8","shape":[1],"data_offsets":[0,1])") + "}",
                "x", "duplicate keys"},
        Hostile{"DuplicateKeySpeltWithAnEscape",
                "{" + Entry("w", R"("dtype":"U8","shape":[1],"data_offsets":[0,1])") + "," +
                    Entry("\\u0077", R"("dtype":"U8","shape":[1],"data_offsets":[0,1])") + "}",
                "x", "duplicate keys"},
        Hostile{"DuplicateShape",
                One(R"("dtype":"U8","shape":[9],"shape":[1],"data_offsets":[0,1])"), "x",
                "duplicate keys"},
        Hostile{"ShapeLargerThanData",
                One(R"("dtype":"F32","shape":[512,2048],"data_offsets":[0,8])"), "01234567",
                "tensor 'w': shape [512, 2048] takes 4194304 bytes, data_offsets give 8"},
        Hostile{"BeginBehindEnd", One(R"("dtype":"U8","shape":[0],"data_offsets":[1,0])"), "x",
                "tensor 'w': data_offsets is not a begin and an end"},
        Hostile{"EndBehindData", One(R"("dtype":"U8","shape":[9],"data_offsets":[0,9])"),
                "01234567", "tensor 'w': ends at byte 9"},
        Hostile{"Overlap",
                "{" + Entry("k_proj", R"("dtype":"U8","shape":[4],"data_offsets":[0,4])") + "," +
                    Entry("v_proj", R"("dtype":"U8","shape":[4],"data_offsets":[0,4])") + "}",
                "0123", "'v_proj': overlaps"},
        Hostile{"PartOverlap",
                "{" + Entry("k_proj", R"("dtype":"U8","shape":[4],"data_offsets":[0,4])") + "," +
                    Entry("v_proj", R"("dtype":"U8","shape":[4],"data_offsets":[3,7])") + "}",
                "0123456", "'v_proj': overlaps"},
        Hostile{"Gap",
                "{" + Entry("a", R"("dtype":"U8","shape":[1],"data_offsets":[0,1])") + "," +
                    Entry("b", R"("dtype":"U8","shape":[1],"data_offsets":[2,3])") + "}",
                "012", "tensor 'b': 1 bytes before it belong to no tensor"},
        Hostile{"GapAtTheStart", One(R"("dtype":"U8","shape":[1],"data_offsets":[1,2])"), "01",
                "belong to no tensor"},
        Hostile{"TrailingData", One(R"("dtype":"U8","shape":[1],"data_offsets":[0,1])"), "0123",
                "3 bytes at the end belong to no tensor"},
        Hostile{"ShapeOverflow",
                One(R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0])"), "",
                "overflows"},
        Hostile{"ShapeOverflowTimesElement",
                One(R"("dtype":"F64","shape":[1152921504606846976],"data_offsets":[0,0])"), "",
                "overflows"},
        Hostile{"NegativeSize", One(R"("dtype":"U8","shape":[-1],"data_offsets":[0,1])"), "x",
                "shape has a value that is no size"},
        Hostile{"FractionalSize", One(R"("dtype":"U8","shape":[1.0],"data_offsets":[0,1])"), "x",
                "shape has a value that is no size"},
        Hostile{"HugeOffset",
                One(R"("dtype":"U8","shape":[1],"data_offsets":[0,18446744073709551615])"), "x",
                "data_offsets has a value that is no size"},
        Hostile{"ThreeOffsets", One(R"("dtype":"U8","shape":[1],"data_offsets":[0,1,1])"), "x",
                "not a begin and an end"},
        Hostile{
            "ManyDimensions",
            One(R"("dtype":"U8","shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],"data_offsets":[0,1])"),
            "x", "at most 16"},
        Hostile{"UnknownType", One(R"("dtype":"F8_E5M2FNUZ","shape":[1],"data_offsets":[0,1])"),
                "x", "tensor 'w': unknown dtype 'F8_E5M2FNUZ'"},
        Hostile{"TypeMissing", One(R"("dtypes":"U8","shape":[1],"data_offsets":[0,1])"), "x",
                "dtype is not a string"},
        Hostile{"OtherKeys", One(R"("dtype":"U8","shape":[1],"data_offsets":[0,1],"x":1)"), "x",
                "other keys"},
        Hostile{"EntryNotAnObject", R"({"w":[]})", "", "'w': its entry is not an object"},
        Hostile{"MetadataNotAnObject", R"({"__metadata__":7})", "",
                "__metadata__ is not an object"},
        Hostile{"MetadataOfNumbers", R"({"__metadata__":{"a":7}})", "", "not a string"},
        Hostile{"NameWithControlCharacters",
                R"({"a\nb":{"dtype":"U8","shape":[1],"data_offsets":[0,9]}})", "x",
                "tensor 'a\\nb'"}),
    [](const auto& test) { return test.param.name; });

// The faults of C148 in this format: products beyond 64 bits, dimensions of zero, more dimensions
// than any tensor has.
TEST(SafetensorsTest, C148_SizesThatOverflowAreRefusedAndZeroDimensionsAreEmpty) {
  for (const char* shape : {"[2305843009213693952,8]", "[8589934592,8589934592,1,1]"}) {
    EXPECT_THAT(
        Parse(One(absl::StrCat(R"("dtype":"F32","shape":)", shape, R"(,"data_offsets":[0,0])")),
              ""),
        StatusIs(kInvalid, HasSubstr("overflows")))
        << shape;
  }
  const auto empty = Parse(One(R"("dtype":"F32","shape":[0,1,1,1],"data_offsets":[0,0])"), "");
  ASSERT_THAT(empty, IsOk());
  EXPECT_EQ((*empty)[0].bytes.size(), 0u);
}

TEST(SafetensorsTest, C149_HeaderLengthsBeyondLimitAndFileAreRefused) {
  std::string bytes = SafetensorsBytes("{}", "");
  const auto with_length = [&bytes](uint64_t length) {
    std::memcpy(&bytes[0], &length, 8);
    return ParseSafetensors(bytes);
  };
  EXPECT_THAT(with_length(uint64_t{1} << 63), StatusIs(kInvalid, HasSubstr("limit of 100000000")));
  EXPECT_THAT(with_length(100'000'001), StatusIs(kInvalid, HasSubstr("limit")));
  EXPECT_THAT(with_length(100'000'000), StatusIs(kInvalid, HasSubstr("more than the file holds")));
  EXPECT_THAT(with_length(3), StatusIs(kInvalid, HasSubstr("more than the file holds")));
  EXPECT_THAT(with_length(2), IsOk());
  EXPECT_THAT(ParseSafetensors("1234567"), StatusIs(kInvalid, HasSubstr("shorter")));
  EXPECT_THAT(ParseSafetensors(""), StatusIs(kInvalid, HasSubstr("shorter")));
}

TEST(SafetensorsTest, C149_EveryTruncationOfAFileIsRefused) {
  const std::string whole =
      SafetensorsOf({{"a", {"F32", {2}, "01234567"}}, {"b", {"BF16", {1}, "89"}}});
  ASSERT_THAT(ParseSafetensors(whole), IsOk());
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(ParseSafetensors(whole.substr(0, size)), StatusIs(kInvalid, testing::_)) << size;
  }
}

}  // namespace
}  // namespace switchboard::model
