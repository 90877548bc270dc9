// The server over real sockets: framing, order, reuse.
#include "http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "http/error_body.h"
#include "tests/support/manual_clock.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/http/raw_client.h"
#include "tests/unit/http/scripted_handler.h"

namespace switchboard::http {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

// Replies "METHOD path?query body"; /stream is three events.
std::unique_ptr<Exchange> Echo(Request request) {
  if (request.path == "/stream") {
    ManualStream stream;
    stream.SayHead(ManualStream::StreamHead());
    for (const char* event : {"data: 1\n\n", "data: 2\n\n", "data: [DONE]\n\n"})
      stream.SayBody(event);
    stream.SayEnd();
    return stream.MakeExchange();
  }
  return ReplyText(
      absl::StrCat(request.method, " ", request.path, "?", request.query, " ", request.body));
}

class ServerTest : public testing::Test {
 protected:
  void Start() { ASSERT_THAT(server().Start(), IsOk()); }
  Server& server() {
    if (server_ == nullptr) server_ = std::make_unique<Server>(options_, &handler_);
    return *server_;
  }
  int port() { return server().port(); }

  ServerOptions options_;
  FunctionHandler handler_{Echo};

 private:
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, RepliesByteForByte) {
  ManualClock clock(absl::FromUnixSeconds(784111777));  // the example date of RFC 9110
  options_.clock = &clock;
  Start();
  RawClient client(port());
  client.Send("GET /a?b HTTP/1.1\r\nHost: x\r\nX-Request-Id: req-1\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(client.ReadAll(),
            "HTTP/1.1 200 OK\r\n"
            "Content-Type: text/plain\r\n"
            "X-Request-Id: req-1\r\n"
            "openai-processing-ms: 0\r\n"
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
            "Server: switchboard\r\n"
            "Connection: close\r\n"
            "Content-Length: 9\r\n"
            "\r\n"
            "GET /a?b ");
}

TEST_F(ServerTest, StreamsOneChunkPerEvent) {
  Start();
  RawClient client(port());
  client.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_EQ(client.ReadUntil("0\r\n\r\n"),
            "9\r\ndata: 1\n\n\r\n9\r\ndata: 2\n\n\r\ne\r\ndata: [DONE]\n\n\r\n0\r\n\r\n");
}

TEST_F(ServerTest, KeepsTheConnectionAfterStreamsAndPlainReplies) {
  Start();
  RawClient client(port());
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(client.Ask("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n").chunks,
                ElementsAre("data: 1\n\n", "data: 2\n\n", "data: [DONE]\n\n"));
    EXPECT_EQ(client.Ask("GET /a HTTP/1.1\r\nHost: x\r\n\r\n").body, "GET /a? ");
  }
}

