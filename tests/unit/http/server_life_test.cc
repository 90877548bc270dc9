// Time and departure: clients that leave, stall or dawdle, and a server that stops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "http/server.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/http/raw_client.h"
#include "tests/unit/http/scripted_handler.h"

namespace switchboard::http {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kAsk[] = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";
constexpr char kAskPlain[] = "GET /plain HTTP/1.1\r\nHost: x\r\n\r\n";

class LifeTest : public testing::Test {
 protected:
  void Start() {
    server_ = std::make_unique<Server>(options_, &handler_);
    ASSERT_THAT(server_->Start(), IsOk());
  }
  int port() { return server_->port(); }

  ServerOptions options_;
  ManualStream stream_;  // answers /a
  FunctionHandler handler_{[this](Request request) {
    if (request.path == "/plain") return ReplyText("plain");
    return stream_.MakeExchange();
  }};
  std::unique_ptr<Server> server_;
};

TEST_F(LifeTest, SendsAReplyWhenTheExchangeWakesIt) {
  Start();
  RawClient client(port());
  client.Send(kAsk);
  ASSERT_TRUE(stream_.AwaitWaiting());
  stream_.SayHead(Head());
  stream_.SayBody("late");
  stream_.SayEnd();
  EXPECT_EQ(client.Read().body, "late");
  EXPECT_TRUE(stream_.AwaitDestroyed());
}

TEST_F(LifeTest, SendsEachEventWhenItIsSaid) {
  Start();
  RawClient client(port());
  client.Send(kAsk);
  stream_.SayHead(ManualStream::StreamHead());
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("chunked"));
  for (const char* event : {"data: 1\n\n", "data: 2\n\n"}) {
    ASSERT_TRUE(stream_.AwaitWaiting());
    stream_.SayBody(event);
    EXPECT_EQ(client.ReadUntil("\n\n\r\n"), absl::StrCat("9\r\n", event, "\r\n"));
  }
}

TEST_F(LifeTest, AClientThatLeavesWhileWaitingEndsItsExchange) {
  Start();
  for (const bool reset : {false, true}) {
    ManualStream stream;
    FunctionHandler handler([&](Request) { return stream.MakeExchange(); });
    Server server(options_, &handler);
    ASSERT_THAT(server.Start(), IsOk());
    RawClient client(server.port());
    client.Send(kAsk);
    ASSERT_TRUE(stream.AwaitWaiting());
    client.Leave(reset);
    EXPECT_TRUE(stream.AwaitDestroyed()) << reset;
  }
}

TEST_F(LifeTest, AClientThatLeavesWhileStreamingEndsItsExchange) {
  Start();
  RawClient client(port());
  client.Send(kAsk);
  stream_.SayHead(ManualStream::StreamHead());
  stream_.SayBody("data: 1\n\n");
  client.ReadUntil("data: 1");
  client.Leave();
  EXPECT_TRUE(stream_.AwaitDestroyed());
}

TEST_F(LifeTest, PipelinedBytesAreNoDeparture) {
  Start();
  RawClient client(port());
  client.Send(kAsk);
  ASSERT_TRUE(stream_.AwaitWaiting());
  client.Send(kAskPlain);
  RawClient beside(port());
  EXPECT_EQ(beside.Ask(kAskPlain).body, "plain");  // the server has had a turn meanwhile
  EXPECT_FALSE(stream_.destroyed());
  stream_.SayHead(ManualStream::StreamHead());
  stream_.SayBody("data: 1\n\n");
  stream_.SayEnd();
  EXPECT_THAT(client.Read().chunks, ElementsAre("data: 1\n\n"));
  EXPECT_EQ(client.Read().body, "plain");
}

TEST_F(LifeTest, ADepartureIsNoticedBehindPipelinedBytes) {
  options_.head.max_bytes = 1000;  // the read-ahead ends with the first piece of at most 64 KiB
  Start();
  RawClient client(port());
  client.Send(kAsk);
  ASSERT_TRUE(stream_.AwaitWaiting());
  client.Send(std::string(66000, 'x'));
  client.Leave();
  EXPECT_TRUE(stream_.AwaitDestroyed());
}

TEST_F(LifeTest, AnAbortClosesWithoutEndingTheReply) {
  Start();
  RawClient client(port());
  client.Send(kAsk);
  stream_.SayHead(ManualStream::StreamHead());
  stream_.SayBody("data: 1\n\n");
  Step abort;
  abort.kind = Step::kAbort;
  stream_.Say(abort);
  client.ReadUntil("\r\n\r\n");
  EXPECT_EQ(client.ReadAll(), "9\r\ndata: 1\n\n\r\n");
  EXPECT_TRUE(stream_.AwaitDestroyed());
}

