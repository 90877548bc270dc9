#include "gateway/handlers/api_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/unit/gateway/openai/error_case.h"

namespace switchboard::gateway {
namespace {

using openai::Verdict;
using testing::HasSubstr;

TEST(ApiKeysTest, WithoutKeysEverybodyMayComeIn) {
  EXPECT_THAT(ApiKeys().Check("", ""), IsOk());
  EXPECT_THAT(ApiKeys().Check("Bearer EMPTY", ""), IsOk());
  EXPECT_THAT(ApiKeys().Check("nonsense", "x"), IsOk());
}

TEST(ApiKeysTest, AnyOfTheKeysOpens) {
  const absl::StatusOr<ApiKeys> keys = ApiKeys::Parse("# ours\nsk-one\n\n  sk-two \r\n");
  ASSERT_THAT(keys, IsOk());
  EXPECT_THAT(keys->Check("Bearer sk-one", ""), IsOk());
  EXPECT_THAT(keys->Check("bearer  sk-two", ""), IsOk());
  EXPECT_THAT(keys->Check("", "sk-one"), IsOk());
  EXPECT_EQ(Verdict(keys->Check("Bearer sk-three", "")), "401 invalid_api_key -");
  EXPECT_EQ(Verdict(keys->Check("Bearer sk-on", "")), "401 invalid_api_key -");
  EXPECT_EQ(Verdict(keys->Check("Basic sk-one", "")), "401 invalid_api_key -");
  EXPECT_EQ(Verdict(keys->Check("Bearer", "")), "401 invalid_api_key -");
  EXPECT_EQ(Verdict(keys->Check("", "")), "401 invalid_api_key -");
}

TEST(ApiKeysTest, FilesWithoutKeysAndKeysWithSpacesAreRefused) {
  EXPECT_THAT(ApiKeys::Parse("\n# nothing\n"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no key")));
  EXPECT_THAT(ApiKeys::Parse("ok\nsk one\n"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("line 2")));
}

}  // namespace
}  // namespace switchboard::gateway
