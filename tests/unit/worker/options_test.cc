#include "worker/options.h"

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace switchboard::worker {
namespace {

using testing::HasSubstr;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(ParseBytes, KnowsBinaryAndDecimalUnits) {
  EXPECT_EQ(*ParseBytes("512"), 512);
  EXPECT_EQ(*ParseBytes("64MiB"), 67108864);
  EXPECT_EQ(*ParseBytes("4gib"), 4294967296);
  EXPECT_EQ(*ParseBytes("1.5GB"), 1500000000);
  EXPECT_EQ(*ParseBytes("2 KiB"), 2048);
}

TEST(ParseBytes, RefusesWhatIsNoSize) {
  for (const char* text : {"", "MiB", "-1", "0", "4XiB", "nan", "inf", "1e300GiB"}) {
    EXPECT_THAT(ParseBytes(text), StatusIs(kInvalid, HasSubstr("512MiB"))) << text;
  }
}

TEST(ParseImageLimit, TakesBothForms) {
  EXPECT_EQ(*ParseImageLimit("image=3"), 3);
  EXPECT_EQ(*ParseImageLimit(R"({"image":10})"), 10);
  EXPECT_EQ(*ParseImageLimit("image=0"), 0);
}

TEST(ParseImageLimit, RefusesTheRest) {
  for (const char* text : {"", "3", "image=", "image=-1", "image=x", "video=1", R"({"image":-1})",
                           R"({"image":1,"video":2})", R"({"image":"1"})", "[1]", "image=1001"}) {
    EXPECT_THAT(ParseImageLimit(text), StatusIs(kInvalid, testing::Ne(""))) << text;
  }
}

}  // namespace
}  // namespace switchboard::worker
