#include "worker/model/gguf_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/mapped_file.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/worker/model/gguf_builder.h"
#include "worker/model/gguf.h"

namespace switchboard::model {
namespace {

using testing::HasSubstr;

// Written by the `gguf` package of PyPI; the values are those of its script.
TEST(GgufJsonTest, EveryTypeKeepsItsValue) {
  const std::string bytes = *ReadFile(SWITCHBOARD_TEST_DATA "/golden/gguf/types.gguf", 1 << 20);
  const auto content = ParseGguf(bytes);
  ASSERT_THAT(content, IsOk());
  JsonObject all;
  for (const GgufValue& value : content->metadata.values()) {
    const auto json = GgufJson(value);
    ASSERT_THAT(json, IsOk());
    all[ToBoost(value.key)] = *json;
  }
  EXPECT_EQ(Json(all), *ParseJson(R"({
    "general.architecture": "llama", "u8": 255, "i8": -128, "u16": 65535, "i16": -32768,
    "u32": 4294967295, "i32": -2147483648, "u64": 18446744073709551615,
    "i64": -9223372036854775808, "f32": 0.10000000149011612, "f64": 0.1, "yes": true,
    "text": "h\u00e9llo", "texts": ["a", "", "\u4f60\u597d"], "ints": [1, -2, 3],
    "floats": [0.5, -1.5], "bools": [true, false]})"));
}

TEST(GgufJsonTest, WhatJsonCannotHoldIsRefused) {
  GgufBuilder file;
  file.Text("latin", "caf\xe9").Float("nan", NAN).Float("inf", -INFINITY);
  const std::string bytes = file.Build();
  const auto content = ParseGguf(bytes);
  ASSERT_THAT(content, IsOk());
  const std::vector<GgufValue>& values = content->metadata.values();
  EXPECT_THAT(GgufJson(values[0]),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "metadata key 'latin' holds a string that is not UTF-8"));
  for (const size_t i : {1, 2}) {
    EXPECT_THAT(GgufJson(values[i]), StatusIs(absl::StatusCode::kInvalidArgument,
                                              HasSubstr("float that is not finite")));
  }
}

}  // namespace
}  // namespace switchboard::model
