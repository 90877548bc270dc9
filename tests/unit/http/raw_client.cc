#include "tests/unit/http/raw_client.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/check.h"

namespace switchboard::http {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(10);

}  // namespace

std::string RawReply::Header(absl::string_view name) const {
  std::string joined;
  for (const auto& [key, value] : headers) {
    if (key == name) absl::StrAppend(&joined, joined.empty() ? "" : " | ", value);
  }
  return joined;
}

RawClient::RawClient(int port, int receive_buffer) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  CHECK(socket_ >= 0);
  if (receive_buffer > 0) {
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
  }
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
}

RawClient::~RawClient() { Leave(); }

bool RawClient::Send(absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool RawClient::Receive(absl::Duration within) {
  pollfd look = {socket_, POLLIN, 0};
  if (::poll(&look, 1, static_cast<int>(absl::ToInt64Milliseconds(within))) != 1) return false;
  char piece[65536];
  const ssize_t received = ::recv(socket_, piece, sizeof(piece), 0);
  if (received <= 0) return false;
  buffer_.append(piece, static_cast<size_t>(received));
  return true;
}

std::string RawClient::ReadUntil(absl::string_view mark) {
  size_t end = buffer_.find(mark.data(), 0, mark.size());
  while (end == std::string::npos && Receive(kPatience)) {
    end = buffer_.find(mark.data(), 0, mark.size());
  }
  const size_t bytes = end == std::string::npos ? buffer_.size() : end + mark.size();
  std::string out = buffer_.substr(0, bytes);
  buffer_.erase(0, bytes);
  return out;
}

std::string RawClient::ReadExactly(size_t bytes) {
  while (buffer_.size() < bytes && Receive(kPatience)) {
  }
  std::string out = buffer_.substr(0, bytes);
  buffer_.erase(0, bytes);
  return out;
}

std::string RawClient::ReadAll() {
  while (Receive(kPatience)) {
  }
  return std::exchange(buffer_, "");
}

RawReply RawClient::Read(bool head_only) {
  RawReply reply;
  reply.head = ReadUntil("\r\n\r\n");
  const std::vector<std::string> lines = absl::StrSplit(reply.head, "\r\n");
  if (!absl::EndsWith(reply.head, "\r\n\r\n")) return RawReply();
  CHECK(absl::StartsWith(lines[0], "HTTP/1.1 "));
  CHECK(absl::SimpleAtoi(lines[0].substr(9, 3), &reply.status));
  if (reply.status == 100) return Read(head_only);
  for (size_t i = 1; i + 2 < lines.size(); ++i) {
    const std::pair<std::string, std::string> header =
        absl::StrSplit(lines[i], absl::MaxSplits(": ", 1));
    reply.headers.emplace_back(absl::AsciiStrToLower(header.first), header.second);
  }
  const std::string length = reply.Header("content-length");
  if (head_only) return reply;
  if (reply.Header("transfer-encoding") == "chunked") {
    CHECK(length.empty());
    for (;;) {
      const std::string line = ReadUntil("\r\n");
      const size_t size = std::strtoul(line.c_str(), nullptr, 16);
      const std::string chunk = ReadExactly(size + 2);
      if (chunk.size() != size + 2) return RawReply();
      CHECK(absl::EndsWith(chunk, "\r\n"));
      if (size == 0) return reply;
      reply.chunks.push_back(chunk.substr(0, size));
      reply.body += reply.chunks.back();
    }
  }
  size_t bytes = 0;
  if (length.empty()) {
    reply.body = ReadAll();
  } else {
    CHECK(absl::SimpleAtoi(length, &bytes));
    reply.body = ReadExactly(bytes);
    if (reply.body.size() != bytes) return RawReply();
  }
  return reply;
}

RawReply RawClient::Ask(absl::string_view request) {
  // A server that refuses may stop reading; its answer is there all the same.
  Send(request);
  return Read();
}

bool RawClient::ClosedByServer(absl::Duration within) {
  pollfd look = {socket_, POLLIN, 0};
  if (!buffer_.empty()) return false;
  if (::poll(&look, 1, static_cast<int>(absl::ToInt64Milliseconds(within))) != 1) return false;
  char byte;
  return ::recv(socket_, &byte, 1, 0) <= 0;
}

void RawClient::Finish() { ::shutdown(socket_, SHUT_WR); }

void RawClient::Leave(bool reset) {
  if (socket_ < 0) return;
  const linger now = {1, 0};
  if (reset) ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  ::close(socket_);
  socket_ = -1;
}

}  // namespace switchboard::http
