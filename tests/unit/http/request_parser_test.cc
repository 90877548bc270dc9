#include "http/request_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace switchboard::http {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr char kChunkedHead[] = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

// Decodes a chunked body given in pieces of `piece` bytes: the body, or the refusal's status, or
// "more".
std::string Decode(absl::string_view bytes, size_t piece, uint64_t limit = 1 << 20) {
  RequestParser parser;
  RequestHead head;
  EXPECT_FALSE(parser.ParseHead(kChunkedHead, &head));
  parser.LimitBody(limit);
  std::string body;
  std::string pending;
  while (!bytes.empty()) {
    pending += std::string(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    const RequestParser::Progress progress = parser.ParseBody(pending, &body);
    if (progress.refusal) return std::to_string(progress.refusal->status);
    pending.erase(0, progress.consumed);
    if (parser.done()) return body + "|" + pending + std::string(bytes);
  }
  return "more";
}

int StatusOfHead(absl::string_view bytes) {
  RequestParser parser;
  RequestHead head;
  const std::optional<Refusal> refusal = parser.ParseHead(bytes, &head);
  return refusal ? refusal->status : 0;
}

TEST(RequestParserTest, TakesTheHeadApart) {
  RequestParser parser;
  RequestHead head;
  ASSERT_FALSE(parser.ParseHead(
      "GET /a?b HTTP/1.0\r\nHost: x\r\nX-Twice:  1 \r\nx-twice: 2\r\n\r\n", &head));
  EXPECT_EQ(head.method, "GET");
  EXPECT_EQ(head.target, "/a?b");
  EXPECT_EQ(head.version, 10);
  EXPECT_THAT(head.headers,
              ElementsAre(Pair("host", "x"), Pair("x-twice", "1"), Pair("x-twice", "2")));
  EXPECT_TRUE(parser.done());
}

TEST(RequestParserTest, RefusesMalformedHeads) {
  for (const char* bytes :
       {"hello there\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "PRI * HTTP/2.0\r\n\r\n",
        "GET / HTTP/1.1\r\nrubbish\r\n\r\n", "GET / HTTP/1.1\r\nA : b\r\n\r\n",
        "GET  / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1 \r\n\r\n", "GET\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: -5\r\n\r\n", "GET / HTTP/1.1\r\n: b\r\n\r\n"}) {
    EXPECT_EQ(StatusOfHead(bytes), 400) << bytes;
  }
}

TEST(RequestParserTest, ReadsABodyOfKnownLength) {
  RequestParser parser;
  RequestHead head;
  ASSERT_FALSE(parser.ParseHead("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n", &head));
  EXPECT_FALSE(parser.done());
  std::string body;
  EXPECT_EQ(parser.ParseBody("he", &body).consumed, 2u);
  EXPECT_EQ(parser.ParseBody("lloGET /", &body).consumed, 3u);
  EXPECT_TRUE(parser.done());
  EXPECT_EQ(body, "hello");
}

TEST(RequestParserTest, DecodesChunksHoweverTheyAreCut) {
  for (size_t piece : {1, 2, 3, 5, 1000}) {
    EXPECT_EQ(Decode("5\r\nhello\r\n6;ext=1\r\n world\r\n0\r\n\r\nGET /", piece),
              "hello world|GET /")
        << piece;
  }
}

// Beast's own assertion does not allow for this.
TEST(RequestParserTest, WaitsForTheTrailersOfAnEmptyBody) {
  RequestParser parser;
  RequestHead head;
  ASSERT_FALSE(parser.ParseHead(kChunkedHead, &head));
  std::string body;
  for (absl::string_view bytes : {"0\r\n", "0\r\nA", "0\r\nA: b\r\n"}) {
    const RequestParser::Progress progress = parser.ParseBody(bytes, &body);
    EXPECT_FALSE(progress.refusal);
    EXPECT_EQ(progress.consumed, 0u);
    EXPECT_FALSE(parser.done());
  }
  EXPECT_EQ(parser.ParseBody("0\r\nA: b\r\n\r\n", &body).consumed, 11u);
  EXPECT_TRUE(parser.done());
  EXPECT_EQ(body, "");
}

TEST(RequestParserTest, DropsTrailers) {
  RequestParser parser;
  RequestHead head;
  ASSERT_FALSE(parser.ParseHead(kChunkedHead, &head));
  std::string body;
  parser.ParseBody("1\r\nx\r\n0\r\nAuthorization: Bearer y\r\n\r\n", &body);
  EXPECT_TRUE(parser.done());
  EXPECT_EQ(body, "x");
  EXPECT_THAT(head.headers, ElementsAre(Pair("host", "a"), Pair("transfer-encoding", "chunked")));
}

TEST(RequestParserTest, RefusesMalformedChunks) {
  for (const char* bytes : {"zz\r\nhello\r\n0\r\n\r\n", "10000000000000005\r\nhello\r\n0\r\n\r\n",
                            "-5\r\nhello\r\n", "2\r\n{}XX0\r\n\r\n", "\r\n\r\n", "5 \r\nhello\r\n",
                            "0x5\r\n\r\n", "5\nhello\r\n0\r\n\r\n"}) {
    EXPECT_EQ(Decode(bytes, 1000), "400") << bytes;
  }
}

TEST(RequestParserTest, RefusesAnEndlessChunkExtension) {
  EXPECT_EQ(Decode("2;" + std::string(20000, 'a'), 1000), "400");
}

TEST(RequestParserTest, RefusesEndlessTrailers) {
  EXPECT_EQ(Decode("0\r\nA: " + std::string(20000, 'a'), 1000), "400");
}

TEST(RequestParserTest, RefusesChunksBeyondTheLimitWith413) {
  EXPECT_EQ(Decode("5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n", 1000, 10), "helloworld|");
  EXPECT_EQ(Decode("5\r\nhello\r\n6\r\nworlds\r\n0\r\n\r\n", 1000, 10), "413");
  EXPECT_EQ(Decode("ffffffff\r\n", 1000, 10), "413");
}

}  // namespace
}  // namespace switchboard::http