TEST_F(ServerTest, AnswersPipelinedRequestsInOrder) {
  Start();
  RawClient client(port());
  client.Send(
      "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n"
      "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
      "\r\nGET /c HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.Read().chunks.size(), 3u);
  EXPECT_EQ(client.Read().body, "POST /b? abc");
  EXPECT_EQ(client.Read().body, "GET /c? ");
}

TEST_F(ServerTest, AnswersManyPipelinedRequestsBeyondTheReadAhead) {
  Start();
  RawClient client(port());
  constexpr int kCount = 4000;  // 140 KB, more than is read ahead
  std::string all;
  for (int i = 0; i < kCount; ++i)
    absl::StrAppend(&all, "GET /", i, " HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(client.Send(all));
  for (int i = 0; i < kCount; ++i) ASSERT_EQ(client.Read().body, absl::StrCat("GET /", i, "? "));
}

TEST_F(ServerTest, HeadIsGetWithoutBody) {
  Start();
  RawClient client(port());
  client.Send("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n");
  const RawReply head = client.Read(/*head_only=*/true);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.Header("content-length"), "8");
  client.Send("HEAD /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.Read(/*head_only=*/true).Header("transfer-encoding"), "chunked");
  EXPECT_EQ(client.Ask("GET /b HTTP/1.1\r\nHost: x\r\n\r\n").body, "GET /b? ");
}

TEST_F(ServerTest, ReadsARequestInPieces) {
  Start();
  RawClient client(port());
  for (const char* piece :
       {"POST /a HT", "TP/1.1\r\nHost: x\r\nContent-Le", "ngth: 10\r\n\r", "\n01234", "56789"}) {
    ASSERT_TRUE(client.Send(piece));
  }
  EXPECT_EQ(client.Read().body, "POST /a? 0123456789");
}

TEST_F(ServerTest, ReadsAChunkedRequest) {
  Start();
  RawClient client(port());
  EXPECT_EQ(client
                .Ask("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                     "5\r\nhello\r\n6;ext=1\r\n world\r\n0\r\n\r\n")
                .body,
            "POST /a? hello world");
  EXPECT_EQ(client.Ask("GET /b HTTP/1.1\r\nHost: x\r\n\r\n").body, "GET /b? ");
}

TEST_F(ServerTest, ReadsALargeBody) {
  Start();
  RawClient client(port());
  const std::string body(20 << 20, 'x');
  ASSERT_TRUE(client.Send(absl::StrCat(
      "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: ", body.size(), "\r\n\r\n", body)));
  EXPECT_EQ(client.Read().body, "POST /a? " + body);
}

TEST_F(ServerTest, SaysContinueWhenAsked) {
  Start();
  RawClient client(port());
  client.Send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(client.Ask("hello").body, "POST /a? hello");
}

TEST_F(ServerTest, SpeaksHttp10) {
  Start();
  RawClient once(port());
  once.Send("GET /a HTTP/1.0\r\n\r\n");
  EXPECT_THAT(once.ReadAll(), AllOf(HasSubstr("Connection: close\r\n"), HasSubstr("GET /a? ")));

  RawClient twice(port());
  for (int i = 0; i < 2; ++i) {
    const RawReply reply = twice.Ask("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(reply.Header("connection"), "keep-alive");
    EXPECT_EQ(reply.body, "GET /a? ");
  }

  RawClient stream(port());
  stream.Send("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_THAT(stream.ReadAll(),
              AllOf(HasSubstr("Connection: close\r\n"),
                    testing::EndsWith("\r\n\r\ndata: 1\n\ndata: 2\n\ndata: [DONE]\n\n")));
}

TEST_F(ServerTest, AnswersAClientThatHalfCloses) {
  Start();
  RawClient client(port());
  client.Send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  client.Finish();
  EXPECT_EQ(client.Read().body, "GET /a? ");
  EXPECT_TRUE(client.ClosedByServer());
}

TEST_F(ServerTest, NormalisesThePath) {
  Start();
  RawClient client(port());
  EXPECT_EQ(
      client.Ask("GET //v1//models/org%2Fname/?api-version=1 HTTP/1.1\r\nHost: x\r\n\r\n").body,
      "GET /v1/models/org/name?api-version=1 ");
}

TEST_F(ServerTest, GivesEveryReplyARequestId) {
  Start();
  RawClient client(port());
  EXPECT_EQ(client.Ask("GET /a HTTP/1.1\r\nHost: x\r\nX-Request-Id: my.id\r\n\r\n")
                .Header("x-request-id"),
            "my.id");
  EXPECT_THAT(
      client.Ask("GET /a HTTP/1.1\r\nHost: x\r\nX-Request-Id: a b\r\n\r\n").Header("x-request-id"),
      MatchesRegex("[0-9a-f]*"));
  EXPECT_EQ(client.Ask("GET /a HTTP/1.1\r\nHost: x\r\n\r\n").Header("x-request-id").size(), 32u);
}

TEST_F(ServerTest, AnswersPreflightsForAnyPathWithoutTheHandler) {
  options_.cors = CorsPolicy::Parse("localhost").value();
  options_.before_body = [](const Request&) {
    return ReplyRefusal({401, "no key", "invalid_api_key"});
  };
  Start();
  RawClient client(port());
  const RawReply reply = client.Ask(
      "OPTIONS /no/such HTTP/1.1\r\nHost: x\r\nOrigin: http://localhost:3000\r\n"
      "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization, "
      "x-stainless-os\r\n\r\n");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "");
  EXPECT_EQ(reply.Header("access-control-allow-origin"), "http://localhost:3000");
  EXPECT_EQ(reply.Header("access-control-allow-headers"), "authorization, x-stainless-os");
  EXPECT_EQ(client.Ask("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n").status, 200);
}

TEST_F(ServerTest, AddsCorsHeadersToRepliesStreamsAndErrors) {
  options_.cors = CorsPolicy::Parse("localhost").value();
  Start();
  for (const char* start : {"GET /a", "GET /stream", "BREW /a", "GET /%zz"}) {
    RawClient client(port());
    const RawReply reply = client.Ask(
        absl::StrCat(start, " HTTP/1.1\r\nHost: x\r\nOrigin: http://localhost:3000\r\n\r\n"));
    EXPECT_EQ(reply.Header("access-control-allow-origin"), "http://localhost:3000") << start;
    EXPECT_EQ(reply.Header("vary"), "Origin") << start;
  }
  RawClient client(port());
  EXPECT_EQ(client.Ask("GET /a HTTP/1.1\r\nHost: x\r\nOrigin: http://localhost.evil.com\r\n\r\n")
                .Header("access-control-allow-origin"),
            "");
}

TEST_F(ServerTest, BeforeBodyAnswersWithoutReadingTheBody) {
  options_.before_body = [](const Request& head) -> std::unique_ptr<Exchange> {
    if (head.Header("authorization") == "Bearer k") return nullptr;
    return ReplyRefusal({401, "wrong key", "invalid_api_key"});
  };
  Start();
  RawClient client(port());
  const RawReply refused =
      client.Ask("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n");
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.Header("connection"), "close");

  RawClient other(port());
  EXPECT_EQ(other.Ask("GET /a HTTP/1.1\r\nHost: x\r\n\r\n").status,
            401);  // no body: the connection stays
  EXPECT_EQ(other.Ask("GET /a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\n\r\n").status, 200);
}

TEST_F(ServerTest, ServesSeveralThreads) {
  options_.threads = 3;
  Start();
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 9; ++i) clients.push_back(std::make_unique<RawClient>(port()));
  for (auto& client : clients) client->Send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  for (auto& client : clients) EXPECT_EQ(client->Read().body, "GET /a? ");
}

TEST_F(ServerTest, AnswersBesideFiveHundredIdleConnections) {
  Start();
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 500; ++i) idle.push_back(std::make_unique<RawClient>(port()));
  RawClient client(port());
  EXPECT_EQ(client.Ask("GET /a HTTP/1.1\r\nHost: x\r\n\r\n").body, "GET /a? ");
}

