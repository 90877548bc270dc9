// What attackers and broken clients send: each gets one answer, then the connection is closed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"
#include "http/server.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/http/raw_client.h"
#include "tests/unit/http/scripted_handler.h"

namespace switchboard::http {
namespace {

using testing::HasSubstr;

constexpr char kHidden[] = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n";

class HostileTest : public testing::Test {
 protected:
  void SetUp() override {
    options_.default_body_bytes = 1000;
    options_.body_limit = [](absl::string_view path) -> size_t {
      return path == "/chat" ? 4000000 : 1000;
    };
    server_ = std::make_unique<Server>(options_, &handler_);
    ASSERT_THAT(server_->Start(), IsOk());
  }

  // Sends the bytes; expects one refusal of this status, and the connection closed at once after
  // it.
  void ExpectRefused(absl::string_view bytes, int status, absl::string_view code = "bad_request") {
    RawClient client(server_->port());
    const RawReply reply = client.Ask(bytes);
    const std::string what(bytes.substr(0, 100));
    EXPECT_EQ(reply.status, status) << what;
    EXPECT_EQ(reply.Header("content-type"), "application/json") << what;
    EXPECT_EQ(reply.Header("connection"), "close") << what;
    EXPECT_EQ(reply.Header("x-request-id").size(), 32u) << what;
    const absl::StatusOr<Json> body = ParseJson(reply.body);
    ASSERT_TRUE(body.ok()) << what;
    const JsonObject& error = body->as_object().at("error").as_object();
    EXPECT_EQ(error.at("code").as_string(), ToBoost(code)) << what;
    EXPECT_EQ(error.at("param"), nullptr) << what;
    EXPECT_FALSE(error.at("message").as_string().empty()) << what;
    EXPECT_TRUE(client.ClosedByServer(absl::Seconds(1))) << what;
    EXPECT_EQ(handled_, 0) << what;
  }

  void ExpectHeadersRefused(absl::string_view headers, int status, absl::string_view body = "{}",
                            absl::string_view code = "bad_request") {
    ExpectRefused(absl::StrCat("POST /a HTTP/1.1\r\nHost: x\r\n", headers, "\r\n\r\n", body),
                  status, code);
  }

