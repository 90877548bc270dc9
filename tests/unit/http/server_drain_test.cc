// What a server that stops says to whom.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "absl/strings/str_cat.h"
#include "http/server.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/http/raw_client.h"
#include "tests/unit/http/scripted_handler.h"

namespace switchboard::http {
namespace {

using testing::HasSubstr;

std::string Get(absl::string_view path) {
  return absl::StrCat("GET ", path, " HTTP/1.1\r\nHost: x\r\n\r\n");
}

// A server that drains from Drain() on until Finish(): it waits for a stream that one client reads.
class DrainTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(server_.Start(), IsOk());
    client_ = std::make_unique<RawClient>(server_.port());
    client_->Send(Get("/stream"));
    stream_.SayHead(ManualStream::StreamHead());
    client_->ReadUntil("\r\n\r\n");
  }
  void TearDown() override {
    if (stopper_.joinable()) Finish();
  }

  void Drain() {
    RawClient idle(server_.port());
    EXPECT_EQ(idle.Ask(Get("/plain")).body, "/plain");
    stopper_ = std::thread([this] { server_.Stop(absl::Seconds(30)); });
    EXPECT_TRUE(idle.ClosedByServer());
  }
  void Finish() {
    stream_.SayEnd();
    client_->Leave();
    stopper_.join();
  }

  void ExpectShuttingDown(const RawReply& reply) {
    EXPECT_EQ(reply.status, 503);
    EXPECT_EQ(reply.Header("connection"), "close");
    EXPECT_EQ(reply.Header("retry-after"), "2");
    EXPECT_THAT(reply.body, HasSubstr("\"code\":\"shutting_down\""));
  }

  ManualStream stream_;
  FunctionHandler handler_{[this](Request request) {
    if (request.path == "/stream") return stream_.MakeExchange();
    return ReplyText(request.path);
  }};
  Server server_{ServerOptions(), &handler_};
  std::unique_ptr<RawClient> client_;
  std::thread stopper_;
};

TEST_F(DrainTest, ANewcomerIsAnswered503) {
  Drain();
  RawClient newcomer(server_.port());
  ExpectShuttingDown(newcomer.Ask(Get("/plain")));
  EXPECT_TRUE(newcomer.ClosedByServer());
}

TEST_F(DrainTest, ANewcomersBodyIsNotWaitedFor) {
  Drain();
  RawClient newcomer(server_.port());
  ExpectShuttingDown(
      newcomer.Ask("POST /plain HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n{"));
}

TEST_F(DrainTest, ProbesAreStillHandled) {
  Drain();
  for (const char* path : {"/health", "/livez", "/readyz"}) {
    RawClient probe(server_.port());
    const RawReply reply = probe.Ask(Get(path));
    EXPECT_EQ(reply.status, 200) << path;
    EXPECT_EQ(reply.body, path);
    EXPECT_EQ(reply.Header("connection"), "close");
  }
  ExpectShuttingDown(RawClient(server_.port())
                         .Ask("POST /readyz HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"));
}

TEST_F(DrainTest, ARequestThatWaitsBehindAReplyIsAnswered503) {
  client_->Send(Get("/plain"));
  Drain();
  stream_.SayEnd();
  EXPECT_EQ(client_->ReadUntil("0\r\n\r\n"), "0\r\n\r\n");
  ExpectShuttingDown(client_->Read());
  EXPECT_TRUE(client_->ClosedByServer());
  client_->Leave();
  stopper_.join();
}

TEST_F(DrainTest, HalfAHeadIsNotWaitedFor) {
  RawClient slow(server_.port());
  // The half comes with a whole request before it: so it is there when the reply is.
  EXPECT_EQ(slow.Ask(absl::StrCat(Get("/plain"), "GET /pla")).body, "/plain");
  Drain();
  EXPECT_TRUE(slow.ClosedByServer(absl::Seconds(3)));
}

TEST_F(DrainTest, AStreamThatOutlastsTheGraceSaysItsLastWords) {
  stream_.SetFarewell("bye");
  EXPECT_TRUE(stream_.AwaitWaiting());
  server_.Stop(absl::ZeroDuration());
  EXPECT_EQ(client_->ReadAll(), "3\r\nbye\r\n0\r\n\r\n");
}

TEST_F(DrainTest, AStreamWithoutLastWordsIsCutOff) {
  EXPECT_TRUE(stream_.AwaitWaiting());
  server_.Stop(absl::ZeroDuration());
  EXPECT_EQ(client_->ReadAll(), "");
  EXPECT_TRUE(stream_.destroyed());
}

TEST_F(DrainTest, ABodyThatHasNotComeByTheEndIsAnswered503) {
  RawClient slow(server_.port());
  slow.Send("POST /plain HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n");
  EXPECT_EQ(slow.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  server_.Stop(absl::ZeroDuration());
  ExpectShuttingDown(slow.Read());
}

TEST_F(DrainTest, ASilentNewcomerDoesNotHoldTheServer) {
  Drain();
  RawClient silent(server_.port());
  ExpectShuttingDown(RawClient(server_.port()).Ask(Get("/plain")));  // after `silent` was let in
  Finish();
  EXPECT_TRUE(silent.ClosedByServer());
}

}  // namespace
}  // namespace switchboard::http
