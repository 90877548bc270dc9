#include "base/base64.h"

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace switchboard {
namespace {

using testing::HasSubstr;

std::string Decoded(absl::string_view text) {
  absl::StatusOr<std::string> bytes = DecodeBase64(text);
  EXPECT_THAT(bytes, IsOk()) << text;
  return bytes.ok() ? *bytes : "";
}

// The vectors of RFC 4648, section 10.
TEST(DecodeBase64, ReadsTheVectorsOfTheRfc) {
  EXPECT_EQ(Decoded(""), "");
  EXPECT_EQ(Decoded("Zg=="), "f");
  EXPECT_EQ(Decoded("Zm8="), "fo");
  EXPECT_EQ(Decoded("Zm9v"), "foo");
  EXPECT_EQ(Decoded("Zm9vYg=="), "foob");
  EXPECT_EQ(Decoded("Zm9vYmE="), "fooba");
  EXPECT_EQ(Decoded("Zm9vYmFy"), "foobar");
}

TEST(DecodeBase64, TakesMissingPaddingBothAlphabetsAndWhiteSpace) {
  EXPECT_EQ(Decoded("Zm9vYg"), "foob");
  EXPECT_EQ(Decoded("+/-_"), std::string("\xfb\xff\xbf", 3));
  EXPECT_EQ(Decoded(" Zm\r\n9v\tYg = ="), "foob");
}

TEST(DecodeBase64, RefusesWhatNoEncoderWrites) {
  const auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_THAT(DecodeBase64("@@@@"), StatusIs(kInvalid, HasSubstr("illegal character")));
  EXPECT_THAT(DecodeBase64("Zg==Zg=="), StatusIs(kInvalid, HasSubstr("behind the padding")));
  for (absl::string_view text : {"Z", "Zm9vY", "=", "Zg=", "Zm8==", "Zm9v=", "Zg==="}) {
    EXPECT_THAT(DecodeBase64(text), StatusIs(kInvalid, HasSubstr("cut off or padded"))) << text;
  }
}

}  // namespace
}  // namespace switchboard
