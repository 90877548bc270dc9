#include "http/reply_writer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace switchboard::http {
namespace {

absl::string_view Reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "Unassigned";
  }
}

// Headers that are ours to write, whatever the handler says.
bool IsOurs(absl::string_view name) {
  for (absl::string_view ours : {"Content-Length", "Transfer-Encoding", "Connection", "Date",
                                 "Server", "X-Request-Id", "openai-processing-ms"}) {
    if (absl::EqualsIgnoreCase(name, ours)) return true;
  }
  return false;
}

// A value may repeat what a client sent: a line break in it would forge headers.
void AppendHeader(absl::string_view name, absl::string_view value, std::string* out) {
  const size_t start = out->size();
  absl::StrAppend(out, name, ": ", value);
  std::replace_if(
      out->begin() + static_cast<std::ptrdiff_t>(start), out->end(),
      [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; }, ' ');
  out->append("\r\n");
}

}  // namespace

ReplyWriter::ReplyWriter(ReplyContext context) : context_(std::move(context)) {}

std::string ReplyWriter::RenderHead(const Head& head, const ReplyStamp& stamp) {
  std::string out = absl::StrCat("HTTP/1.1 ", head.status, " ", Reason(head.status), "\r\n");
  for (const auto& [name, value] : head.headers) {
    if (!IsOurs(name)) AppendHeader(name, value, &out);
  }
  for (const auto& [name, value] : context_.cors) AppendHeader(name, value, &out);
  AppendHeader("X-Request-Id", context_.request_id, &out);
  AppendHeader("openai-processing-ms", absl::StrCat(stamp.processing_ms), &out);
  AppendHeader(
      "Date", absl::FormatTime("%a, %d %b %Y %H:%M:%S GMT", stamp.date, absl::UTCTimeZone()), &out);
  AppendHeader("Server", "switchboard", &out);
  if (!context_.keep_alive) {
    AppendHeader("Connection", "close", &out);
  } else if (context_.http10) {
    AppendHeader("Connection", "keep-alive", &out);
  }
  return out;
}

std::string ReplyWriter::OnHead(Head head, const ReplyStamp& stamp) {
  CHECK(state_ == State::kBeforeHead);
  has_body_ = head.status != 204 && head.status != 304;
  CHECK(has_body_ || !head.streamed);
  for (const auto& [name, value] : head.headers) {
    if (absl::EqualsIgnoreCase(name, "Connection") && absl::EqualsIgnoreCase(value, "close")) {
      context_.keep_alive = false;
    }
  }
  if (head.streamed && context_.http10) context_.keep_alive = false;
  std::string out = RenderHead(head, stamp);
  if (!head.streamed) {
    state_ = State::kBeforeBody;
    held_head_ = std::move(out);
    return "";
  }
  if (!context_.http10) AppendHeader("Transfer-Encoding", "chunked", &out);
  out.append("\r\n");
  heartbeat_ = std::move(head.heartbeat);
  state_ = context_.head_only ? State::kEnded : State::kStreaming;
  return out;
}

std::string ReplyWriter::Chunk(absl::string_view body) const {
  // An empty chunk would end the body.
  if (body.empty()) return "";
  if (context_.http10) return std::string(body);
  return absl::StrCat(absl::Hex(body.size()), "\r\n", body, "\r\n");
}

std::string ReplyWriter::OnBody(absl::string_view body) {
  if (state_ == State::kStreaming) return Chunk(body);
  CHECK(state_ == State::kBeforeBody);
  state_ = State::kBodySent;
  std::string out = std::move(held_head_);
  if (has_body_) AppendHeader("Content-Length", absl::StrCat(body.size()), &out);
  out.append("\r\n");
  if (has_body_ && !context_.head_only) out.append(body.data(), body.size());
  return out;
}

std::string ReplyWriter::OnEnd() {
  CHECK(state_ == State::kStreaming || state_ == State::kBodySent);
  const bool last_chunk = state_ == State::kStreaming && !context_.http10;
  state_ = State::kEnded;
  return last_chunk ? "0\r\n\r\n" : "";
}

absl::string_view ReplyWriter::heartbeat() const {
  return state_ == State::kStreaming ? absl::string_view(heartbeat_) : absl::string_view();
}

}  // namespace switchboard::http