TEST_F(ServerTest, RefusesConnectionsBeyondTheLimit) {
  options_.max_connections = 1;
  Start();
  RawClient first(port());
  EXPECT_EQ(first.Ask("GET /a HTTP/1.1\r\nHost: x\r\n\r\n").status, 200);
  RawClient second(port());
  const RawReply refused = second.Ask("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.body, HasSubstr("server_is_overloaded"));
  EXPECT_EQ(refused.Header("retry-after"), "2");
  EXPECT_EQ(first.Ask("GET /b HTTP/1.1\r\nHost: x\r\n\r\n").status, 200);
}

// Gives the process room for exactly `more` further descriptors, until destroyed.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(int more) {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const int next_free = ::dup(STDERR_FILENO);
    ::close(next_free);
    rlimit now = before_;
    now.rlim_cur = static_cast<rlim_t>(next_free + more);
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &now), 0);
  }
  ~DescriptorLimit() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;

 private:
  rlimit before_;
};

TEST_F(ServerTest, AcceptsAgainOnceThereAreDescriptors) {
#ifdef SWITCHBOARD_SANITIZED
  GTEST_SKIP() << "the sanitizer checks pointers through a pipe, for which no descriptor is left";
#endif
  Start();
  RawClient early(port());
  EXPECT_EQ(early.Ask("GET /a HTTP/1.1\r\nHost: x\r\n\r\n").status, 200);
  std::unique_ptr<RawClient> late;
  {
    const DescriptorLimit limit(1);  // for the client's end
    late = std::make_unique<RawClient>(port());
    late->Send("GET /b HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(early.Ask("GET /a HTTP/1.1\r\nHost: x\r\n\r\n").status, 200);
  }
  EXPECT_EQ(late->Read().body, "GET /b? ");
}

TEST_F(ServerTest, AHandlerThatThrowsLosesOneConnection) {
  FunctionHandler handler([](Request request) -> std::unique_ptr<Exchange> {
    if (request.path == "/throw") throw std::runtime_error("a bug");
    if (request.path == "/throw-42") throw 42;
    return ReplyText("fine");
  });
  Server server(options_, &handler);
  ASSERT_THAT(server.Start(), IsOk());
  for (const char* path : {"/throw", "/throw-42"}) {
    RawClient unlucky(server.port());
    unlucky.Send(absl::StrCat("GET ", path, " HTTP/1.1\r\nHost: x\r\n\r\n"));
    EXPECT_TRUE(unlucky.ClosedByServer());
  }
  RawClient other(server.port());
  EXPECT_EQ(other.Ask("GET /a HTTP/1.1\r\nHost: x\r\n\r\n").body, "fine");
}

TEST_F(ServerTest, SaysWhichPortIsTaken) {
  Start();
  ServerOptions options;
  options.port = port();
  Server other(options, &handler_);
  EXPECT_THAT(other.Start(),
              StatusIs(absl::StatusCode::kAlreadyExists,
                       absl::StrCat("cannot listen on 127.0.0.1:", port(),
                                    ": address already in use; choose another --port")));
}

TEST_F(ServerTest, SaysWhichHostIsNone) {
  options_.host = "no.such.host.invalid";
  EXPECT_THAT(server().Start(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no.such.host.invalid")));
}

TEST_F(ServerTest, SaysWhichAddressIsNotOurs) {
  options_.host = "192.0.2.1";
  EXPECT_THAT(server().Start(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("192.0.2.1")));
}

TEST_F(ServerTest, ListensOnLocalhostByName) {
  options_.host = "localhost";
  Start();
  RawClient client(port());
  EXPECT_EQ(client.Ask("GET /a HTTP/1.1\r\nHost: x\r\n\r\n").status, 200);
}

}  // namespace
}  // namespace switchboard::http