// Unread bytes stay bounded: the exchange is not asked for more while the client does not read.
TEST_F(LifeTest, ASlowReaderHoldsItsExchangeBack) {
  Start();
  RawClient client(port(), /*receive_buffer=*/4096);
  client.Send(kAsk);
  constexpr int kEvents = 2000;
  const std::string event(10000, 'e');
  stream_.SayHead(ManualStream::StreamHead());
  for (int i = 0; i < kEvents; ++i) stream_.SayBody(event);
  stream_.SayEnd();
  ASSERT_FALSE(client.ReadUntil("\r\n\r\n").empty());
  // Others are served meanwhile; after a hundred turns of the thread the stream has gone as far as
  // it will.
  RawClient beside(port());
  for (int i = 0; i < 100; ++i) ASSERT_EQ(beside.Ask(kAskPlain).body, "plain");
  EXPECT_LT(stream_.taken() * event.size(), size_t{1} << 20);
  std::string body;
  for (int i = 0; i < kEvents; ++i)
    body += client.ReadExactly(6 + event.size() + 2).substr(6, event.size());
  EXPECT_EQ(body.size(), kEvents * event.size());
  EXPECT_EQ(client.ReadUntil("\r\n\r\n"), "0\r\n\r\n");
}

TEST_F(LifeTest, AReaderThatStopsIsGivenUp) {
  options_.write_stall_timeout = absl::Milliseconds(50);
  Start();
  RawClient client(port(), /*receive_buffer=*/4096);
  client.Send(kAsk);
  stream_.SayHead(ManualStream::StreamHead());
  for (int i = 0; i < 1000; ++i) stream_.SayBody(std::string(10000, 'e'));
  EXPECT_TRUE(stream_.AwaitDestroyed());
  EXPECT_LT(stream_.taken(), 1000);
}

TEST_F(LifeTest, ASilentStreamIsKeptAliveFromItsHeadOn) {
  options_.heartbeat = absl::Milliseconds(5);
  Start();
  RawClient client(port());
  client.Send(kAsk);
  stream_.SayHead(ManualStream::StreamHead(": keep-alive\n\n"));
  client.ReadUntil("\r\n\r\n");
  EXPECT_EQ(client.ReadUntil("\n\n\r\n"), "e\r\n: keep-alive\n\n\r\n");
  EXPECT_EQ(client.ReadUntil("\n\n\r\n"), "e\r\n: keep-alive\n\n\r\n");
  stream_.SayBody("data: 1\n\n");
  stream_.SayEnd();
  EXPECT_THAT(client.ReadUntil("0\r\n\r\n"), HasSubstr("9\r\ndata: 1\n\n\r\n"));
}

TEST_F(LifeTest, AHeadThatDripsIsAnswered408) {
  options_.header_timeout = absl::Milliseconds(50);
  options_.linger_timeout = absl::Milliseconds(50);
  Start();
  std::vector<std::unique_ptr<RawClient>> slow;
  for (int i = 0; i < 100; ++i) {
    slow.push_back(std::make_unique<RawClient>(port()));
    slow.back()->Send("POST /a HTTP/1.1\r\nX-Slow: ");
  }
  RawClient other(port());
  EXPECT_EQ(other.Ask(kAskPlain).body, "plain");
  for (auto& client : slow) {
    client->Send("a");
    EXPECT_EQ(client->Read().status, 408);
    EXPECT_TRUE(client->ClosedByServer());
  }
  EXPECT_EQ(other.Ask(kAskPlain).body, "plain");
}

TEST_F(LifeTest, ABodyThatStopsIsAnswered408) {
  options_.body_timeout = absl::Milliseconds(50);
  Start();
  RawClient client(port());
  const RawReply reply =
      client.Ask("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc");
  EXPECT_EQ(reply.status, 408);
  EXPECT_THAT(reply.body, HasSubstr("\"type\":\"timeout_error\""));
  EXPECT_TRUE(client.ClosedByServer());
}

TEST_F(LifeTest, AnIdleConnectionIsClosedWithoutAWord) {
  options_.idle_timeout = absl::Milliseconds(50);
  Start();
  RawClient fresh(port());
  EXPECT_TRUE(fresh.ClosedByServer());
  RawClient used(port());
  EXPECT_EQ(used.Ask(kAskPlain).body, "plain");
  EXPECT_TRUE(used.ClosedByServer());
}

TEST_F(LifeTest, WaitingForAnAnswerIsNotIdle) {
  options_.idle_timeout = absl::Milliseconds(1);
  options_.header_timeout = absl::Milliseconds(200);
  Start();
  RawClient client(port());
  client.Send(kAsk);
  ASSERT_TRUE(stream_.AwaitWaiting());
  RawClient beside(port());
  EXPECT_TRUE(beside.ClosedByServer());  // by the same limit
  stream_.SayHead(Head());
  stream_.SayBody("late");
  stream_.SayEnd();
  EXPECT_EQ(client.Read().body, "late");
}