  ServerOptions options_;
  std::atomic<int> handled_{0};
  FunctionHandler handler_{[this](Request request) {
    ++handled_;
    return ReplyText(std::to_string(request.body.size()));
  }};
  std::unique_ptr<Server> server_;
};

TEST_F(HostileTest, ContentLengthAndChunkedSmuggleNothing) {
  const std::string body = absl::StrCat("0\r\n\r\n", kHidden);
  ExpectHeadersRefused(
      absl::StrCat("Content-Length: ", body.size(), "\r\nTransfer-Encoding: chunked"), 400, body);
  ExpectHeadersRefused(absl::StrCat("Transfer-Encoding: chunked\r\nContent-Length: ", body.size()),
                       400, body);
}

TEST_F(HostileTest, DisguisedChunkedSmugglesNothing) {
  const std::string body = absl::StrCat("0\r\n\r\n", kHidden);
  ExpectHeadersRefused(
      absl::StrCat("Content-Length: ", body.size(), "\r\nTransfer-Encoding: \x0b", "chunked"), 400,
      body);
  ExpectHeadersRefused("Transfer-Encoding: xchunked", 400, body);
  ExpectHeadersRefused("Transfer-Encoding: chunked, identity", 400, body);
  ExpectHeadersRefused("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", 400, body);
}

TEST_F(HostileTest, TwoContentLengthsSmuggleNothing) {
  const std::string body = absl::StrCat("{}", kHidden);
  ExpectHeadersRefused(absl::StrCat("Content-Length: 2\r\nContent-Length: ", body.size()), 400,
                       body);
  ExpectHeadersRefused("Content-Length: 2\r\nContent-Length: 2", 400, body);
  ExpectHeadersRefused("Content-Length: 2, 2", 400, body);
}

TEST_F(HostileTest, ChunkedHttp10SmugglesNothing) {
  ExpectRefused(
      absl::StrCat("POST /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", kHidden),
      400);
}

TEST_F(HostileTest, ContentLengthsThatAreNoNumber) {
  for (const char* value : {"-5", "abc", "+2", "18446744073709551626", "2 2", "0x2"}) {
    ExpectHeadersRefused(absl::StrCat("Content-Length: ", value), 400);
  }
}

TEST_F(HostileTest, MalformedHeaders) {
  ExpectHeadersRefused("Content-Length : 2", 400);
  ExpectHeadersRefused("Content-Length: 2\r\nrubbish", 400);
  ExpectHeadersRefused("Content-Length: 2\r\nX-A: a\r\n b: c", 400);
  ExpectHeadersRefused(absl::string_view("X-A: a\0b", 8), 400);
}

TEST_F(HostileTest, OversizedHeads) {
  const absl::string_view code = "request_header_fields_too_large";
  ExpectHeadersRefused("X-A: " + std::string(1000000, 'a'), 431, "", code);
  std::string many;
  for (int i = 0; i < 20000; ++i) absl::StrAppend(&many, "X-", i, ": ", i, "\r\n");
  ExpectHeadersRefused(many + "X: y", 431, "", code);
  ExpectRefused("GET /" + std::string(1000000, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n", 414,
                "uri_too_long");
}

TEST_F(HostileTest, MalformedChunks) {
  for (const char* body : {"zz\r\nhello\r\n0\r\n\r\n", "10000000000000005\r\nhello\r\n0\r\n\r\n",
                           "-5\r\nhello\r\n0\r\n\r\n", "2\r\n{}XX0\r\n\r\n"}) {
    ExpectHeadersRefused("Transfer-Encoding: chunked", 400, body);
  }
  ExpectHeadersRefused("Transfer-Encoding: chunked", 400, "2;" + std::string(1000000, 'a'));
}

TEST_F(HostileTest, UnknownMethods) {
  for (const char* method : {"BREW", "TRACE"}) {
    RawClient client(server_->port());
    const RawReply reply = client.Ask(absl::StrCat(method, " /a HTTP/1.1\r\nHost: x\r\n\r\n"));
    EXPECT_EQ(reply.status, 405);
    EXPECT_EQ(reply.Header("allow"), "GET, HEAD, POST, DELETE, OPTIONS");
  }
  ExpectRefused("CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n", 405, "method_not_allowed");
}

TEST_F(HostileTest, BadPaths) {
  for (const char* path :
       {"/v1/../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/a%00.html", "/%zz", "a"}) {
    ExpectRefused(absl::StrCat("GET ", path, " HTTP/1.1\r\nHost: x\r\n\r\n"), 400);
  }
}

TEST_F(HostileTest, OtherProtocols) {
  ExpectRefused("hello there\r\n\r\n", 400);
  ExpectRefused("GET / HTTP/9.9\r\nHost: x\r\n\r\n", 400);
  ExpectRefused(absl::string_view("\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03\x00\x00\x00", 14),
                400);
  ExpectRefused(absl::string_view("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0", 27), 400);
  ExpectRefused("GET / HTTP/1.1\r\n\r\n", 400);  // no host
}

TEST_F(HostileTest, CompressedBodies) {
  ExpectHeadersRefused("Content-Length: 2\r\nContent-Encoding: gzip", 415, "{}",
                       "unsupported_media_type");
}

TEST_F(HostileTest, AnnouncedBodiesAreRefusedBeforeTheyCome) {
  const absl::string_view code = "request_too_large";
  ExpectHeadersRefused("Content-Length: 1000000000000", 413, "", code);
  ExpectHeadersRefused("Content-Length: 1000000000000\r\nExpect: 100-continue", 413, "", code);
  ExpectHeadersRefused("Content-Length: 1001", 413, "", code);
}

TEST_F(HostileTest, ChunkedBodiesAreRefusedWhenTheyPassTheLimit) {
  ExpectHeadersRefused("Transfer-Encoding: chunked", 413, "3e9\r\n", "request_too_large");
}

TEST_F(HostileTest, EachPathHasItsLimit) {
  RawClient client(server_->port());
  const std::string head = "POST /PATH HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\n\r\n";
  EXPECT_EQ(
      client.Ask(absl::StrReplaceAll(head, {{"PATH", "chat"}}) + std::string(4000000, 'x')).body,
      "4000000");
  EXPECT_EQ(client.Ask(absl::StrReplaceAll(head, {{"PATH", "other"}})).status, 413);
}

// The reply must not be lost to a reset although the client is still sending.
TEST_F(HostileTest, AClientThatSendsOnStillGetsItsAnswer) {
  RawClient client(server_->port());
  client.Send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 104857600\r\n\r\n");
  const std::string piece(1 << 20, ' ');
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(client.Send(piece));
  const RawReply reply = client.Read();
  EXPECT_EQ(reply.status, 413);
  EXPECT_TRUE(client.ClosedByServer());
}

TEST_F(HostileTest, UpgradesAreIgnored) {
  RawClient client(server_->port());
  EXPECT_EQ(client
                .Ask("POST /a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, "
                     "HTTP2-Settings\r\nUpgrade: h2c\r\n"
                     "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\nContent-Length: 2\r\n\r\n{}")
                .body,
            "2");
}

TEST_F(HostileTest, BodiesTogetherStayWithinTheirBudget) {
  options_.max_buffered_bytes = 1500;
  options_.body_limit = nullptr;
  Server server(options_, &handler_);
  ASSERT_THAT(server.Start(), IsOk());
  RawClient first(server.port());
  first.Send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_THAT(first.ReadUntil("\r\n\r\n"), HasSubstr("100 Continue"));
  first.Send(std::string(999, 'x'));
  // Until the server has read those 999 bytes, the second body fits: so ask until it does not.
  RawReply reply;
  for (int i = 0; i < 1000 && reply.status != 503; ++i) {
    RawClient second(server.port());
    reply = second.Ask("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 600\r\n\r\n" +
                       std::string(600, 'y'));
  }
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.Header("retry-after"), "2");
  EXPECT_EQ(first.Ask("x").body, "1000");
}

// A handler that keeps its requests keeps their share, too.
TEST_F(HostileTest, ABodyCountsUntilItsHandlerDropsIt) {
  constexpr char kHead[] = "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 600\r\n\r\n";
  const std::string ask = kHead + std::string(600, 'x');
  options_.max_buffered_bytes = 1000;
  std::vector<Request> kept;
  FunctionHandler keeper([&kept](Request request) {
    kept.push_back(std::move(request));
    return ReplyText("kept");
  });
  {
    Server server(options_, &keeper);
    ASSERT_THAT(server.Start(), IsOk());
    EXPECT_EQ(RawClient(server.port()).Ask(ask).body, "kept");
    const RawReply refused = RawClient(server.port()).Ask(ask);
    EXPECT_EQ(refused.status, 503);
    EXPECT_THAT(refused.body, HasSubstr("server_is_overloaded"));
    ASSERT_EQ(kept.size(), 1);
    EXPECT_EQ(kept[0].body_share.held(), 600);
    kept[0].body_share.GiveBack();
    EXPECT_EQ(RawClient(server.port()).Ask(ask).body, "kept");
    EXPECT_EQ(RawClient(server.port()).Ask(ask).status, 503);
    kept.clear();
    EXPECT_EQ(RawClient(server.port()).Ask(ask).body, "kept");
  }
  kept.clear();  // after its server
}

}  // namespace
}  // namespace switchboard::http
