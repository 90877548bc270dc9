#include "http/reply_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"

namespace switchboard::http {
namespace {

using testing::HasSubstr;
using testing::Not;

ReplyContext KeepAlive() {
  ReplyContext context;
  context.keep_alive = true;
  context.request_id = "req-1";
  return context;
}

// The example date of RFC 9110, section 5.6.7.
ReplyStamp Stamp() { return {absl::FromUnixSeconds(784111777), 12}; }

Head Json(int status = 200) {
  Head head;
  head.status = status;
  head.headers.emplace_back("Content-Type", "application/json");
  return head;
}

Head Stream() {
  Head head;
  head.headers.emplace_back("Content-Type", "text/event-stream");
  head.streamed = true;
  head.heartbeat = ": keep-alive\n\n";
  return head;
}

TEST(ReplyWriterTest, WritesAWholeReplyAtOnce) {
  ReplyWriter writer(KeepAlive());
  EXPECT_EQ(writer.OnHead(Json(), Stamp()), "");
  EXPECT_EQ(writer.OnBody("{}"),
            "HTTP/1.1 200 OK\r\n"
            "Content-Type: application/json\r\n"
            "X-Request-Id: req-1\r\n"
            "openai-processing-ms: 12\r\n"
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
            "Server: switchboard\r\n"
            "Content-Length: 2\r\n"
            "\r\n"
            "{}");
  EXPECT_FALSE(writer.complete());
  EXPECT_EQ(writer.OnEnd(), "");
  EXPECT_TRUE(writer.complete());
  EXPECT_TRUE(writer.keep_alive());
}

TEST(ReplyWriterTest, WritesAStreamInChunks) {
  ReplyWriter writer(KeepAlive());
  EXPECT_EQ(writer.OnHead(Stream(), Stamp()),
            "HTTP/1.1 200 OK\r\n"
            "Content-Type: text/event-stream\r\n"
            "X-Request-Id: req-1\r\n"
            "openai-processing-ms: 12\r\n"
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
            "Server: switchboard\r\n"
            "Transfer-Encoding: chunked\r\n"
            "\r\n");
  EXPECT_EQ(writer.heartbeat(), ": keep-alive\n\n");
  EXPECT_EQ(writer.OnBody("data: 1\n\n"), "9\r\ndata: 1\n\n\r\n");
  EXPECT_EQ(writer.OnBody(std::string(300, 'x')), "12c\r\n" + std::string(300, 'x') + "\r\n");
  EXPECT_EQ(writer.OnEnd(), "0\r\n\r\n");
  EXPECT_TRUE(writer.complete());
  EXPECT_EQ(writer.heartbeat(), "");
}

TEST(ReplyWriterTest, WritesNoEmptyChunk) {
  ReplyWriter writer(KeepAlive());
  writer.OnHead(Stream(), Stamp());
  EXPECT_EQ(writer.OnBody(""), "");
}

TEST(ReplyWriterTest, LeavesTheBodyOutForHead) {
  ReplyContext context = KeepAlive();
  context.head_only = true;
  ReplyWriter writer(context);
  writer.OnHead(Json(), Stamp());
  const std::string bytes = writer.OnBody("{}");
  EXPECT_THAT(bytes, HasSubstr("Content-Length: 2\r\n"));
  EXPECT_TRUE(absl::EndsWith(bytes, "\r\n\r\n"));
}

TEST(ReplyWriterTest, EndsAStreamForHeadWithItsHead) {
  ReplyContext context = KeepAlive();
  context.head_only = true;
  ReplyWriter writer(context);
  EXPECT_TRUE(absl::EndsWith(writer.OnHead(Stream(), Stamp()), "\r\n\r\n"));
  EXPECT_TRUE(writer.complete());
  EXPECT_TRUE(writer.keep_alive());
}

TEST(ReplyWriterTest, StreamsToHttp10WithoutChunksAndCloses) {
  ReplyContext context = KeepAlive();
  context.http10 = true;
  ReplyWriter writer(context);
  const std::string head = writer.OnHead(Stream(), Stamp());
  EXPECT_THAT(head, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(head, Not(HasSubstr("Transfer-Encoding")));
  EXPECT_EQ(writer.OnBody("data: 1\n\n"), "data: 1\n\n");
  EXPECT_EQ(writer.OnEnd(), "");
  EXPECT_FALSE(writer.keep_alive());
}

TEST(ReplyWriterTest, TellsHttp10ThatTheConnectionStays) {
  ReplyContext context = KeepAlive();
  context.http10 = true;
  ReplyWriter writer(context);
  writer.OnHead(Json(), Stamp());
  EXPECT_THAT(writer.OnBody("{}"), HasSubstr("Connection: keep-alive\r\n"));
}

TEST(ReplyWriterTest, ObeysAHandlerThatCloses) {
  Head head = Json(503);
  head.headers.emplace_back("Connection", "close");
  ReplyWriter writer(KeepAlive());
  writer.OnHead(head, Stamp());
  EXPECT_THAT(writer.OnBody("{}"), HasSubstr("Connection: close\r\n"));
  EXPECT_FALSE(writer.keep_alive());
}

TEST(ReplyWriterTest, DropsFramingHeadersOfTheHandler) {
  Head head = Json();
  head.headers.emplace_back("content-length", "777");
  head.headers.emplace_back("Transfer-Encoding", "chunked");
  ReplyWriter writer(KeepAlive());
  writer.OnHead(head, Stamp());
  const std::string bytes = writer.OnBody("{}");
  EXPECT_THAT(bytes, Not(HasSubstr("777")));
  EXPECT_THAT(bytes, Not(HasSubstr("chunked")));
}

TEST(ReplyWriterTest, AHeaderValueCannotForgeAnotherHeader) {
  Head head = Json();
  head.headers.emplace_back("X-A", "a\r\nSet-Cookie: b");
  ReplyWriter writer(KeepAlive());
  writer.OnHead(head, Stamp());
  EXPECT_THAT(writer.OnBody("{}"), HasSubstr("X-A: a  Set-Cookie: b\r\n"));
}

TEST(ReplyWriterTest, NoContentHasNoLength) {
  ReplyWriter writer(KeepAlive());
  Head head;
  head.status = 204;
  writer.OnHead(head, Stamp());
  const std::string bytes = writer.OnBody("");
  EXPECT_THAT(bytes, HasSubstr("HTTP/1.1 204 No Content\r\n"));
  EXPECT_THAT(bytes, Not(HasSubstr("Content-Length")));
}

TEST(ReplyWriterTest, AddsCorsHeaders) {
  ReplyContext context = KeepAlive();
  context.cors = {{"Vary", "Origin"}};
  ReplyWriter writer(context);
  writer.OnHead(Json(), Stamp());
  EXPECT_THAT(writer.OnBody("{}"), HasSubstr("Vary: Origin\r\n"));
}

}  // namespace
}  // namespace switchboard::http
