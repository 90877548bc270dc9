#include "http/cors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace switchboard::http {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

CorsPolicy Policy(absl::string_view text) { return CorsPolicy::Parse(text).value(); }

std::string Find(const HeaderList& headers, absl::string_view name) {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return "";
}

std::string AllowedOrigin(absl::string_view policy, absl::string_view origin) {
  return Find(Policy(policy).ReplyHeaders(origin), "Access-Control-Allow-Origin");
}

TEST(CorsPolicyTest, LocalhostMatchesThisMachineOnAnyPort) {
  for (const char* origin : {"http://localhost", "http://localhost:3000", "https://localhost:8443",
                             "http://127.0.0.1:5173", "http://[::1]:3000", "http://[::1]"}) {
    EXPECT_EQ(AllowedOrigin("localhost", origin), origin);
  }
}

TEST(CorsPolicyTest, LocalhostMatchesNothingThatOnlyLooksLikeIt) {
  for (const char* origin :
       {"http://localhost.evil.com", "http://localhost.evil.com:3000",
        "http://localhost:3000.evil.com", "http://evil.com/localhost",
        "http://localhost:", "http://localhost:3000/", "http://127.0.0.1.nip.io", "http://evil.com",
        "ftp://localhost", "null", "localhost", "http://localhost@evil.com", "http://xlocalhost",
        "http://localhost:123456"}) {
    EXPECT_EQ(AllowedOrigin("localhost", origin), "") << origin;
  }
}

TEST(CorsPolicyTest, OffAllowsNobodyAndAddsNothing) {
  EXPECT_THAT(Policy("off").ReplyHeaders("http://localhost:3000"), IsEmpty());
  EXPECT_THAT(CorsPolicy().PreflightHeaders("http://localhost:3000", "x-a"), IsEmpty());
}

TEST(CorsPolicyTest, AnyAllowsEverybodyWithoutCredentials) {
  const HeaderList headers = Policy("*").ReplyHeaders("https://some.where");
  EXPECT_EQ(Find(headers, "Access-Control-Allow-Origin"), "*");
  EXPECT_EQ(Find(headers, "Access-Control-Allow-Credentials"), "");
}

TEST(CorsPolicyTest, ListMatchesWholeOriginsOnly) {
  const char list[] = "https://chat.example.com, http://10.0.0.5:8080";
  EXPECT_EQ(AllowedOrigin(list, "https://chat.example.com"), "https://chat.example.com");
  EXPECT_EQ(AllowedOrigin(list, "http://10.0.0.5:8080"), "http://10.0.0.5:8080");
  EXPECT_EQ(AllowedOrigin(list, "https://chat.example.com:444"), "");
  EXPECT_EQ(AllowedOrigin(list, "http://chat.example.com"), "");
  EXPECT_EQ(AllowedOrigin(list, "http://localhost"), "");
}

TEST(CorsPolicyTest, ParseNamesTheEntryThatIsNoOrigin) {
  for (const char* text :
       {"", "chat.example.com", "https://a.b/path", "https://a.b,", "https://"}) {
    EXPECT_THAT(CorsPolicy::Parse(text),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("CORS origin")))
        << text;
  }
}

TEST(CorsPolicyTest, RepliesToAllowedPagesExposeHeadersAndVary) {
  const HeaderList headers = Policy("localhost").ReplyHeaders("http://localhost:3000");
  EXPECT_EQ(Find(headers, "Vary"), "Origin");
  EXPECT_EQ(Find(headers, "Access-Control-Allow-Credentials"), "true");
  const std::string exposed = Find(headers, "Access-Control-Expose-Headers");
  EXPECT_THAT(exposed, HasSubstr("X-Request-Id, Retry-After, openai-processing-ms"));
  EXPECT_THAT(exposed, HasSubstr("x-ratelimit-reset-tokens"));
}

TEST(CorsPolicyTest, RepliesToStrangersOnlyVary) {
  const HeaderList headers = Policy("localhost").ReplyHeaders("http://evil.com");
  EXPECT_EQ(headers, (HeaderList{{"Vary", "Origin"}}));
  EXPECT_EQ(Policy("localhost").ReplyHeaders(""), (HeaderList{{"Vary", "Origin"}}));
}

TEST(CorsPolicyTest, PreflightReflectsTheHeadersAskedFor) {
  const HeaderList headers =
      Policy("localhost")
          .PreflightHeaders("http://localhost:3000", "authorization, x-stainless-os");
  EXPECT_EQ(Find(headers, "Access-Control-Allow-Origin"), "http://localhost:3000");
  EXPECT_EQ(Find(headers, "Access-Control-Allow-Methods"), "GET, POST, DELETE, OPTIONS");
  EXPECT_EQ(Find(headers, "Access-Control-Allow-Headers"), "authorization, x-stainless-os");
  EXPECT_EQ(Find(headers, "Access-Control-Max-Age"), "600");
}

TEST(CorsPolicyTest, PreflightReflectsHeaderNamesOnly) {
  const HeaderList headers =
      Policy("localhost").PreflightHeaders("http://localhost:3000", "a: b\"");
  EXPECT_EQ(Find(headers, "Access-Control-Allow-Headers"), "Authorization, Content-Type");
}

TEST(CorsPolicyTest, PreflightOfAStrangerAllowsNothing) {
  EXPECT_EQ(Policy("localhost").PreflightHeaders("http://evil.com", "x-a"),
            (HeaderList{{"Vary", "Origin"}}));
}

}  // namespace
}  // namespace switchboard::http
