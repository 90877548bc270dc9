#include "http/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace switchboard::http {
namespace {

using testing::HasSubstr;

int StatusOfScan(const std::string& bytes, const HeadLimits& limits = HeadLimits()) {
  const HeadScanner::Result result = HeadScanner(limits).Scan(bytes);
  return result.refusal ? result.refusal->status : 0;
}

RequestHead Post(std::vector<std::pair<std::string, std::string>> headers) {
  RequestHead head;
  head.method = "POST";
  head.target = "/";
  head.headers = std::move(headers);
  head.headers.emplace_back("host", "test");
  return head;
}

// The refusal's message, or "" for a head that is fine.
std::string Complaint(const RequestHead& head) {
  BodyFraming framing;
  const std::optional<Refusal> refusal = CheckHead(head, &framing);
  return refusal ? refusal->message : "";
}

TEST(HeadScannerTest, FindsTheEndOfTheHead) {
  const std::string head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  const HeadScanner::Result result = HeadScanner(HeadLimits()).Scan(head + "GET /next");
  EXPECT_FALSE(result.refusal);
  EXPECT_EQ(result.head_bytes, 27u);
}

TEST(HeadScannerTest, FindsTheEndWhenEveryByteComesAlone) {
  const std::string head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  HeadScanner scanner{HeadLimits()};
  for (size_t bytes = 1; bytes < head.size(); ++bytes) {
    const HeadScanner::Result part = scanner.Scan(head.substr(0, bytes));
    ASSERT_FALSE(part.refusal) << bytes;
    ASSERT_EQ(part.head_bytes, 0u) << bytes;
  }
  EXPECT_EQ(scanner.Scan(head).head_bytes, head.size());
}

TEST(HeadScannerTest, RefusesBareLineFeed) {
  EXPECT_EQ(StatusOfScan("GET / HTTP/1.1\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(StatusOfScan("GET / HTTP/1.1\r\nHost: a\n\r\n"), 400);
}

TEST(HeadScannerTest, RefusesBareCarriageReturn) {
  EXPECT_EQ(StatusOfScan("GET / HTTP/1.1\r\nA: b\rc\r\n\r\n"), 400);
}

TEST(HeadScannerTest, RefusesControlCharacters) {
  EXPECT_EQ(StatusOfScan(std::string("GET / HTTP/1.1\r\nA: b\0c\r\n\r\n", 25)), 400);
  EXPECT_EQ(StatusOfScan("GET / HTTP/1.1\r\nTransfer-Encoding: \x0b"
                         "chunked\r\n\r\n"),
            400);
  EXPECT_EQ(StatusOfScan("GET / HTTP/1.1\r\nA: \x7f\r\n\r\n"), 400);
}

TEST(HeadScannerTest, AllowsTabsAndBytesBeyondAscii) {
  EXPECT_EQ(StatusOfScan("GET / HTTP/1.1\r\nA: b\tc \xc3\xa4\r\n\r\n"), 0);
}

TEST(HeadScannerTest, RefusesFoldedHeaders) {
  EXPECT_EQ(StatusOfScan("GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n"), 400);
  EXPECT_EQ(StatusOfScan("GET / HTTP/1.1\r\nA: b\r\n\tc\r\n\r\n"), 400);
}

TEST(HeadScannerTest, RefusesOtherProtocolsAtTheirFirstByte) {
  EXPECT_EQ(StatusOfScan("\x16\x03\x01"), 400);  // TLS
  EXPECT_EQ(StatusOfScan(" "), 400);
  EXPECT_EQ(StatusOfScan("{\"model\""), 400);
}

TEST(HeadScannerTest, RefusesAMethodWithoutEnd) {
  EXPECT_EQ(StatusOfScan(std::string(33, 'a')), 400);
}

TEST(HeadScannerTest, RefusesAnEmptyRequestLine) {
  EXPECT_EQ(StatusOfScan("\r\nGET / HTTP/1.1\r\n\r\n"), 400);
}

TEST(HeadScannerTest, RefusesALongTargetBeforeItsEndHasCome) {
  EXPECT_EQ(StatusOfScan("GET /" + std::string(9000, 'a')), 414);
  EXPECT_EQ(StatusOfScan("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\n\r\n"), 414);
  EXPECT_EQ(StatusOfScan("GET /" + std::string(8000, 'a') + " HTTP/1.1\r\n\r\n"), 0);
}

TEST(HeadScannerTest, RefusesALongHeaderBeforeItsEndHasCome) {
  EXPECT_EQ(StatusOfScan("GET / HTTP/1.1\r\nA: " + std::string(17000, 'a')), 431);
  EXPECT_EQ(StatusOfScan("GET / HTTP/1.1\r\nA: " + std::string(17000, 'a') + "\r\n\r\n"), 431);
}

TEST(HeadScannerTest, CountsHeaders) {
  HeadLimits limits;
  limits.max_headers = 2;
  EXPECT_EQ(StatusOfScan("GET / HTTP/1.1\r\nA: 1\r\nB: 2\r\n\r\n", limits), 0);
  EXPECT_EQ(StatusOfScan("GET / HTTP/1.1\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n", limits), 431);
}

TEST(HeadScannerTest, LimitsTheWholeHead) {
  HeadLimits limits;
  limits.max_bytes = 27;
  EXPECT_EQ(StatusOfScan("GET / HTTP/1.1\r\nHost: a\r\n\r\n", limits), 0);
  EXPECT_EQ(StatusOfScan("GET / HTTP/1.1\r\nHost: ab\r\n\r\n", limits), 431);
  EXPECT_EQ(StatusOfScan("GET / HTTP/1.1\r\nHost: abcdef", limits), 431);
}

TEST(CheckHeadTest, TakesAPlainRequest) {
  BodyFraming framing;
  EXPECT_FALSE(CheckHead(Post({{"content-length", "12"}}), &framing));
  EXPECT_EQ(framing.content_length, 12u);
  EXPECT_FALSE(framing.chunked);
  EXPECT_FALSE(framing.expects_continue);
}

TEST(CheckHeadTest, TakesAChunkedRequest) {
  BodyFraming framing;
  EXPECT_FALSE(
      CheckHead(Post({{"transfer-encoding", "Chunked"}, {"expect", "100-Continue"}}), &framing));
  EXPECT_TRUE(framing.chunked);
  EXPECT_TRUE(framing.expects_continue);
}

TEST(CheckHeadTest, RefusesUnknownMethodsWith405) {
  for (const char* method : {"BREW", "TRACE", "CONNECT", "get", ""}) {
    RequestHead head = Post({});
    head.method = method;
    BodyFraming framing;
    const std::optional<Refusal> refusal = CheckHead(head, &framing);
    ASSERT_TRUE(refusal) << method;
    EXPECT_EQ(refusal->status, 405) << method;
  }
}

TEST(CheckHeadTest, RefusesContentLengthWithTransferEncoding) {
  EXPECT_THAT(Complaint(Post({{"content-length", "5"}, {"transfer-encoding", "chunked"}})),
              HasSubstr("exclude each other"));
  EXPECT_THAT(Complaint(Post({{"transfer-encoding", "chunked"}, {"content-length", "5"}})),
              HasSubstr("exclude each other"));
}

TEST(CheckHeadTest, RefusesSeveralContentLengths) {
  EXPECT_THAT(Complaint(Post({{"content-length", "5"}, {"content-length", "5"}})),
              HasSubstr("more than once"));
}

TEST(CheckHeadTest, RefusesContentLengthsThatAreNoNumber) {
  for (const char* value : {"5, 5", "+5", "-5", "5 5", "0x5", "abc", "", "5.0",
                            "18446744073709551626", "99999999999999999999"}) {
    EXPECT_THAT(Complaint(Post({{"content-length", value}})), HasSubstr("one decimal number"))
        << value;
  }
}

TEST(CheckHeadTest, RefusesEveryTransferEncodingButChunked) {
  for (const char* value :
       {"xchunked", "chunked, identity", "identity", "gzip, chunked", "chunked;q=1", ""}) {
    EXPECT_THAT(Complaint(Post({{"transfer-encoding", value}})), HasSubstr("exactly \"chunked\""))
        << value;
  }
  EXPECT_THAT(Complaint(Post({{"transfer-encoding", "chunked"}, {"transfer-encoding", "chunked"}})),
              HasSubstr("exactly \"chunked\""));
}

TEST(CheckHeadTest, RefusesChunkedInHttp10) {
  RequestHead head = Post({{"transfer-encoding", "chunked"}});
  head.version = 10;
  EXPECT_THAT(Complaint(head), HasSubstr("HTTP/1.0 has no Transfer-Encoding"));
}

TEST(CheckHeadTest, WantsExactlyOneHost) {
  RequestHead head = Post({});
  head.headers.clear();
  EXPECT_THAT(Complaint(head), HasSubstr("needs a Host header"));
  head.version = 10;
  EXPECT_EQ(Complaint(head), "");
  head.headers = {{"host", "a"}, {"host", "a"}};
  EXPECT_THAT(Complaint(head), HasSubstr("more than once"));
}

TEST(CheckHeadTest, RefusesHostsThatAreNone) {
  for (const char* value : {"a b", "a/b", "user@a", "a,b", "a?b"}) {
    RequestHead head = Post({});
    head.headers = {{"host", value}};
    EXPECT_THAT(Complaint(head), HasSubstr("not a host")) << value;
  }
  for (const char* value : {"", "a.b:80", "[::1]:8000", "10.0.0.1"}) {
    RequestHead head = Post({});
    head.headers = {{"host", value}};
    EXPECT_EQ(Complaint(head), "") << value;
  }
}

TEST(CheckHeadTest, RefusesCompressedBodiesWith415) {
  BodyFraming framing;
  const std::optional<Refusal> refusal = CheckHead(Post({{"content-encoding", "gzip"}}), &framing);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->status, 415);
  EXPECT_EQ(refusal->code, "unsupported_media_type");
  EXPECT_EQ(Complaint(Post({{"content-encoding", "identity"}})), "");
}

TEST(CheckHeadTest, RefusesUnknownExpectationsWith417) {
  BodyFraming framing;
  const std::optional<Refusal> refusal = CheckHead(Post({{"expect", "miracles"}}), &framing);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->status, 417);
}

TEST(CheckHeadTest, IgnoresExpectationsOfHttp10) {
  RequestHead head = Post({{"expect", "100-continue"}});
  head.version = 10;
  BodyFraming framing;
  EXPECT_FALSE(CheckHead(head, &framing));
  EXPECT_FALSE(framing.expects_continue);
}

TEST(KeepsAliveTest, FollowsVersionAndConnectionHeader) {
  EXPECT_TRUE(KeepsAlive(Post({})));
  EXPECT_FALSE(KeepsAlive(Post({{"connection", "Close"}})));
  EXPECT_FALSE(KeepsAlive(Post({{"connection", "upgrade"}, {"connection", "foo, close"}})));
  RequestHead old = Post({});
  old.version = 10;
  EXPECT_FALSE(KeepsAlive(old));
  old.headers.emplace_back("connection", "Keep-Alive");
  EXPECT_TRUE(KeepsAlive(old));
}

}  // namespace
}  // namespace switchboard::http
