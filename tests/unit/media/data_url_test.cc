#include "media/data_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/status_macros.h"
#include "media/decode.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/media/png_builder.h"
#include "tests/unit/media/test_files.h"

namespace switchboard::media {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr size_t kMaxBytes = 1 << 20;

absl::StatusOr<std::string> BytesOf(absl::string_view url) {
  ASSIGN_OR_RETURN(const DataUrl parts, ParseDataUrl(url));
  return DecodeDataPayload(parts.payload, kMaxBytes);
}

// A 10 x 10 picture whose base64 text has '+', '/' and two padding characters.
std::string Picture() {
  PngSpec spec{.width = 10, .height = 10};
  for (int i = 0; i < 300; ++i) spec.rows += static_cast<char>(i * 37 + 251);
  std::string png = BuildPng(spec);
  while (png.size() % 3 != 1) png += '\0';  // behind IEND
  return png;
}

std::string Text() { return absl::Base64Escape(Picture()); }

TEST(DataUrlTest, SplitsTypeAndPayload) {
  const auto parts = ParseDataUrl("data:image/png;charset=utf-8;base64,QUJD");
  ASSERT_THAT(parts, IsOk());
  EXPECT_EQ(parts->media_type, "image/png");
  EXPECT_EQ(parts->payload, "QUJD");
}

TEST(MediaCases, C062_ThePictureHasTheCharactersThatMatter) {
  EXPECT_THAT(Text(), AllOf(HasSubstr("+"), HasSubstr("/"), testing::EndsWith("==")));
}

TEST(MediaCases, C062_EveryWayOfWritingThePictureIsRead) {
  const std::string text = Text();
  std::string lines;
  for (size_t i = 0; i < text.size(); i += 76) lines += text.substr(i, 76) + "\r\n";
  const std::string bare = text.substr(0, text.size() - 2);
  for (const std::string& url : {
           "data:image/png;base64," + text,
           "data:image/png;base64," + bare,
           "data:image/png;base64," + absl::StrReplaceAll(text, {{"+", "-"}, {"/", "_"}}),
           "data:image/png;base64," + lines,
           "data:image/png;base64, " + text,
           " data:image/png;base64," + text + "\n",
           "data:image/jpeg;base64," + text,
           "data:;base64," + text,
           "data:image/png;charset=utf-8;base64," + text,
           "DATA:image/png;BASE64," + text,
           "data:image/png;base64," +
               absl::StrReplaceAll(text, {{"+", "%2B"}, {"/", "%2f"}, {"=", "%3D"}}),
       }) {
    const auto bytes = BytesOf(url);
    ASSERT_THAT(bytes, IsOk()) << url.substr(0, 40);
    EXPECT_EQ(*bytes, Picture()) << url.substr(0, 40);
  }
  EXPECT_THAT(DecodeImage(*BytesOf("data:image/jpeg;base64," + text)), IsOk());
}

TEST(MediaCases, C062_TruncatedOrGarbledTextIsInvalidBase64) {
  const std::string text = Text();
  for (const std::string& payload :
       {text.substr(0, text.size() - 1), text.substr(0, text.size() - 3), text + "A",
        std::string("###"), text.substr(0, 8) + "," + text.substr(8), std::string("%2"),
        std::string("QUJD%zz"), std::string("QUJD%"), std::string(), std::string("  "),
        std::string("===")}) {
    EXPECT_THAT(BytesOf("data:image/png;base64," + payload),
                StatusIs(kInvalid, HasSubstr("invalid base64")))
        << payload;
  }
}

TEST(MediaCases, C062_AFileCutBeforeEncodingIsNoImage) {
  const std::string png = Picture();
  const auto bytes =
      BytesOf("data:image/png;base64," + absl::Base64Escape(png.substr(0, png.size() / 2)));
  ASSERT_THAT(bytes, IsOk());
  EXPECT_THAT(DecodeImage(*bytes), StatusIs(kInvalid, HasSubstr("cut off")));
}

TEST(MediaCases, C062_FormatsAreToldByTheBytes) {
  for (const char* name : {"lossy.webp", "animated.gif"}) {
    const auto bytes = BytesOf("data:image/png;base64," + absl::Base64Escape(ReadImageFile(name)));
    ASSERT_THAT(bytes, IsOk());
    EXPECT_THAT(DecodeImage(*bytes), StatusIs(kInvalid, HasSubstr("unsupported image format")));
  }
}

TEST(MediaCases, C062_NoMessageRepeatsTheData) {
  for (const char* url :
       {"data:image/png;base64,SECRET!", "data:SECRET", "data:SECRET,x", "SECRET", "SECRET\n:x",
        "data:image/png;SECRET,AAAA", "file:///SECRET", "https://SECRET/SECRET.png"}) {
    EXPECT_THAT(BytesOf(url), StatusIs(kInvalid, Not(HasSubstr("SECRET")))) << url;
  }
}

TEST(MediaCases, C061_AnEmptyUrlSaysWhatIsAccepted) {
  for (const char* url : {"", "  \n"}) {
    EXPECT_THAT(ParseDataUrl(url),
                StatusIs(kInvalid, AllOf(HasSubstr("empty"), HasSubstr("data:image/png;base64,"))));
  }
}

TEST(DataUrlTest, OtherSchemesAreNamedWithTheWayOut) {
  const auto refuses = [](absl::string_view url, absl::string_view words) {
    EXPECT_THAT(ParseDataUrl(url), StatusIs(kInvalid, AllOf(HasSubstr(std::string(words)),
                                                            HasSubstr("send the content inline"))));
  };
  refuses("http://example.com/a.png", "remote media is disabled, http: URLs are not fetched");
  refuses("HTTPS://example.com/a.png", "remote media is disabled, https: URLs are not fetched");
  refuses("file:///etc/passwd", "file: URLs are not supported");
  refuses("ftp://example.com/a.png", "ftp: URLs are not supported");
  refuses("blob:abc", "blob: URLs are not supported");
  refuses("/tmp/a.png", "no scheme");
  refuses("iVBORw0KGgo", "no scheme");
  refuses(std::string(1000, 'x') + ":", "no scheme");
  refuses("data:image/png;base64", "no comma");
  refuses("data:image/png,abc", "not marked as base64");
  refuses("data:base64,abc", "not marked as base64");
}

TEST(DataUrlTest, ThePayloadIsBounded) {
  EXPECT_THAT(DecodeDataPayload("QUJD", 3), IsOk());
  EXPECT_THAT(DecodeDataPayload("QUJD", 2), StatusIs(kInvalid, HasSubstr("2 bytes")));
  EXPECT_THAT(DecodeDataPayload(std::string(1 << 16, 'A'), 100),
              StatusIs(kInvalid, HasSubstr("100 bytes")));
  EXPECT_THAT(DecodeDataPayload("%51%55%4A%44", 3), IsOk());
}

}  // namespace
}  // namespace switchboard::media
