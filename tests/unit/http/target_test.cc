#include "http/target.h"

#include <gtest/gtest.h>

#include <optional>

namespace switchboard::http {
namespace {

// "path|query", or "refused".
std::string Parse(absl::string_view target) {
  const std::optional<Target> parsed = ParseTarget(target);
  return parsed ? parsed->path + "|" + parsed->query : "refused";
}

TEST(ParseTargetTest, SplitsPathAndQuery) {
  EXPECT_EQ(Parse("/v1/models?api-version=1&x=%20"), "/v1/models|api-version=1&x=%20");
  EXPECT_EQ(Parse("/a?b?c"), "/a|b?c");
  EXPECT_EQ(Parse("/"), "/|");
  EXPECT_EQ(Parse("/?"), "/|");
}

TEST(ParseTargetTest, CollapsesSlashesAndDropsTrailingOnes) {
  EXPECT_EQ(Parse("//v1//chat/completions/"), "/v1/chat/completions|");
  EXPECT_EQ(Parse("///"), "/|");
}

TEST(ParseTargetTest, DecodesPercentEscapesOnce) {
  EXPECT_EQ(Parse("/v1/models/org%2Fname"), "/v1/models/org/name|");
  EXPECT_EQ(Parse("/a%2520b"), "/a%20b|");
  EXPECT_EQ(Parse("/%e6%a8%a1%E5%9E%8B"), "/\xe6\xa8\xa1\xe5\x9e\x8b|");
}

TEST(ParseTargetTest, RefusesBadEscapes) {
  EXPECT_EQ(Parse("/v1/models/%zz"), "refused");
  EXPECT_EQ(Parse("/a%"), "refused");
  EXPECT_EQ(Parse("/a%2"), "refused");
  EXPECT_EQ(Parse("/a%-1"), "refused");
}

TEST(ParseTargetTest, RefusesControlCharactersAndInvalidUtf8) {
  EXPECT_EQ(Parse("/v1/models%00.html"), "refused");
  EXPECT_EQ(Parse("/a%0d%0ab"), "refused");
  EXPECT_EQ(Parse("/a%7f"), "refused");
  EXPECT_EQ(Parse("/a%ff"), "refused");
  EXPECT_EQ(Parse("/a%ed%a0%80"), "refused");  // a surrogate
}

TEST(ParseTargetTest, ResolvesDotSegmentsInsideTheRoot) {
  EXPECT_EQ(Parse("/v1/./models/../chat"), "/v1/chat|");
  EXPECT_EQ(Parse("/v1/.."), "/|");
  EXPECT_EQ(Parse("/v1/...x/..y"), "/v1/...x/..y|");
}

TEST(ParseTargetTest, RefusesDotSegmentsAboveTheRoot) {
  EXPECT_EQ(Parse("/.."), "refused");
  EXPECT_EQ(Parse("/v1/../../../etc/passwd"), "refused");
  EXPECT_EQ(Parse("/%2e%2e/%2e%2e/etc/passwd"), "refused");
  EXPECT_EQ(Parse("/a/%2e%2e%2f..%2fetc"), "refused");
}

TEST(ParseTargetTest, UnderstandsTheFormForProxies) {
  EXPECT_EQ(Parse("http://example.com/v1/models?x=1"), "/v1/models|x=1");
  EXPECT_EQ(Parse("HTTPS://example.com:8000"), "/|");
  EXPECT_EQ(Parse("http://example.com?x"), "/|x");
}

TEST(ParseTargetTest, UnderstandsTheAsterisk) { EXPECT_EQ(Parse("*"), "*|"); }

TEST(ParseTargetTest, RefusesWhatIsNoPath) {
  EXPECT_EQ(Parse(""), "refused");
  EXPECT_EQ(Parse("v1/models"), "refused");
  EXPECT_EQ(Parse("example.com:443"), "refused");
  EXPECT_EQ(Parse("/a#b"), "refused");
  EXPECT_EQ(Parse("ftp://a/b"), "refused");
}

}  // namespace
}  // namespace switchboard::http