TEST_F(LifeTest, StopLetsARunningReplyFinish) {
  Start();
  RawClient idle(port());
  EXPECT_EQ(idle.Ask(kAskPlain).body, "plain");
  RawClient client(port());
  client.Send(kAsk);
  stream_.SayHead(ManualStream::StreamHead());
  stream_.SayBody("data: 1\n\n");
  client.ReadUntil("data: 1");
  std::thread stopper([this] { server_->Stop(absl::Seconds(10)); });
  EXPECT_TRUE(idle.ClosedByServer());  // so the server is draining
  EXPECT_FALSE(stream_.destroyed());
  stream_.SayBody("data: 2\n\n");
  stream_.SayEnd();
  EXPECT_EQ(client.ReadAll(), "\n\n\r\n9\r\ndata: 2\n\n\r\n0\r\n\r\n");
  stopper.join();
  EXPECT_TRUE(stream_.destroyed());
}

TEST_F(LifeTest, StopTellsTheClientThatTheConnectionEnds) {
  Start();
  RawClient idle(port());
  EXPECT_EQ(idle.Ask(kAskPlain).body, "plain");
  RawClient client(port());
  client.Send(kAsk);
  ASSERT_TRUE(stream_.AwaitWaiting());
  std::thread stopper([this] { server_->Stop(absl::Seconds(10)); });
  EXPECT_TRUE(idle.ClosedByServer());
  stream_.SayHead(Head());
  stream_.SayBody("last");
  stream_.SayEnd();
  const RawReply reply = client.Read();
  EXPECT_EQ(reply.body, "last");
  EXPECT_EQ(reply.Header("connection"), "close");
  client.Leave();
  stopper.join();
}

TEST_F(LifeTest, StopEndsWhatRunsLongerThanItsGrace) {
  Start();
  RawClient client(port());
  client.Send(kAsk);
  stream_.SayHead(ManualStream::StreamHead());
  client.ReadUntil("\r\n\r\n");
  server_->Stop(absl::Milliseconds(20));
  EXPECT_TRUE(stream_.destroyed());
  EXPECT_EQ(client.ReadAll(), "");
}

TEST_F(LifeTest, StopRefusesNewcomers) {
  Start();
  const int taken = port();
  server_->Stop(absl::ZeroDuration());
  server_->Stop(absl::ZeroDuration());  // does nothing
  ServerOptions options;
  options.port = taken;
  Server successor(options, &handler_);
  EXPECT_THAT(successor.Start(), IsOk());
}

TEST_F(LifeTest, AWakeAfterTheEndIsHarmless) {
  std::function<void()> kept;
  // Says nothing, ever, and lets the test keep its wake.
  class Silent : public Exchange {
   public:
    explicit Silent(std::function<void()>* kept) : kept_(kept) {}
    Step Next() override { return Step(); }
    void NotifyWhenReady(std::function<void()> wake) override { *kept_ = std::move(wake); }

   private:
    std::function<void()>* const kept_;
  };
  FunctionHandler handler([&](Request) { return std::make_unique<Silent>(&kept); });
  {
    Server server(options_, &handler);
    ASSERT_THAT(server.Start(), IsOk());
    RawClient client(server.port());
    client.Send(kAsk);
    client.Finish();
    EXPECT_TRUE(client.ClosedByServer());
    server.Stop(absl::ZeroDuration());
    ASSERT_NE(kept, nullptr);
    kept();
  }
  kept();
}

TEST_F(LifeTest, ManyStreamsWokenFromManyThreads) {
  options_.threads = 2;
  constexpr int kStreams = 50;
  constexpr int kEvents = 20;
  std::vector<ManualStream> streams(kStreams);
  FunctionHandler handler([&](Request request) {
    return streams[static_cast<size_t>(std::stoi(request.query))].MakeExchange();
  });
  Server server(options_, &handler);
  ASSERT_THAT(server.Start(), IsOk());
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < kStreams; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.port()));
    clients.back()->Send(absl::StrCat("GET /?", i, " HTTP/1.1\r\nHost: x\r\n\r\n"));
  }
  std::vector<std::thread> speakers;
  for (int t = 0; t < 4; ++t) {
    speakers.emplace_back([&streams, t] {
      for (int i = t; i < kStreams; i += 4)
        streams[static_cast<size_t>(i)].SayHead(ManualStream::StreamHead());
      for (int n = 0; n < kEvents; ++n) {
        for (int i = t; i < kStreams; i += 4)
          streams[static_cast<size_t>(i)].SayBody(absl::StrCat(n, ";"));
      }
      for (int i = t; i < kStreams; i += 4) streams[static_cast<size_t>(i)].SayEnd();
    });
  }
  std::string wanted;
  for (int n = 0; n < kEvents; ++n) absl::StrAppend(&wanted, n, ";");
  for (auto& client : clients) EXPECT_EQ(client->Read().body, wanted);
  for (std::thread& speaker : speakers) speaker.join();
}

}  // namespace
}  // namespace switchboard::http
